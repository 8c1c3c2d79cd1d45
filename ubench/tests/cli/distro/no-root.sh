# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# Where there is no root and none can be made: 77, with the reason, and nothing that
# a later call would take for a root.
. "$CLI/lib.sh"

# fake PROGRAM LINE: what is called instead of it.
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}
# command_in RELEASE
command_in() {
    PATH=$PWD/bin:$PATH UBENCH_DISTRO=$PWD/roots \
        "$CLI/../../../scripts/distro.sh" "$1" true >"$SCRATCH/out" 2>&1
    echo "exit $?"
    sed "s|$PWD/||" "$SCRATCH/out"
    [ ! -e "roots/$1" ] || echo "there is a root"
}

mkdir bin
fake unshare 'exit 1'
command_in trixie
# shellcheck disable=SC2016 # for the other shell
fake unshare 'while case $1 in --*) ;; *) false ;; esac; do shift; done; exec "$@"'
fake mount :
fake apt-config :
# shellcheck disable=SC2016
fake mmdebstrap 'for last; do :; done; mkdir "$last"
echo "I: downloading"; echo "E: apt-get update failed"; exit 25'
command_in trixie
# Ubuntu's packages have keys of their own, which this machine has or not.
# shellcheck disable=SC2016
fake mmdebstrap 'for last; do :; done; echo "E: $last"; exit 25'
command_in resolute | sed -E 's/.*(no|failed).*(ubuntu-archive-keyring.gpg).*/\2/; /making/d'
