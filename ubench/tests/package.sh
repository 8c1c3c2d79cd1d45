#!/bin/sh
# SPDX-License-Identifier: ISC
# package.sh [RELEASE]...: builds the Debian package in a root of its own of each
# release [bookworm trixie], asks lintian about it, installs it, measures with it and
# purges it again; nothing of it may be left.  Takes some minutes, and packages from
# the network.  Ends with "N passed, N failed, N skipped".
set -u

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
failed=0

# expect WHAT COMMAND...: one test.
expect() {
    what=$1
    shift
    if "$@" >/tmp/package.log 2>&1; then
        echo "ok $what"
    else
        echo "not ok $what"
        tail -n 40 /tmp/package.log
        failed=$((failed + 1))
    fi
}

# ---- In the root, as its administrator

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@"; }

install_tools() {
    apt update && apt install build-essential debhelper lintian man-db bash-completion \
        jq && apt build-dep "$top"
}

# The build is of a copy, since what it makes lies beside it.
build() {
    rm -rf /tmp/package && mkdir -p /tmp/package/ubench &&
        git -C "$top" ls-files -z --cached --others --exclude-standard |
        (cd "$top" && xargs -0 cp -P --parents -t /tmp/package/ubench) &&
        cd /tmp/package/ubench && dpkg-buildpackage -us -uc
}

# all_files: but for what dpkg, apt and their like note of any package.
all_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /root/ubench -o \
        -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /var/lib/apt \) \
        -prune -o -print | sort
}

measure() {
    cd /tmp/package && rm -f out.jsonl && mkdir -p run && cd run &&
        memfile_ubench -n 1000 -s no -O out.jsonl && ubench_report tables out.jsonl &&
        /usr/libexec/ubench/sweep --store memfile,sqlite -s no -n 500 -r 1 \
            -O sweep.jsonl && ubench_report tables sweep.jsonl &&
        /usr/libexec/ubench/crash --list
}

# Every manual page is found and set without a warning.
read_manuals() {
    programs=$(dpkg -L ubench | sed -n 's,^/usr/bin/,,p')
    for program in ${programs:?}; do
        warnings=$(MANWIDTH=100 man --warnings=w "$program" 2>&1 >/dev/null)
        [ -z "$warnings" ] || { echo "$program: $warnings" && return 1; }
    done
}

complete() {
    bash -ic '. /usr/share/bash-completion/bash_completion
        COMP_WORDS=(ubench_report ta) COMP_CWORD=1
        _completion_loader ubench_report || [ $? -eq 124 ]
        _ubench ubench_report ta ubench_report
        [ "${COMPREPLY[*]}" = tables ]' 2>/dev/null
}

purge() {
    dpkg --purge ubench && all_files >/tmp/package/after &&
        diff /tmp/package/before /tmp/package/after
}

in_root() {
    expect "tools" install_tools
    expect "dpkg-buildpackage" build
    all_files >/tmp/package/before
    expect "lintian" lintian --fail-on error,warning --tag-display-limit 0 /tmp/package/*.changes
    sed 's/^/# /' /tmp/package.log
    expect "install" dpkg --install /tmp/package/ubench_*.deb
    expect "manual pages" read_manuals
    expect "completion" complete
    expect "measure" measure
    expect "purge" purge
    exit $((failed > 0))
}

[ "${1:-}" != --in-root ] || in_root

# ---- Here

[ $# -gt 0 ] || set -- bookworm trixie
passed=0 skipped=0
for release; do
    echo "== $release"
    "$top/scripts/distro.sh" "$release" ubench/tests/package.sh --in-root
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
