#!/bin/sh
# SPDX-License-Identifier: ISC
# mysql.sh [COUNT [ROUNDS]]: mysql_ubench beside sysbench, which runs the same
# prepared statements on the same table.  Each round runs both, one after the
# other; what counts is the median of the rounds' ratios.  BIN is the runner's
# folder, THREADS the number of connections.
#
# With one of them client and server share one processor.  On two, what is measured is how long
# the machine takes to wake an idle one, which differs by the minute.
set -eu

threads=${THREADS:-1}
if [ "$threads" -eq 1 ] && [ -z "${UBENCH_PERF_PINNED:-}" ] &&
    command -v taskset >/dev/null; then
    all=$(taskset -pc $$)
    export UBENCH_PERF_PINNED=yes
    exec taskset -c "${all##*[ ,-]}" "$0" "$@"
fi

top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/ubench/tests/perf
count=${1:-20000}
rounds=${2:-5}
runner=${BIN:-$top}/mysql_ubench
bar=0.97
[ "$threads" -eq 1 ] || bar=0.95

command -v sysbench >/dev/null || {
    echo "skip: there is no sysbench"
    exit 0
}
started=''
options=$(mktemp)
finish() {
    rm -f "$options"
    [ -z "$started" ] || "$top/scripts/servers.sh" stop mysql
}
trap finish EXIT
trap 'exit 130' INT TERM
if [ -z "${UBENCH_MYSQL_PORT:-}" ]; then
    started=yes
    "$top/scripts/servers.sh" start mysql
    eval "$("$top/scripts/servers.sh" env mysql)"
fi
# A socket where both find it, so that the network is the same for both.
export UBENCH_MYSQL_HOST="${UBENCH_MYSQL_SOCKET:-$UBENCH_MYSQL_HOST}"
cat >"$options" <<END
mysql-socket=$UBENCH_MYSQL_HOST
mysql-user=$UBENCH_MYSQL_USER
mysql-password=$UBENCH_MYSQL_PASSWORD
mysql-db=ubench
db-driver=mysql
threads=$threads
time=0
events=$count
END

main='address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev'
main=$main,hostname,state
lean=$main,pool_id
kea=$main,user_context,relay_id,remote_id,pool_id

# bench SCRIPT [OPTION...]: operations per second.
bench() {
    script=$1
    shift
    sysbench --config-file="$options" "$here/$script" "$@" run |
        sed -n 's/^ *transactions: .*(\([0-9.]*\) per sec.*/\1/p'
}

# rate PHASE: operations per second of the run in $out.
rate() {
    echo "$out" | python3 -c 'import json, sys
for phase in json.load(sys.stdin)["runs"][0]["phases"]:
    if phase["name"] == sys.argv[1]:
        print(phase["operations"] / phase["elapsed_ns"] * 1e9)' "$1"
}

# compare WHAT RUNNER'S RATES SYSBENCH'S RATES
compare() {
    echo "$2 / $3" | awk -v what="$1" -v bar="$bar" '{
        n = (NF - 1) / 2
        for (i = 1; i <= n; i++) {
            ours += $i / n
            theirs += $(i + n + 1) / n
            ratio = $i / $(i + n + 1)
            for (j = i; j > 1 && r[j - 1] > ratio; j--)
                r[j] = r[j - 1]
            r[j] = ratio
        }
        m = r[int((n + 1) / 2)]
        printf "%-26s %8.0f /s, sysbench %8.0f /s, ratio %.3f (%.2f..%.2f) %s\n",
            what, ours, theirs, m, r[1], r[n], m < bar ? "BELOW " bar : "ok"
    }'
}

# The runner holds the durability while sysbench works: it is put back when a
# run ends.  So it is set once, for both.
set_durability() {
    MYSQL_PWD="$UBENCH_MYSQL_PASSWORD" mysql --no-defaults \
        --socket="$UBENCH_MYSQL_HOST" --user="$UBENCH_MYSQL_USER" \
        -e "SET GLOBAL innodb_flush_log_at_trx_commit = $1"
}

truncate_table() {
    MYSQL_PWD="$UBENCH_MYSQL_PASSWORD" mysql --no-defaults \
        --socket="$UBENCH_MYSQL_HOST" --user="$UBENCH_MYSQL_USER" ubench \
        -e 'TRUNCATE lease4'
}

measure() { # SCHEMA FLUSH
    create='' search='' bench_create='' bench_search=''
    set_durability "$2"
    columns=$lean
    [ "$1" = lean ] || columns=$kea
    for _ in $(seq "$rounds"); do
        out=$("$runner" -n "$count" -t "$threads" -S "$1" -s server --json)
        create="$create $(rate create)"
        search="$search $(rate search)"
        truncate_table
        bench_create="$bench_create $(bench mysql_create.lua \
            --columns="$columns")"
        bench_search="$bench_search $(bench mysql_search.lua \
            --columns="$columns" --leases="$count")"
    done
    compare "create, $1, flush_log=$2:" "$create" "$bench_create"
    compare "search, $1, flush_log=$2:" "$search" "$bench_search"
}

echo "$threads connections: means, and medians of the ratios, of $rounds interleaved rounds of $count"
for flush in ${FLUSH:-1 2}; do
    measure lean "$flush"
    measure kea "$flush"
done
set_durability 1
