#!/bin/sh
# SPDX-License-Identifier: ISC
# sql-mysql.sh [--update]: the SQL texts of mysql_ubench, on a server of its own; see
# sql.sh and lib.sh.
. "$(dirname "$0")/sql.sh"
store=mysql
export UBENCH_SERVERS="$work/servers"
clean_up() {
    "$top/scripts/servers.sh" stop mysql
}
sql() {
    mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B -e "$1"
}
fresh() {
    sql 'DROP DATABASE ubench; CREATE DATABASE ubench'
}
more_settings() {
    run -n 1 -e MyISAM -s server
    run -n 1 -e NoSuchEngine
    run -n 1 -o innodb_io_capacity=300 -o sort_buffer_size=65536
    run -n 1 -o no_such_variable=1
    sql 'CREATE TABLE ubench.strange (i INT)'
    run -n 1
    sql 'DROP TABLE ubench.ubench_marker'
    run -n 1
}
if [ ! -x "$bin/mysql_ubench" ]; then
    skip all "mysql_ubench is not built"
elif ! "$top/scripts/servers.sh" start mysql >"$work/log" 2>&1; then
    skip all "$(tail -n 1 "$work/log")"
else
    eval "$("$top/scripts/servers.sh" env mysql)"
    try_store yes no server volatile bounded power-safe
fi
summary
