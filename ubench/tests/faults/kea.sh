#!/bin/sh
# SPDX-License-Identifier: ISC
# kea.sh: Kea's lease managers on real servers of their own, with the tables of Kea's
# own scripts: the conformance suite, the exchanges, and what is refused.  See
# cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
suite=${HELPERS:-$bin/tests}/conformance_kea

# to_kea TYPE: what the runner, which finds that server as others do, and the suite are
# told, and the server's database kea.
to_kea() {
    export UBENCH_KEA_SET="type=$1"
    runner=$bin/kea_ubench type=$1
    "$servers" kea "$store"
    store=kea
}

# sql STATEMENT: in the database kea, as its owner.
sql_mysql() {
    mysql_sql "$1" kea
}

sql_postgresql() {
    PGPASSWORD=$password psql -XqAt -h "$host" -p "$port" -U ubench -d kea -c "$1"
}

# says_no_tables NAME: of tables only who has seen the database can speak.
says_no_tables() {
    check "$type: $1: nothing is said of tables" "$(grep -c kea-admin "$work/err")" 0
}

refused() {
    try -o "type=$type" -f nowhere
    expect "$type: no database" 1 "nowhere"
    says_no_tables "no database"
    try -o "type=$type" -f kea -p wrong
    expect "$type: a wrong password" 1 "(Access denied|password authentication failed)"
    says_no_tables "a wrong password"
    "sql_$type" "ALTER TABLE ubench_marker RENAME TO not_ubench"
    try -o "type=$type"
    expect "$type: tables of Kea without a mark" 1 \
        "and no table .*ubench_marker"
    "sql_$type" "ALTER TABLE not_ubench RENAME TO ubench_marker"
    try -o "type=$type" -f kea -P 1 -m 127.0.0.1
    expect "$type: no server at that port" 1 "port 1"
    try -o "type=$type" -f ubench
    expect "$type: tables that are not Kea's" 1 "kea-admin db-init"
}

# Notices of the server while Kea connects are not for a terminal.
talkative() {
    pgsql_sql "ALTER ROLE ubench SET default_tablespace = E'\\x1b[31mred'" \
        2>"$work/log"
    try -o "type=$type" -f kea -s no
    expect "$type: a server that talks" 0 ""
    check "$type: nothing of it is printed" "$(cat -v "$work/err")" ""
    pgsql_sql 'ALTER ROLE ubench RESET ALL'
}

# addressed HOST...: what --host takes; a port in it wins over --port.
addressed() {
    for address; do
        try -o "type=$type" -f kea -s no -m "$address" -P 1
        expect "$type: -m $address" 0 ""
    done
    try -o "type=$type" -f kea -s no -m "$socket" -P "$port"
    expect "$type: -m $socket" 0 ""
}

conforms() {
    UBENCH_KEA_HOST=$host UBENCH_KEA_PORT=$port UBENCH_KEA_USER=ubench \
        UBENCH_KEA_PASSWORD=$password UBENCH_KEA_DATABASE=kea "$suite" >"$work/log" 2>&1
    status=$?
    check "$type: the conformance suite" "$status, $(grep '^ERROR: ' "$work/log")" "0, "
}

# digest PROGRAM OPTION...: what it did, or its error.
digest() {
    program=$1
    shift
    "$bin/$program" -v no --preload=300 "$@" 2>&1 |
        sed -n 's/^digest *\([0-9a-f]*\).*/\1/p; s/.*_ubench: //p'
}

same_work() {
    for run in '-w dora' '-w renew' '-w release-delete' '-w decline' \
        '-w renew=90,dora=5,release-delete=2,reclaim=3' "-w @$top/docs/exchanges/ipam.txt" \
        '-w phases' '-6 -w sarr' '-6 -w renew' '-6 -w decline' '-6 -w phases'; do
        # shellcheck disable=SC2086 # words
        check "$type: $run" \
            "$(digest kea_ubench -o "type=$type" -f kea -s no -n 40 -t 3 $run)" \
            "$(digest null_ubench -n 40 -t 3 $run)"
    done
}

# durability LEVEL WORDS: a run at that level is of the class that the words say, and
# a machine that never comes back takes it all.
durability() {
    runner_says=$("$runner" -o "type=$type" -f kea -n 20 -s "$1" --json |
        get '"%(class)s: %(from)s %(node_loss)s" % r["durability"]')
    case $runner_says in
    *"$2"*" {'loss': 'unbounded'}") ok "$type: --sync=$1" ;;
    *) not_ok "$type: --sync=$1" "no '$2' in: $runner_says" ;;
    esac
}

# The server's autovacuum is off, and it counts what a connection of Kea's did but once a
# second.
planned() {
    PGOPTIONS='-c enable_indexscan=off -c enable_bitmapscan=off' \
        try -o "type=$type" -f kea -s no -w renew --preload 3000 -n 4000 --json
    check "$type: tables are scanned" "$(get '[one["code"] for one in r["warnings"]
        if one["code"] == "table-scanned"]' "$work/out")" '["table-scanned"]'
    check "$type: the table is analyzed" \
        "$(sql_postgresql "SELECT reltuples FROM pg_class WHERE relname = 'lease4'")" 3000
}

if [ ! -x "$bin/kea_ubench" ]; then
    skip "Kea's managers" "$bin/kea_ubench is not built"
elif ! command -v kea-admin >/dev/null; then
    skip "Kea's managers" "there is no kea-admin"
else
    if need_server mysql; then
        to_kea mysql
        refused
        addressed "$host:$port" "localhost:$port" "[$host]:$port" "$(dirname "$socket")"
        conforms
        same_work
        flush='SELECT @@GLOBAL.innodb_flush_log_at_trx_commit'
        before=$(mysql_sql "$flush")
        durability yes "innodb_flush_log_at_trx_commit=1"
        durability no "innodb_flush_log_at_trx_commit=2"
        try -o "type=$type" -f kea -s no -w renew --preload 300 --json
        check "mysql: indexes are used" \
            "$(facts | grep -c '^index use=Handler_read_key [6-9]..')" 1
        check "mysql: the setting is as it was" "$(mysql_sql "$flush")" "$before"
    fi
    if need_server pgsql -- -c autovacuum=off; then
        to_kea postgresql
        refused
        addressed "$host:$port" "[$host]:$port" "$socket/.s.PGSQL.$port"
        conforms
        same_work
        durability yes "synchronous_commit=on"
        durability no "volatile: synchronous_commit=off"
        planned
        talkative
    fi
fi
summary
