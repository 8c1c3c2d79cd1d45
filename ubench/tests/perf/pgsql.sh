#!/bin/sh
# SPDX-License-Identifier: ISC
# pgsql.sh [COUNT [ROUNDS]]: pgsql_ubench beside pgbench, which runs the same
# statements on the same table.  Each round runs both, one after the other;
# what counts is the median of the rounds.  BIN is the runner's folder, THREADS
# the number of connections.
#
# With one of them client and server share one processor.  On two, what is
# measured is how long the machine takes to wake an idle one, which differs by
# the minute, up to three times as much as a search.
set -eu

top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/ubench/tests/perf
count=${1:-20000}
rounds=${2:-5}
threads=${THREADS:-1}
runner=${BIN:-$top}/pgsql_ubench
bar=0.97
[ "$threads" -eq 1 ] || bar=0.95

command -v pgbench >/dev/null || {
    echo "skip: there is no pgbench"
    exit 0
}
# Puts everything back as it was.
finish() {
    [ -z "$affinity" ] || taskset -pc "$affinity" "$UBENCH_PGSQL_PID" >/dev/null
    [ -z "$started" ] || "$top/scripts/servers.sh" stop pgsql
}

affinity='' started=''
trap finish EXIT
trap 'exit 130' INT TERM
if [ -z "${UBENCH_PGSQL_PORT:-}" ]; then
    started=yes
    "$top/scripts/servers.sh" start pgsql
    eval "$("$top/scripts/servers.sh" env pgsql)"
fi
on_one=''
if [ "$threads" -eq 1 ] &&
    was=$(taskset -pc "${UBENCH_PGSQL_PID:-0}" 2>/dev/null) &&
    taskset -pc "${was##*[ ,-]}" "$UBENCH_PGSQL_PID" >/dev/null 2>&1; then
    affinity=${was##* }
    on_one="taskset -c ${was##*[ ,-]}"
fi
# A socket where both find it, so that the network is the same for both.
export UBENCH_PGSQL_HOST="${UBENCH_PGSQL_SOCKET:-$UBENCH_PGSQL_HOST}"
export PGHOST="$UBENCH_PGSQL_HOST" PGPORT="$UBENCH_PGSQL_PORT"
export PGUSER="$UBENCH_PGSQL_USER" PGPASSWORD="$UBENCH_PGSQL_PASSWORD"
export PGDATABASE=ubench

# As many threads of pgbench as there are processors, as its manual advises.
jobs=$(nproc)
[ "$jobs" -le "$threads" ] || jobs=$threads

# bench MODE SCRIPT: operations per second.
bench() {
    $on_one pgbench -n -M "$1" -c "$threads" -j "$jobs" -t $((count / threads)) \
        -f "$here/$2" -D n="$count" -D i=-1 -D clients="$threads" \
        -D valid=3600 -D expire='2030-03-17 18:46:40+00' -D subnet=1 \
        -D fqdn=false -D state=0 -D pool=0 2>/dev/null |
        sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

# rate PHASE: operations per second of the run in $out.
rate() {
    echo "$out" | python3 -c 'import json, sys
for phase in json.load(sys.stdin)["runs"][0]["phases"]:
    if phase["name"] == sys.argv[1]:
        print(phase["operations"] / phase["elapsed_ns"] * 1e9)' "$1"
}

# compare WHAT RUNNER'S RATES PGBENCH'S RATES: by their medians; the best of
# each beside it, as other programs on the machine spoil both in bursts.
compare() {
    {
        for rate in $2; do echo "ours $rate"; done
        for rate in $3; do echo "theirs $rate"; done
    } | sort -k 1,1 -k 2,2g | awk -v what="$1" -v bar="$bar" '
        { n[$1]++; v[$1, n[$1]] = $2 }
        function median(who) { return v[who, int((n[who] + 1) / 2)] }
        function best(who) { return v[who, n[who]] }
        END {
            ratio = median("ours") / median("theirs")
            printf "%-42s %8.0f /s, pgbench %8.0f /s, ratio %.3f %s" \
                " (best %.0f and %.0f: %.3f)\n", what, median("ours"),
                median("theirs"), ratio, ratio < bar ? "BELOW " bar : "ok",
                best("ours"), best("theirs"), best("ours") / best("theirs")
        }'
}

measure() { # SYNC COMPILED MODE
    create='' search='' bench_create='' bench_search=''
    export PGOPTIONS="-c synchronous_commit=$1"
    level=yes
    [ "$1" = on ] || level=no
    for _ in $(seq "$rounds"); do
        psql -qX -c 'TRUNCATE lease4'
        bench_create="$bench_create $(bench "$3" "pgsql_create_$3.sql")"
        bench_search="$bench_search $(bench "$3" pgsql_search.sql)"
        out=$($on_one "$runner" -n "$count" -t "$threads" -S kea -s $level -c "$2" --json \
            --latency off)
        create="$create $(rate create)"
        search="$search $(rate search)"
    done
    compare "create, -c $2 (-M $3), sync $1:" "$create" "$bench_create"
    compare "search, -c $2 (-M $3), sync $1:" "$search" "$bench_search"
}

"$runner" -n 100 -S kea -v no >/dev/null
echo "${on_one:-not on one processor}, $threads connections: medians of $rounds interleaved rounds, $count operations each, schema kea"
for sync in on off; do
    measure "$sync" yes prepared
    measure "$sync" no simple
done
