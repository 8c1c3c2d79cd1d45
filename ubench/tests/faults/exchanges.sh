#!/bin/sh
# SPDX-License-Identifier: ISC
# exchanges.sh: every exchange on real servers of its own: each answer is right,
# and the work is the same as on the null store.  Prints a line per case and
# ends with "N passed, N failed, N skipped".  BIN is the folder of the runners
# (default: the checkout).  With REQUIRE=all a skipped case counts as failed.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd)
bin=${BIN:-$top}
servers=$top/scripts/servers.sh
passed=0
failed=0
skipped=0

skip() {
    echo "skip: $1: $2"
    skipped=$((skipped + 1))
}

# digest PROGRAM OPTION...: what it did, or its error.
digest() {
    program=$1
    shift
    "$bin/$program" -v no --preload=500 "$@" 2>&1 |
        sed -n 's/.* digest //p; s/.*_ubench: //p'
}

# same_work STORE OPTION...; $own: options that the null store does not have.
own=
same_work() {
    store=$1
    shift
    wanted=$(digest null_ubench "$@")
    # shellcheck disable=SC2086 # words
    got=$(digest "${store}_ubench" -s no $own "$@")
    case $got in
    *"no IPv6 leases yet")
        skip "$store: $*" "$got"
        return
        ;;
    esac
    if [ -n "$wanted" ] && [ "$got" = "$wanted" ]; then
        echo "ok - $store: $*"
        passed=$((passed + 1))
    else
        echo "not ok - $store: $*: got $got, wanted $wanted"
        failed=$((failed + 1))
    fi
}

# try_store STORE
try_store() {
    for workload in dora dora-known renew init-reboot release release-delete \
        decline steady guests; do
        same_work "$1" -n 60 -t 3 -w "$workload"
    done
    same_work "$1" -n 60 -w dora --probes=5
    for own in '-c no' '-S lean'; do
        same_work "$1" -n 20 -w renew
    done
    own=
    same_work "$1" -n 2 -w reclaim -t 2
    same_work "$1" -n 2 -w purge -t 2
    for workload in sarr renew release release-delete decline steady guests; do
        same_work "$1" -6 -n 60 -t 3 -w "$workload"
    done
    same_work "$1" -6 -n 2 -w reclaim
    same_work "$1" -6 -n 2 -w purge
    for key in hwaddr client-id; do
        same_work "$1" -n 100 --search-by="$key"
        same_work "$1" -6 -n 100 --search-by="$key"
    done
}

work=$(mktemp -d) || exit 1
export UBENCH_SERVERS="$work/servers"
finish() {
    "$servers" stop >/dev/null 2>&1
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for store in mysql pgsql; do
    if [ ! -x "$bin/${store}_ubench" ]; then
        skip "$store" "${store}_ubench is not built"
    elif ! "$servers" start "$store" >"$work/log" 2>&1; then
        skip "$store" "$(tail -n 1 "$work/log")"
    else
        eval "$("$servers" env "$store")"
        try_store "$store"
    fi
done
if [ "${REQUIRE:-}" = all ]; then
    failed=$((failed + skipped))
    skipped=0
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
