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
# in_trixie: a command in it.
in_trixie() {
    PATH=$PWD/bin:$PATH UBENCH_DISTRO=$PWD/roots \
        "$CLI/../../../scripts/distro.sh" trixie true >"$SCRATCH/out" 2>&1
    echo "exit $?"
    sed "s|$PWD/||" "$SCRATCH/out"
    [ ! -e roots/trixie ] || echo "there is a root"
}

mkdir bin
fake unshare 'exit 1'
in_trixie
# shellcheck disable=SC2016 # for the other shell
fake unshare 'while case $1 in --*) ;; *) false ;; esac; do shift; done; exec "$@"'
fake mount :
fake apt-config :
# shellcheck disable=SC2016
fake mmdebstrap 'for last; do :; done; mkdir "$last"
echo "I: downloading"; echo "E: apt-get update failed"; exit 25'
in_trixie
