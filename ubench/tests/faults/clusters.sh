#!/bin/sh
# SPDX-License-Identifier: ISC
# clusters.sh: PostgreSQL with a standby, MariaDB's Galera of three nodes, or a group of
# MySQL, by scripts/servers: each takes leases, says what it is, and leaves nothing
# behind after stop, ^C and a crash; so does the link between nodes.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

memory=$(mktemp -d -p /dev/shm) || exit 1 # no lost node takes a ledger there
clean_up() { rm -rf "$memory"; }

# left: folders and processes of members but the first.
left() {
    for folder in "$UBENCH_SERVERS"/*[0-9]; do
        [ ! -e "$folder" ] || echo "$folder"
    done
    pgrep -f -- "$UBENCH_SERVERS/"
    [ -z "${network:-}" ] || pgrep -f -- "--network $network"
    [ -z "${network:-}" ] || ip -4 route show to root "$network.0/24"
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
    "spread_$store"
    "seen_$store" "$members"
    "$servers" stop "$store"
    check "$store: nothing is left after stop" "$(left)" ""
    "$servers" start "$store" >"$work/log" 2>&1
    "$servers" start "$store" "$@" >"$work/log" 2>&1
    check "$store: a single one runs already" "$? $(grep -c 'runs already' "$work/log")" "1 1"
    "$servers" stop "$store"
    for file in pid pid pid lock; do # on a fast machine it may be up already
        env --default-signal=INT "$servers" start "$store" "$@" >"$work/log" 2>&1 &
        await test -e "$UBENCH_SERVERS/${store}2/$file"
        kill -INT $! 2>/dev/null
        wait $! || break
        "$servers" stop "$store"
    done
    check "$store: nothing is left after ^C" "$(left)" ""
    [ "$(id -u)" -eq 0 ] || return 0
    chown root "$UBENCH_SERVERS/$store/data"
    "$servers" start "$store" >"$work/log" 2>&1
    check "$store: data of another user" "$? $(grep -c 'belongs to root' "$work/log")" "1 1"
}

# The counts of all phases, and the sessions of each endpoint.
conflicts() {
    get 'sum(phase.get("conflicts", 0) for phase in r["runs"][0]["phases"])' "$work/out"
}
sessions() {
    get 'r["facts"]["endpoints"]' "$work/out" | grep -o 'sessions [0-9]*' | tr -dc '0-9\n' | xargs
}

# spread_STORE: sessions on all nodes, and what becomes of them.
spread_mysql() {
    nodes=127.0.0.1:$UBENCH_MYSQL_PORT,127.0.0.1:$UBENCH_MYSQL2_PORT,127.0.0.1:$UBENCH_MYSQL3_PORT
    try -n 200 -v no
    digest=$(grep -o 'digest *[0-9a-f]*' "$work/out")
    for options in '-t 4' '-t 4 -b 7' "-t 4 -o $waits"; do
        # shellcheck disable=SC2086 # options
        try -m "$nodes" -n 200 $options -v no
        check "mysql: three nodes, $options" "$status $(grep -o 'digest *[0-9a-f]*' "$work/out")" \
            "0 $digest"
    done
    try -m "$nodes" -n 50 -t 4 --json
    check "mysql: sessions go to the nodes in turn" "$(sessions)" \
        '2 1 1'
    check "mysql: another node has it" "$(get 'r["durability"]["node_loss"]["loss"]' "$work/out")" nothing
    try -m "$nodes" -n 20 -t 3 -w steady --preload 50 --json
    expect "mysql: exchanges on three nodes" 0 ""
    try -m "$nodes" -n 50 -s no
    expect "mysql: nothing is set on several" 1 "set it on each of them"
    # Exported credentials of the cluster are not used for a list with another server.
    export UBENCH_USER="$UBENCH_MYSQL_USER" UBENCH_PASSWORD="$UBENCH_MYSQL_PASSWORD"
    try -m "127.0.0.1:1,$nodes" -n 50 -t 4 --json
    check "mysql: a node that is not there" "$(sessions)" \
        '0 2 1 1'
    unset UBENCH_USER UBENCH_PASSWORD
    try -m "$nodes" -n 50 -t 3 -p wrong
    expect "mysql: an error names the node" 1 "127.0.0.1, port $UBENCH_MYSQL_PORT"
}
spread_pgsql() {
    nodes=127.0.0.1:$UBENCH_PGSQL2_PORT,127.0.0.1:$UBENCH_PGSQL_PORT
    try -m "$nodes" -n 50 -t 2 -o synchronous_commit=remote_apply --json
    check "pgsql: a standby takes no session" "$(sessions)" '0 2'
    check "pgsql: the setting" \
        "$(get 'r["facts"]["synchronous_commit"]' "$work/out" | cut -d " " -f 1)" remote_apply
    # Transactions that read what others change, until two have met.
    met=0 tries=0
    while [ "$met" = 0 ] && [ "$tries" -lt 20 ]; do
        tries=$((tries + 1))
        try -m "$nodes" -n 1000 -t 8 -b 10 --json \
            -o default_transaction_isolation=serializable -o synchronous_commit=local
        met=$(conflicts)
    done
    expect "pgsql: with conflicts" 0 ""
    check "pgsql: conflicts are counted" "$([ "$met" -gt 0 ] && echo yes)" yes
    check "pgsql: and not done" \
        "$(get '[phase["operations"] for phase in r["runs"][0]["phases"]]' "$work/out")" '[1000,1000,1000,1000]'
}

# newest_STORE: the highest address that a node has that will not be lost.
newest_mysql() { mysql_sql 'SELECT COALESCE(MAX(address), 0) FROM ubench.lease4' 2>&1; }
newest_pgsql() {
    psql -XqAt -d "$UBENCH_PGSQL2_ADMIN dbname=ubench" \
        -c 'SELECT COALESCE(MAX(address), 0) FROM lease4' 2>&1
}
grown() { [ "$("newest_$store")" -gt "$newest" ]; }

# lose_STORE: the node that is written to.
lose_mysql() { kill -9 "$UBENCH_MYSQL2_PID" || tail -n 40 "$UBENCH_SERVERS/mysql2/log"; }
lose_pgsql() {
    kill -9 "$UBENCH_PGSQL_PID"
    psql -Xq -d "$UBENCH_PGSQL2_ADMIN" -c 'SELECT pg_promote()' >/dev/null
}

# fail_over NODE...: the first is lost, and the run goes on with another; the ledger
# says what that has of what was acknowledged.
fail_over() {
    nodes=$(echo "$@" | tr ' ' ,)
    newest=16777316 # 1.0.0.100
    begin -m "$nodes" -n 1M --pace 500 -w churn --preload 60 --json \
        --reconnect 5m --ledger "$memory/ledger"
    await grown
    "lose_$store"
    newest=$(($("newest_$store") + 50)) # more than was on its way
    await grown
    kill -INT "$pid"
    land
    check "$store: it is a failover" "$status $(get \
        '(lambda o: [o["outages"] > 0, o["outages"] == o["ended"]])(r["runs"][0]["reconnect"])' \
        "$work/out")" '130 [true,true]'
    check "$store: now another node may not have it" \
        "$(get 'r["durability"]["node_loss"]["loss"]' "$work/out")" unknown
    "$runner" -m "$nodes" --verify "$memory/ledger" >"$work/verdict" 2>&1
    check "$store: what was acknowledged is there" "$?" 0
}

# seen_STORE MEMBERS: what the servers say of it.
seen_mysql() {
    check "mysql: all nodes are one cluster" "$(mysql_sql "$size" | cut -f 2)" "$1"
    fail_over "127.0.0.1:$UBENCH_MYSQL2_PORT" "127.0.0.1:$UBENCH_MYSQL3_PORT" \
        "127.0.0.1:$UBENCH_MYSQL_PORT"
}
seen_pgsql() {
    check "pgsql: a commit waits for the standby" "$(pgsql_sql \
        'SELECT sync_state FROM pg_stat_replication')" sync
    fail_over "127.0.0.1:$UBENCH_PGSQL_PORT" "127.0.0.1:$UBENCH_PGSQL2_PORT"
}

# milliseconds EXPRESSION: of the last run, rounded down.
milliseconds() { get "int($1) // 1000000" "$work/out"; }

# at_least NAME GOT WANTED
at_least() { check "$1" "$([ "$2" -ge "$3" ] && echo yes || echo "$2")" yes; }

# linked: nodes in namespaces, with a link that delays and loses.
linked() {
    store=pgsql runner=$bin/pgsql_ubench
    if ! "$servers" start pgsql --standbys 1 --delay 20ms >"$work/log" 2>&1; then
        why=$(tail -n 1 "$work/log")
        if grep -qE 'ermi|No such|not found' "$work/log"; then
            echo "left out: a link, which this machine does not allow: $why"
        else
            not_ok "link" "$why"
        fi
        return
    fi
    eval "$("$servers" env pgsql)"
    network=${UBENCH_PGSQL_HOST%.*}
    check "link: each node has an address" \
        "$UBENCH_PGSQL_HOST $UBENCH_PGSQL2_HOST" "$network.1 $network.2"
    try -n 5 --json
    at_least "link: a round trip" "$(milliseconds 'r["baselines"]["round_trip_ns"]')" 40
    at_least "link: a commit that waits for the standby" \
        "$(milliseconds 'r["runs"][0]["phases"][0]["latency"]["min_ns"]')" 80
    try -n 5 --json -m "$UBENCH_PGSQL_SOCKET" -P "$UBENCH_PGSQL_PORT" -o synchronous_commit=remote_write
    at_least "link: and one of a client beside the server" \
        "$(milliseconds 'r["runs"][0]["phases"][0]["latency"]["min_ns"]')" 40
    "$servers" start pgsql --delay 1ms >"$work/log" 2>&1
    check "link: it runs already" "$? $(grep -c 'runs already' "$work/log")" "1 1"
    try -n 5
    expect "link: and goes on" 0 ""
    kill -9 "$(cat "$UBENCH_SERVERS/pgsql/link_pid")"
    "$servers" stop pgsql
    check "link: nothing is left after it was killed" "$(left)" ""
    "$servers" start pgsql --loss 100%
    eval "$("$servers" env pgsql)"
    network=${UBENCH_PGSQL_HOST%.*}
    try --connect-timeout 1
    expect "link: all is lost" 1 ""
    try -m "$UBENCH_PGSQL_SOCKET" -P "$UBENCH_PGSQL_PORT"
    expect "link: but not what does not cross it" 0 ""
    "$servers" stop pgsql
    check "link: nothing is left after stop" "$(left)" ""
    for file in link_pid network pid; do
        setsid "$servers" start pgsql --delay 1ms >"$work/log" 2>&1 &
        await test -e "$UBENCH_SERVERS/pgsql/$file"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        network=$(cat "$UBENCH_SERVERS/pgsql/network" 2>/dev/null)
        "$servers" stop pgsql
        check "link: nothing is left after kill -9 ($file) and stop" "$(left)" ""
    done
    for options in '--delay 1' '--delay 1h' '--loss 101%' --delay; do
        # shellcheck disable=SC2086 # options
        "$servers" start pgsql $options >"$work/log" 2>&1
        check "link: $options" "$?" 2
    done
    network=
}

if [ -x "$bin/pgsql_ubench" ]; then
    linked
    cluster pgsql 2 --standbys 1
else
    skip pgsql "it is not built"
fi
# Settings that make answers wait for other nodes, and the number of nodes.
if [ ! -x "$bin/mysql_ubench" ]; then
    skip mysql "it is not built"
elif expr "${UBENCH_MYSQLD:-$(command -v mariadbd || command -v mysqld)}" : \
    '.*mariadbd' >/dev/null; then
    waits=wsrep_sync_wait=7 size="SHOW STATUS LIKE 'wsrep_cluster_size'"
    cluster mysql 3 --nodes 3
else
    waits=group_replication_consistency=BEFORE_AND_AFTER
    size="SELECT COUNT(*) FROM performance_schema.replication_group_members
        WHERE member_state = 'ONLINE'"
    cluster mysql 3 --group 3 -- --group-replication-single-primary-mode=OFF \
        --group-replication-enforce-update-everywhere-checks=ON
fi
summary
