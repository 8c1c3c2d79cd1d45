#!/bin/sh
# SPDX-License-Identifier: ISC
# sql-pgsql.sh [--update]: the SQL texts of pgsql_ubench, on a server of its own; see
# sql.sh and lib.sh.
. "$(dirname "$0")/sql.sh"
store=pgsql
export UBENCH_SERVERS="$work/servers"
clean_up() {
    "$top/scripts/servers.sh" stop pgsql
}
sql() {
    psql -XqAt -v ON_ERROR_STOP=1 -d "$UBENCH_PGSQL_ADMIN dbname=ubench" -c "$1"
}
fresh() {
    sql 'DROP OWNED BY ubench'
}
more_settings() {
    run -n 1 -o work_mem=8MB -o enable_seqscan=off
    run -n 1 -o no_such_variable=1
    sql 'CREATE TABLE strange (i INT)'
    run -n 1
    sql 'DROP TABLE ubench_marker'
    run -n 1
}
if [ ! -x "$bin/pgsql_ubench" ]; then
    skip all "pgsql_ubench is not built"
elif ! "$top/scripts/servers.sh" start pgsql >"$work/log" 2>&1; then
    skip all "$(tail -n 1 "$work/log")"
else
    eval "$("$top/scripts/servers.sh" env pgsql)"
    try_store yes no server bounded power-safe
fi
summary
