# shellcheck shell=sh disable=SC2034,SC2154 # variables of the including scripts
# SPDX-License-Identifier: ISC
# Shared by the scripts of faults/ for PostgreSQL; it reads cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

sql() {
    pgsql_sql "$@"
}

none_left() {
    left=$(sql "SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'ubench'")
    [ "$left" = 0 ]
}

before_launch() {
    await none_left # one may still have a lease to write
    sql 'TRUNCATE lease4' >/dev/null 2>&1
}

works() {
    [ "$(sql 'SELECT EXISTS (SELECT FROM lease4)' 2>&1)" = t ]
}
