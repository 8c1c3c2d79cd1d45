#!/bin/sh
# SPDX-License-Identifier: ISC
# bench.sh [RUNNER OPTION]...: installs what the build needs, builds, and runs
# the main job on the stores that need no server: null as the floor, then memfile,
# SQLite and whatever else was built, power-safe and asynchronous.  Stops at the
# first failure.
# Options, -S kea say, go to every run, after this script's own.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/build/bench

run() {
    program=$1
    shift
    echo
    echo "\$ ./$program $*"
    "$top/$program" "$@"
}

# has_option NAME: of $runner.  A server's runner has a port, that of a store which
# keeps leases has --sync.
has_option() {
    "$runner" --list-options | cut -f 2 | grep -qx "$1"
}

"$top/scripts/deps.sh" build
make -C "$top"
mkdir -p "$work"
cd "$work" # so that the leases land here

# null knows fewer options than a store; what it does not know it goes without.
if "$top/null_ubench" "$@" --help >/dev/null 2>&1; then
    run null_ubench -n 100k "$@"
else
    run null_ubench -n 100k
fi
for runner in "$top"/*_ubench; do
    if has_option sync && ! has_option port; then
        run "${runner##*/}" -s yes -n 1000 "$@"
        run "${runner##*/}" -s no -n 100k "$@"
    fi
done
