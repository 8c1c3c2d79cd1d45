#!/bin/sh
# SPDX-License-Identifier: ISC
# pgsql-settings.sh: the settings of a PostgreSQL server: that they are set, are read back, and
# what class they make, with standbys, too.  The server is its own.
. "$(dirname "$0")/../lib/pgsql_cases.sh"

settings() {
    try -o nosuch=1
    expect "--set: no such setting" 2 "nosuch=1: the server has no setting"
    try -o any.thing=1
    expect "--set: no such setting with a dot" 2 "any.thing=1: the server has"
    try -o work_mem=lots
    expect "--set: not a value" 2 "invalid value for parameter .*\(22023\)"
    try -o shared_buffers=1GB
    expect "--set: needs a restart" 2 "cannot be changed without.*\(55P02\)"
    try -o fsync=off
    expect "--set: not for a session" 2 "cannot be changed now \(55P02\)"
    try -o log_duration=on
    expect "--set: not for this user" 2 "permission denied.*\(42501\)"
    try -o DateStyle=German
    expect "--set: what ubench needs" 2 "DateStyle is reserved"
    try -o unlogged=perhaps
    expect "--set: unlogged" 2 "unlogged=perhaps"
}

# The server was started with max_connections=10, and with folders and a port of
# its own.
changed() {
    rm -f "$work/changed.json"
    try -O "$work/changed.json"
    expect "the server's changed settings" 0 ""
    facts=$(sed -n 's/.*"facts": *{\([^}]*\)}.*/\1/p' "$work/changed.json")
    check "a changed setting is told" \
        "$(echo "$facts" | grep -cE '"max_connections": *"10"')" 1
    check "no folder, port or time zone is told" "$(echo "$facts" |
        grep -oE '"[^"]*(director|socket|address|port|zone|lc_)[^"]*":|"/|@')" \
        ""
}

# class NAME WANTED OPTION...: the durability class and what it says of it.
class() {
    name=$1 wanted=$2
    shift 2
    class=$(class_of "$@")
    if echo "$class" | grep -qE "^$wanted"; then
        ok "$name"
    else
        not_ok "$name" "$class $(cat "$work/err")"
    fi
}

is_off() {
    [ "$(sql "SHOW $1")" = off ]
}

durability() {
    class "-s yes" "power-safe: synchronous_commit=on"
    class "-s no" "volatile: synchronous_commit=off" -s no
    class "-s yes, but --set" "volatile: synchronous_commit=off" \
        -o synchronous_commit=off
    class "an unlogged table" "volatile: .*lease4 unlogged" -o unlogged=yes
    class "and no longer" "power-safe: .*lease4 permanent"
    for commit in on local remote_write remote_apply; do
        verdict "synchronous_commit=$commit" nothing -o synchronous_commit=$commit
    done
    verdict "synchronous_commit=off" "the last second +" -s no
    verdict "an unlogged table" "any number +" -o unlogged=yes
    sql 'ALTER ROLE ubench SET synchronous_commit = off'
    class "-s server, off" "volatile: synchronous_commit=off" -s server
    sql 'ALTER ROLE ubench RESET synchronous_commit'
    class "-s server" "power-safe: synchronous_commit=on" -s server
    for setting in fsync full_page_writes; do
        sql "ALTER SYSTEM SET $setting = off"
        sql 'SELECT pg_reload_conf()' >/dev/null
        await is_off "$setting"
        class "$setting=off" "process-safe: .*$setting=off.*: a power cut"
        verdict "$setting=off" "any number"
        verdict "$setting=off, -s no" "any number +" -s no
        sql "ALTER SYSTEM RESET $setting"
    done
    launch -s yes
    sql 'ALTER SYSTEM SET fsync = off'
    sql 'SELECT pg_reload_conf()' >/dev/null
    await is_off fsync
    await over
    sql 'ALTER SYSTEM RESET fsync'
    sql 'SELECT pg_reload_conf()' >/dev/null
    land
    expect "the durability was changed meanwhile" 1 \
        "fsync was changed from on to off during the run"
    check "there are no figures" "$(grep -c '^create' "$work/out")" 0
    launch
    sql 'ALTER TABLE lease4 SET UNLOGGED'
    land
    expect "the table was altered meanwhile" 1 \
        "lease4 was changed from permanent to unlogged during the run"
    launch
    for state in UNLOGGED LOGGED; do
        sql "ALTER TABLE lease4 SET $state"
    done
    land
    expect "the table was altered for a moment" 1 \
        "lease4 was (changed from permanent to unlogged|rewritten) during the run"
    launch
    for change in 'SET fsync = off' 'RESET fsync'; do
        sql "ALTER SYSTEM $change"
        sql 'SELECT pg_reload_conf()' >/dev/null
        sleep 0.1
    done
    land
    expect "the durability was changed for a moment" 1 \
        "(fsync was changed|reloaded its configuration during the run)"
}

# A server says something while a connection is made, and changes settings of sessions.
talkative() {
    sql "ALTER ROLE ubench SET default_tablespace = E'\\x1b]0;pwned\\x07\\x1b[31mred';
        ALTER ROLE ubench SET client_min_messages = debug5;
        ALTER ROLE ubench SET quote_all_identifiers = on" 2>"$work/log"
    try
    expect "a server that talks" 0 ""
    check "nothing of it is printed" "$(cat -v "$work/err")" ""
    sql 'ALTER ROLE ubench RESET ALL'
}

# standbys NAME WANTED OPTION...: what a run says of them and of losing the node.
standbys() {
    name=$1 wanted=$2
    shift 2
    try --json "$@"
    loss=$(get 'r["durability"]["node_loss"]["loss"]' "$work/out")
    check "$name" "$(facts | sed -n 's/^standbys=.*/&, /p' | tr -d '\n')node loss: $loss" \
        "$wanted"
}

standby_is_there() {
    [ "$(sql 'SELECT count(*) FROM pg_stat_replication')" = 1 ]
}

# pg_receivewal is a standby as far as acknowledgements go.
synchronous() {
    standbys "no standby" "node loss: unbounded"
    sql "ALTER SYSTEM SET synchronous_standby_names = 'other'"
    sql 'SELECT pg_reload_conf()' >/dev/null
    standbys "a standby that is not there" \
        "standbys=0 connected, 0 synchronous, node loss: unbounded" -s no
    mkdir "$work/wal"
    pg_receivewal --synchronous -D "$work/wal" \
        -d "$UBENCH_PGSQL_ADMIN application_name=other" 2>"$work/receive" &
    receiver=$!
    if ! await standby_is_there; then # each commit would wait for ever
        check "pg_receivewal as a standby" "$(cat "$work/receive")" ""
        sql 'ALTER SYSTEM RESET synchronous_standby_names'
        sql 'SELECT pg_reload_conf()' >/dev/null
        return
    fi
    sql 'GRANT pg_read_all_stats TO ubench'
    standbys "a synchronous standby" \
        "standbys=1 connected, 1 synchronous, node loss: nothing"
    class "its class" "power-safe: .*, each commit waits for a standby"
    standbys "a standby that is not waited for" \
        "standbys=1 connected, 1 synchronous, node loss: unbounded" \
        -o synchronous_commit=local
    standbys "an unlogged table" \
        "standbys=1 connected, 1 synchronous, node loss: unbounded" -o unlogged=yes
    launch
    sql 'ALTER SYSTEM RESET synchronous_standby_names'
    sql 'SELECT pg_reload_conf()' >/dev/null
    land
    expect "commits no longer wait for it" 1 \
        "synchronous_standby_names was changed from other to '' during the run"
    kill "$receiver"
    sql 'REVOKE pg_read_all_stats FROM ubench'
}

need_server pgsql -- -c max_connections=10 -c superuser_reserved_connections=3 \
    -c autovacuum=off || {
    summary
    exit
}
settings
changed
durability
talkative
synchronous
summary
