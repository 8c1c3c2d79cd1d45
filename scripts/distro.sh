#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: distro.sh RELEASE [--] COMMAND [ARGUMENT]...
# Runs COMMAND in a copy of this checkout on another release of Debian
# (bookworm, trixie, sid) or Ubuntu (noble, questing, resolute).
#
#   scripts/distro.sh trixie scripts/test.sh
#
# The release's root is build/distro/RELEASE; UBENCH_DISTRO names another folder
# for all roots.  mmdebstrap makes it at the first call, with nothing but git; it
# is kept, with all that was installed or built in it, so that the next call is
# quick.  The copy is /root/ubench in that root, in a home directory that only
# root may enter: the tracked files and the untracked ones that git does not
# ignore, as they are now.
#
# All mounts and processes are in namespaces of their own, which end with the
# command, ^C and kill -9 included.  Run it as root, or as a user who may make
# user namespaces (packages util-linux and uidmap).  Exit status: that of
# COMMAND; 2 usage; 77 if the root cannot be made or entered.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=${here%/*}

# cannot WHY: the root is not there and cannot be made.
cannot() {
    say "$*"
    exit 77
}

# in_namespaces COMMAND...: as root, or as root of a user namespace.  unshare blocks INT
# and TERM, so what ends it is that this script has ended.
in_namespaces() {
    [ "$(id -u)" -eq 0 ] || set -- --map-root-user --map-auto "$@"
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$@"
}

# ubuntu: where the packages of the release are and which keys they are signed with,
# if it is one of Ubuntu's; mmdebstrap knows those of Debian.
ubuntu() {
    is_among "$release" "noble questing resolute" || return 0
    keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    [ -e $keys ] ||
        cannot "there is no $keys: install the package ubuntu-keyring, of Debian 13"
    echo "deb [signed-by=$keys] http://archive.ubuntu.com/ubuntu $release main universe"
}

# The root appears under its name only when it is whole.  A mirror that does not
# answer is waited for, but not for ever.
make_root() {
    command -v mmdebstrap >/dev/null ||
        cannot "there is no mmdebstrap: install the package mmdebstrap"
    source=$(ubuntu) || exit
    say "making a root of $release in $root"
    mkdir -p "$roots"
    in_namespaces rm -rf "$root.new"
    # The root reaches the packages in the same way as this machine.
    apt-config dump Acquire >"$root.apt"
    in_namespaces timeout --foreground 900 mmdebstrap --aptopt="$root.apt" --mode=root \
        --variant=minbase --skip=output/dev,output/mknod \
        --include=apt,git,ca-certificates "$release" "$root.new" ${source:+"$source"} \
        >"$root.log" 2>&1 ||
        cannot "mmdebstrap $release failed ($?): $(grep -m 1 '^E:' "$root.log")"
    mv "$root.new" "$root"
}

copy_checkout() {
    copy=$root/root/ubench
    mkdir -p "$copy"
    chmod 700 "$root/root"
    find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    (
        cd "$top"
        git ls-files -z --cached --others --exclude-standard |
            tar --null --ignore-failed-read -T - -cf - 2>/dev/null
    ) | tar -xf - -C "$copy"
    git clone -q --bare "$top" "$copy/.git"
    git -C "$copy" config core.bare false
    git -C "$copy" reset -q
}

certificates=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}
certificates_inside=/etc/ssl/certificates-of-host.crt

# enter COMMAND...: within the namespaces, of which the first process is this one.
enter() {
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    # Debian 13 and later have /tmp in memory.
    [ "$release" = bookworm ] || mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    # pip trusts there what it trusts here.
    cp -L "$certificates" "$root/$certificates_inside" 2>/dev/null || certificates_inside=
    # Not only chroot: within one, no other mount namespace could be made.
    cd "$root"
    pivot_root . mnt
    umount -l mnt
    exec chroot . /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 REQUIRE="${REQUIRE:-}" \
        ${certificates_inside:+PIP_CERT="$certificates_inside"} \
        sh -c 'trap "exit 130" INT # the first process ignores what it has no trap for
            trap "exit 143" TERM
            cd /root/ubench && "$@"' sh "$@"
}

case ${1:-} in
'' | -*) misuse "RELEASE is missing; --help says more" ;;
*[!a-z0-9]*) misuse "'$1' is not the name of a release" ;;
esac
release=$1
shift
roots=${UBENCH_DISTRO:-$top/build/distro}
root=$roots/$release
if [ "${1:-}" = --entered ]; then
    shift
    enter "$@"
fi
[ "${1:-}" != -- ] || shift
[ $# -gt 0 ] || misuse "COMMAND is missing; --help says more"
in_namespaces mount --make-rprivate / 2>/dev/null ||
    cannot "it takes root, or a user who may make namespaces (package uidmap)"
[ -d "$root" ] || make_root
copy_checkout
in_namespaces "$0" "$release" --entered "$@"
