#!/bin/sh
# SPDX-License-Identifier: ISC
# pgsql.sh [COUNT [ROUNDS]]: pgsql_ubench beside pgbench, which runs the same
# statements on the same table.  Each round runs both, one after the other;
# what counts is the median of the rounds' ratios.  BIN is the runner's folder, THREADS
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
work=$(mktemp -d)
finish() {
    rm -rf "$work"
    [ -z "$affinity" ] || taskset -pc "$affinity" "$UBENCH_PGSQL_PID" >/dev/null
    [ -z "$started" ] || "$top/scripts/servers" stop pgsql
}

affinity='' started=''
trap finish EXIT
trap 'exit 130' INT TERM
if [ -z "${UBENCH_PGSQL_PORT:-}" ]; then
    started=yes
    "$top/scripts/servers" start pgsql
    eval "$("$top/scripts/servers" env pgsql)"
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

# pgbench has as many threads as there are processors, as its manual advises.
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

# note SIDE LABEL: a line of JSON, or "PHASE RATE", as that side of LABEL.
note() {
    python3 "$here/ratios.py" rates "$work/figures" "$1" "$bar" "create search" "$2"
}

measure() { # SYNC COMPILED MODE
    export PGOPTIONS="-c synchronous_commit=$1"
    level=yes
    [ "$1" = on ] || level=no
    for _ in $(seq "$rounds"); do
        psql -qX -c 'TRUNCATE lease4'
        {
            echo "create $(bench "$3" "pgsql_create_$3.sql")"
            echo "search $(bench "$3" pgsql_search.sql)"
        } | note pgbench "-c $2 (-M $3), sync $1"
        $on_one "$runner" -n "$count" -t "$threads" -S kea -s $level -c "$2" --json \
            --latency off | note ours "-c $2 (-M $3), sync $1"
    done
    python3 "$here/ratios.py" show "$work/figures"
}

"$runner" -n 100 -S kea -v no >/dev/null
echo "${on_one:-not on one processor}, $threads connections: medians of $rounds interleaved rounds, $count operations each, schema kea"
for sync in on off; do
    measure "$sync" yes prepared
    measure "$sync" no simple
done
