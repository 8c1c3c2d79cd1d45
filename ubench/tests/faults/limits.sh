#!/bin/sh
# SPDX-License-Identifier: ISC
# limits.sh: little memory, few descriptors and few processes: whatever a runner does
# not get, it says so in one sentence, and puts the server's settings back.  See
# cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd)

settings() {
    [ "$store" != mysql ] || mysql_sql 'SELECT @@GLOBAL.innodb_flush_log_at_trx_commit'
}

# limited COMMAND...: a run by that command.
limited() {
    "$@" "$runner" -v no -n 20 -s no -t 3 -O "$work/out.jsonl" ${target:+"$target"} \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    # libmysqlclient itself prints the files that it cannot read.
    sed -i "/^Can't read dir\|^\[ERROR\] /d" "$work/err"
}

# fair: the last run had enough, or says in a sentence what it did not get; the
# settings are what they were.
fair() {
    [ "$(settings)" = "$before" ] || return
    [ "$status" -ne 0 ] || return 0
    [ "$status" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] &&
        grep -qE "memory|bad_alloc|open|socket|Resource temp|nonce|proof" "$work/err"
}

# sweep NAME FUNCTION LIMIT...: with each of the limits; from the least, which is too
# little, to the last, which is enough.
sweep() {
    name="$store: $1" limit_by=$2
    shift 2
    bad=0 short=0
    for limit; do
        limited "$limit_by" "$limit"
        [ "$status" -eq 0 ] || short=$((short + 1))
        fair && continue
        bad=$((bad + 1))
        not_ok "$name $limit" "status $status, $(settings): $(cat "$work/err")"
    done
    [ "$bad" -gt 0 ] || ok "$name: $short of $# limits were too low"
    check "$name: some were, and the last was not" \
        "$((short > 0)) $status" "1 0"
}

# The memory of the runner, not of its libraries, whose loader ends otherwise.
allocations() {
    limit=$1
    shift
    env UBENCH_ALLOCATIONS="$limit" LD_PRELOAD="$helpers/little_memory.so" "$@"
}

# All of it, libraries too; the argument is in MB.
space() {
    limit=$1
    shift
    prlimit --as="${limit}000000" "$@"
}

descriptors() {
    limit=$1
    shift
    prlimit --nofile="$limit:$limit" "$@"
}

# Run by a user that has no other process, and may not reach this checkout.
processes() {
    limit=$1
    shift 2
    setpriv --reuid 54321 --regid 54321 --clear-groups \
        prlimit --nproc="$limit:$limit" "$work/${runner##*/}" "$@"
}

try_store() {
    before=$(settings)
    target=${1:-}
    if [ -e "$helpers/little_memory.so" ]; then
        # shellcheck disable=SC2046 # words
        sweep "memory" allocations $(seq 0 25) 32 1000
    else
        skip "$store: memory" "little_memory.so was not built"
    fi
    sweep "descriptors" descriptors 4 5 6 7 8 9 10 12 64
    if [ "$(id -u)" -ne 0 ]; then
        skip "$store: processes" "only root can be another user"
        return
    fi
    chmod 777 "$work"
    cp "$runner" "$work"
    chmod 666 "$work"/out* "$work/err"
    rm -f "$work/$store.file"
    sweep "processes" processes 1 2 3 4 5 6 7 8 64
}

for name in mysql pgsql; do
    if need_server $name; then
        try_store
        stop_server
    fi
done
for store in sqlite kea; do
    runner=$bin/${store}_ubench
    if [ -x "$runner" ]; then
        try_store "-f$work/$store.file"
    elif [ $store = kea ]; then
        echo "left out: kea is not built where the tests are those of the servers"
    else
        skip $store "it is not built"
    fi
done
# C++ throws: from below what its libraries need before main begins.
[ ! -x "$runner" ] ||
    sweep "all memory" space 50 60 70 75 80 85 90 95 100 120 140 160 200 8000
summary
