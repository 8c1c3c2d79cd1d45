#!/bin/sh
# SPDX-License-Identifier: ISC
# candidates.sh: --sql on servers: the store's own statements as a file change nothing, functions
# and procedures take their place, what a run creates is gone when it ends or is interrupted, and
# a wrong answer ends it.  What needs no server: cli/test_statement_files.py.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
examples=$top/docs/sql
sql=$work/given.sql

mark() { # NUMBER
    [ "$store" = mysql ] && echo '?' || echo "\$$1"
}

on() {
    [ "$store" = mysql ] && echo ' ON lease4'
}

# index NAME...: sections that create indexes of these names; only the first is dropped.
index() {
    printf 'teardown:\n DROP INDEX %s%s\n' "$1" "$(on)"
    for name; do
        printf 'setup:\n CREATE INDEX %s ON lease4 (hostname)\n' "$name"
    done
}

# objects: how many of those that files here create are there.
objects() {
    names="('ubench_1', 'ubench_2', 'ubench_find', 'ubench_remove')"
    case $store in
    mysql) mysql_sql "SELECT COUNT(*) FROM (SELECT routine_name FROM information_schema.routines
        WHERE routine_schema = 'ubench' AND routine_name IN $names UNION ALL
        SELECT index_name FROM information_schema.statistics
        WHERE table_schema = 'ubench' AND index_name IN $names) o" ;;
    pgsql) pgsql_sql "SELECT (SELECT count(*) FROM pg_proc WHERE proname IN $names)
        + (SELECT count(*) FROM pg_class WHERE relname IN $names)" ;;
    esac
}

# digest: of the last run.
digest() {
    sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' "$work/out"
}

check_same() { # OPTION...
    try -s no "$@"
    own=$(digest)
    "$runner" "$@" --print-sql >"$sql"
    try -s no "$@" --sql "$sql"
    expect "$store $*: its own statements" 0 ''
    check "$store $*: the digest" "$(digest)" "$own"
}

check_example() { # FILE OPTION...
    file=$1
    shift
    for compiled in yes no; do
        try -s no -S kea -c $compiled "$@" --sql "$examples/$file"
        expect "$store: $file $* -c $compiled" 0 ''
    done
    check "$store: what $file created is gone" "$(objects)" 0
}

# refused NAME STATUS PATTERN OPTION...: of the file in $sql, and nothing is left.
refused() {
    name="$store: $1" wanted=$2 pattern=$3
    shift 3
    try -s no "$@" --sql "$sql"
    expect "$name" "$wanted" "$pattern"
    check "$name: nothing is left" "$(objects)" 0
}

check_refusals() {
    columns='address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
        hostname, state, pool_id'
    one=$(mark 1)
    lookup="find_by_address:
        SELECT $columns FROM lease4 WHERE"
    echo "$lookup address >= $one ORDER BY address DESC LIMIT 1" >"$sql"
    refused 'a wrong lookup' 3 'wrong answer: searching'
    refused 'a wrong lookup as text' 3 'wrong answer: searching' -c no
    echo "$lookup addr = $one" >"$sql"
    refused 'an unknown column' 2 "--sql: $sql:2: find_by_address: .*addr"
    echo "$lookup address = $one" | sed 's/SELECT address, hwaddr/SELECT hwaddr, address/' >"$sql"
    refused 'columns of other types' 2 'column 1 \(address\) is .*; expected an integer'
    { index ubench_1 && echo "remove:" && echo "DELETE FROM lease5 WHERE address = $one
        AND expire = $(mark 2)"; } >"$sql"
    refused 'an unknown table' 2 "--sql: $sql:6: remove: .*lease5"
    index ubench_1 | sed 's/hostname/host_name/' >"$sql"
    refused 'a wrong setup' 2 "--sql: $sql:4: setup: .*host_name"
    index ubench_1 | sed 's/hostname)/hostname); DELETE FROM lease4/' >"$sql"
    refused 'a setup of two statements' 2 "--sql: $sql:4: setup: "
    if [ "$store" = pgsql ]; then
        echo "$lookup address = \$1::int" >"$sql"
        refused 'a parameter of another type' 2 'parameter 1 \(address\) is integer; expected bigint'
    fi
}

# Interrupted: what was created goes; left by teardown: it is named.
check_ends() {
    index ubench_1 >"$sql"
    for signal in INT TERM; do
        begin -n 10M -v no -s no --sql "$sql"
        await has_index
        kill -"$signal" "$pid"
        wait "$pid"
        check "$store: after SIG$signal" "$(objects)" 0
    done
    index ubench_1 ubench_2 >"$sql"
    try -s no --sql "$sql"
    expect "$store: a short teardown" 1 "teardown left index .*ubench_2: drop it by hand"
    "${store}_sql" "DROP INDEX ubench_2$(on)" ubench
}

has_index() {
    [ "$(objects)" -gt 0 ]
}

for kind in mysql pgsql; do
    need_server "$kind" || continue
    check_same
    check_same -c no -b 7
    check_same -6 -S kea
    check_same -6 -S kea -c no
    check_same -w dora --hosts 20
    check_refusals
    check_ends
    if [ "$kind" = mysql ]; then
        check_example mysql-procedure.sql
        check_example mysql-procedure.sql -w dora
    else
        check_example pgsql-function.sql
        check_example pgsql-function.sql -w reclaim -n 20
    fi
    stop_server
done
summary
