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
work=$(mktemp -d)
options=$work/options
finish() {
    rm -rf "$work"
    [ -z "$started" ] || "$top/scripts/servers" stop mysql
}
trap finish EXIT
trap 'exit 130' INT TERM
if [ -z "${UBENCH_MYSQL_PORT:-}" ]; then
    started=yes
    "$top/scripts/servers" start mysql
    eval "$("$top/scripts/servers" env mysql)"
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

# note SIDE LABEL: a line of JSON, or "PHASE RATE", as that side of LABEL.
note() {
    python3 "$here/ratios.py" rates "$work/figures" "$1" "$bar" "create search" "$2"
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
    set_durability "$2"
    columns=$lean
    [ "$1" = lean ] || columns=$kea
    for _ in $(seq "$rounds"); do
        "$runner" -n "$count" -t "$threads" -S "$1" -s server --json |
            note ours "$1, flush_log=$2"
        truncate_table
        {
            echo "create $(bench mysql_create.lua --columns="$columns")"
            echo "search $(bench mysql_search.lua --columns="$columns" --leases="$count")"
        } | note sysbench "$1, flush_log=$2"
    done
    python3 "$here/ratios.py" show "$work/figures"
}

echo "$threads connections: medians of $rounds interleaved rounds of $count"
for flush in ${FLUSH:-1 2}; do
    measure lean "$flush"
    measure kea "$flush"
done
set_durability 1
