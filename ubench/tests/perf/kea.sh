#!/bin/sh
# SPDX-License-Identifier: ISC
# kea.sh [STORE...]: exchanges of the runners beside Kea's own lease managers
# (kea_ubench): one connection, the same leases, server, durability and tables.
# Each round runs all sides, one after the other; what counts is the median of
# the rounds' ratios, each of the median times of an exchange.  COUNT, CLIENTS
# (more than COUNT) and ROUNDS are how many; STEPS=yes prints the steps, too.
# BIN is the runners' folder.
#
# The tables are those of Kea's create scripts: "stats" with their triggers,
# which count leases, "plain" without them.  "own" is ubench on the tables that
# it makes itself, with -S kea, beside Kea on "plain".  Client and server share
# one processor: see mysql.sh.  On a busy machine take what root may do:
#     chrt -f 1 ubench/tests/perf/kea.sh
set -eu

if [ -z "${UBENCH_PERF_PINNED:-}" ] && command -v taskset >/dev/null; then
    all=$(taskset -pc $$)
    export UBENCH_PERF_PINNED=yes
    exec taskset -c "${all##*[ ,-]}" "$0" "$@"
fi

top=$(cd "$(dirname "$0")/../../.." && pwd)
BIN=$(cd "${BIN:-$top}" && pwd)
scripts=/usr/share/kea/scripts
count=${COUNT:-500}
clients=${CLIENTS:-600}
rounds=${ROUNDS:-9}

if ! [ -x "$BIN/kea_ubench" ]; then
    echo "skip: no kea_ubench; it needs kea-dev, libboost-dev and g++"
    exit 0
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/ubench-perf.XXXXXX")
# The servers' users are others.
chmod 755 "$work"
export UBENCH_SERVERS="$work/servers"
finish() {
    "$top/scripts/servers.sh" stop >/dev/null 2>&1 || :
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$work"

how='times'
[ "${STEPS:-}" != yes ] || how=steps
ratios() {
    python3 "$top/ubench/tests/perf/ratios.py" "$@"
}

# side SIDE TABLES EXCHANGE RUNNER OPTION...: notes the medians that a runner
# measures; Kea's on "plain" stand beside those of ubench's own tables, too.
side() {
    side=$1 tables=$2 exchange=$3 runner=$4
    shift 4
    own=''
    [ "$side-$tables" != kea-plain ] || own=own
    # shellcheck disable=SC2086 # an option or none
    "$BIN/$runner" -w "${exchange% -6}" -n "$count" --preload "$clients" --json \
        $family "$@" | ratios $how figures "$side" 0.85..1.15 "" \
        "of $exchange, $tables" ${own:+"of $exchange, own"}
}

# each_exchange FUNCTION: calls it for each, in each round.
each_exchange() {
    for round in $(seq "$rounds"); do
        for exchange in ${EXCHANGES:-dora renew release-delete}; do
            lease=lease4 family=''
            "$1" "$exchange"
        done
        for exchange in ${EXCHANGES6:-sarr renew release-delete}; do
            lease=lease6 family=-6
            "$1" "$exchange -6"
        done
    done
}

# pair STORE TABLES EXCHANGE: both sides, in turn the one first and the other.
pair() {
    if [ $((round % 2)) -eq 0 ]; then
        "$1_ours" "$2" "$3"
        "$1_theirs" "$2" "$3"
    else
        "$1_theirs" "$2" "$3"
        "$1_ours" "$2" "$3"
    fi
}

memfile_ours() {
    rm -f ours.csv
    side ours "$1" "$2" memfile_ubench -s no -o format=kea -f ours.csv
}

memfile_theirs() {
    rm -f kea.csv*
    side kea "$1" "$2" kea_ubench -s no -f kea.csv
}

memfile_pairs() {
    pair memfile memory "$1"
}

memfile_store() {
    each_exchange memfile_pairs
    echo "memfile, one write per change"
    ratios show figures
}

mysql_admin() {
    mysql --defaults-extra-file="$UBENCH_MYSQL_ADMIN_FILE" "$@"
}

mysql_ours() {
    mysql_admin "$1" -e "TRUNCATE $lease"
    side ours "$1" "$2" mysql_ubench -f "$1" -S kea -s server
}

mysql_theirs() {
    mysql_admin "$1" -e "TRUNCATE $lease"
    side kea "$1" "$2" kea_ubench -o type=mysql -s server -f "$1" \
        -m "$UBENCH_MYSQL_SOCKET" -u "$UBENCH_MYSQL_USER" \
        -p "$UBENCH_MYSQL_PASSWORD"
}

mysql_pairs() {
    pair mysql stats "$1"
    pair mysql plain "$1"
    side ours own "$1" mysql_ubench -S kea -s server
}

mysql_store() {
    "$top/scripts/servers.sh" start mysql
    eval "$("$top/scripts/servers.sh" env mysql)"
    # A socket for both.
    export UBENCH_MYSQL_HOST="$UBENCH_MYSQL_SOCKET"
    mysql_admin -e "GRANT ALL ON *.* TO '$UBENCH_MYSQL_USER'@'%'"
    for tables in stats plain; do
        mysql_admin -e "CREATE DATABASE $tables"
        mysql_admin "$tables" <$scripts/mysql/dhcpdb_create.mysql >/dev/null
        mysql_admin "$tables" -e "CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
    done
    for table in lease4 lease6; do
        for event in AINS AUPD ADEL; do
            mysql_admin plain -e "DROP TRIGGER ${table}_$event"
        done
    done
    for flush in ${FLUSH:-1 2}; do
        mysql_admin -e "SET GLOBAL innodb_flush_log_at_trx_commit = $flush"
        each_exchange mysql_pairs
        echo "MariaDB, innodb_flush_log_at_trx_commit=$flush"
        ratios show figures
    done
}

pgsql_admin() (
    unset PGPASSWORD
    psql -qX -v ON_ERROR_STOP=1 "$UBENCH_PGSQL_ADMIN" "$@"
)

pgsql_run() { # DATABASE
    psql -qX -v ON_ERROR_STOP=1 "$@"
}

pgsql_ours() {
    pgsql_run "$1" -c "TRUNCATE $lease"
    side ours "$1" "$2" pgsql_ubench -f "$1" -S kea -s server
}

pgsql_theirs() {
    pgsql_run "$1" -c "TRUNCATE $lease"
    side kea "$1" "$2" kea_ubench -o type=postgresql -s server -f "$1" \
        -m "$PGHOST" -P "$PGPORT" -u "$PGUSER" -p "$PGPASSWORD"
}

pgsql_pairs() {
    pair pgsql stats "$1"
    pair pgsql plain "$1"
    side ours own "$1" pgsql_ubench -S kea -s server
}

pgsql_store() {
    "$top/scripts/servers.sh" start pgsql
    eval "$("$top/scripts/servers.sh" env pgsql)"
    export UBENCH_PGSQL_HOST="$UBENCH_PGSQL_SOCKET"
    export PGHOST="$UBENCH_PGSQL_SOCKET" PGPORT="${UBENCH_PGSQL_PORT:?}"
    export PGUSER="$UBENCH_PGSQL_USER" PGPASSWORD="$UBENCH_PGSQL_PASSWORD"
    for tables in stats plain; do
        pgsql_admin -c "CREATE DATABASE $tables OWNER $PGUSER"
        pgsql_run "$tables" -f $scripts/pgsql/dhcpdb_create.pgsql >/dev/null 2>&1
        pgsql_run "$tables" -c "CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
    done
    for table in lease4 lease6; do
        for event in ains aupd adel; do
            pgsql_run plain -c "DROP TRIGGER ${table}_$event ON $table"
        done
    done
    for sync in ${SYNC:-on off}; do
        export PGOPTIONS="-c synchronous_commit=$sync"
        each_exchange pgsql_pairs
        echo "PostgreSQL, synchronous_commit=$sync"
        ratios show figures
    done
}

echo "$count exchanges, $clients clients before: medians of $rounds interleaved rounds"
for store in "${@:-memfile mysql pgsql}"; do
    for name in $store; do
        "${name}_store"
    done
done
