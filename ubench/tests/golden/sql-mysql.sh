#!/bin/sh
# SPDX-License-Identifier: ISC
# sql-mysql.sh [--update]: the SQL texts of mysql_ubench, on a server of its own; see
# sql.sh and lib.sh.
. "$(dirname "$0")/sql.sh"
fresh() {
    mysql_sql 'DROP DATABASE ubench; CREATE DATABASE ubench'
}
more_settings() {
    run -n 1 -e MyISAM -s server
    run -n 1 -e NoSuchEngine
    run -n 1 -o innodb_io_capacity=300 -o sort_buffer_size=65536
    run -n 1 -o no_such_variable=1
    mysql_sql 'CREATE TABLE ubench.strange (i INT)'
    run -n 1
    mysql_sql 'DROP TABLE ubench.ubench_marker'
    run -n 1
}
# The files are MariaDB's.  MySQL has other defaults, and is asked for its changed settings
# and for its state in other words.
in_golden() { sed -n "s/^ *text  \($1.*\)/\1/p" "$here/sql/mysql-lean.txt"; }
as_golden() {
    sed "s/\t.*'innodb_redo_log_enabled'.*/\t$(in_golden 'SHOW GLOBAL STATUS')/
        s/\t.*performance_schema.variables_info.*/\t$(in_golden \
        'SELECT LOWER(VARIABLE_NAME)')/"
}
! need_server mysql -- --skip-log-bin --innodb-io-capacity=200 ||
    try_store yes no server volatile bounded power-safe
summary
