#!/bin/sh
# SPDX-License-Identifier: ISC
# clusters.sh: PostgreSQL with a standby, and MariaDB's Galera of three nodes, by
# scripts/servers.sh: each takes leases, says what it is, and leaves nothing behind
# after stop, ^C and a crash.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# left: folders and processes of members but the first.
left() {
    for folder in "$UBENCH_SERVERS"/*[0-9]; do
        [ ! -e "$folder" ] || echo "$folder"
    done
    pgrep -f -- "$UBENCH_SERVERS/"
}

# cluster STORE MEMBERS OPTION...: it runs, stops and leaves nothing.
cluster() {
    store=$1 members=$2 runner=$bin/$1_ubench
    shift 2
    if ! "$servers" start "$store" "$@" >"$work/log" 2>&1; then
        skip "$store $*" "$(tail -n 1 "$work/log")"
        return
    fi
    check "$store: status" \
        "$("$servers" status "$store" | grep -c ': running')" "$members"
    eval "$("$servers" env "$store")"
    check "$store: env" \
        "$("$servers" env "$store" | grep -c '_PORT=')" "$members"
    try --json
    expect "$store: a run" 0 ""
    "seen_$store" "$members"
    "$servers" stop "$store"
    check "$store: nothing is left after stop" "$(left)" ""
    for file in pid pid pid lock; do # on a fast machine it may be up already
        env --default-signal=INT "$servers" start "$store" "$@" >"$work/log" 2>&1 &
        background="$background $!"
        await test -e "$UBENCH_SERVERS/${store}2/$file"
        kill -INT $! 2>/dev/null
        wait $! || break
        "$servers" stop "$store"
    done
    check "$store: nothing is left after ^C" "$(left)" ""
}

# seen_STORE MEMBERS: what the servers say of it.
seen_mysql() {
    check "mysql: all nodes are one cluster" "$(mysql_sql \
        "SHOW STATUS LIKE 'wsrep_cluster_size'" | cut -f 2)" "$1"
    kill -9 "$UBENCH_MYSQL2_PID" # stop takes care of it
}
seen_pgsql() {
    check "pgsql: a commit waits for the standby" "$(pgsql_sql \
        'SELECT sync_state FROM pg_stat_replication')" sync
    kill -9 "$UBENCH_PGSQL2_PID"
}

if [ -x "$bin/pgsql_ubench" ]; then
    cluster pgsql 2 --standbys 1
else
    skip pgsql "it is not built"
fi
if [ -x "$bin/mysql_ubench" ]; then
    cluster mysql 3 --nodes 3
else
    skip mysql "it is not built"
fi
summary
