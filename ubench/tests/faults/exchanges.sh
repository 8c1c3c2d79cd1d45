#!/bin/sh
# SPDX-License-Identifier: ISC
# exchanges.sh: every exchange, and those of files, on real servers of its own: each answer
# is right, and the work is the same as on the null store.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# digest PROGRAM OPTION...: what it did, or its error.
digest() {
    program=$1
    shift
    "$bin/$program" -v no --preload=500 "$@" 2>&1 |
        sed -n 's/^digest *\([0-9a-f]*\).*/\1/p; s/.*_ubench: //p'
}

# same_work STORE OPTION...; $own: options that the null store does not have.
own=
same_work() {
    store=$1
    shift
    wanted=$(digest null_ubench "$@")
    # shellcheck disable=SC2086 # words
    got=$(digest "${store}_ubench" -s no $own "$@")
    check "$store: $*" "$got" "${wanted:-something}"
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
    for file in "$top"/docs/exchanges/*.txt; do
        same_work "$1" -n 60 -t 2 -w "@$file"
    done
    for key in hwaddr client-id; do
        same_work "$1" -n 100 --search-by="$key"
        same_work "$1" -6 -n 100 --search-by="$key"
    done
}

for name in mysql pgsql; do
    ! need_server $name || try_store $name
done
summary
