#!/bin/sh
# SPDX-License-Identifier: ISC
# sql-pgsql.sh [--update]: the SQL texts of pgsql_ubench, on a server of its own; see
# sql.sh and lib.sh.
. "$(dirname "$0")/sql.sh"
fresh() {
    pgsql_sql 'DROP OWNED BY ubench'
}
more_settings() {
    run -n 1 -o work_mem=8MB -o enable_seqscan=off
    run -n 1 -o no_such_variable=1
    pgsql_sql 'CREATE TABLE strange (i INT)'
    run -n 1
    pgsql_sql 'DROP TABLE ubench_marker'
    run -n 1
}
! need_server pgsql || try_store yes no server bounded power-safe
summary
