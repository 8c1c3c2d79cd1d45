#!/bin/sh
# SPDX-License-Identifier: ISC
# mysql-settings.sh: the settings of a MySQL or MariaDB server: that they are set, are
# read back, come back whatever ends a run, and what class and kind of server they
# make.  Servers are its own.
. "$(dirname "$0")/../lib/mysql_cases.sh"

# --- Settings ---

settings() {
    try -u ubench_plain -s no
    expect "no privilege for a global setting: three ways out" 1 \
        "GRANT $right ON .* TO 'ubench_plain'@'%'.*--sync server.*--engine"
    try -u ubench_plain -s server -o max_connections=50
    expect "no privilege for --set: nothing is to be put back" 1 \
        "--set: max_connections=50: [^;]*; [^;]*$"
    try -u ubench_plain -s server
    expect "no privilege needed: --sync server" 0 ""
    try -u ubench_plain -s no -e MyISAM
    expect "no privilege needed: --engine MyISAM" 0 ""
    try -e NoSuchEngine
    expect "unknown engine" 2 "Unknown storage engine 'NoSuchEngine' \(1286\)"
    io_capacity=$(sql 'SELECT @@GLOBAL.innodb_io_capacity')
    try -o no_such_variable=1
    expect "unknown variable" 2 "Unknown system variable .*\(1193\)"
    try -o version=1
    expect "read-only variable" 2 "\(1238\)"
    try -o innodb_io_capacity=many
    expect "a value of the wrong type" 2 "\(1232\)"
    try -o sort_buffer_size=1
    expect "a value out of range" 2 "sort_buffer_size=1: .*\((1231|1292)\)"
    try -o innodb_io_capacity=1
    expect "a value out of range, global" 2 \
        "innodb_io_capacity=1: .*\((1231|1292)\)"
    check "put back after it" "$(sql 'SELECT @@GLOBAL.innodb_io_capacity')" \
        "$io_capacity"
    try -o autocommit=0
    expect "a variable that is ubench's" 2 "autocommit is reserved"
    sql "SET GLOBAL init_connect = '/*$(printf '%0300d' 0)*/'"
    try -o init_connect=
    expect "a value that could not be put back" 2 \
        "init_connect: its value is too long to be restored"
    check "and it is as it was" \
        "$(sql 'SELECT LENGTH(@@GLOBAL.init_connect)')" 304
    sql "SET GLOBAL init_connect = ''"
    try -s no -o no_such_variable=1
    check "put back after a wrong option" "$(flush_log)" 1
    try -s no -o innodb_io_capacity=300 -o sort_buffer_size=1M
    expect "--set, global and session" 0 ""
    check "put back after a run" \
        "$(flush_log) $(sql 'SELECT @@GLOBAL.innodb_io_capacity')" \
        "1 $io_capacity"
    for engine in Aria:power-safe MyISAM:process-safe MEMORY:volatile; do
        [ $product = MariaDB ] || [ ${engine%:*} != Aria ] || continue
        class=$(class_of -e "${engine%:*}")
        check "class of ${engine%:*}" "${class%%:*}" "${engine#*:}"
    done
    [ $product = MariaDB ] || return 0
    # A scratch copy, because a run would create a table of its own again.
    try -e Aria -S kea
    sql "USE ubench; DROP TABLE ubench_marker; ALTER TABLE lease4 TRANSACTIONAL = 0;
        CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
    class=$(class_of -e Aria -S kea)
    check "class of Aria with TRANSACTIONAL=0" "${class%%:*}" process-safe
    sql 'DROP DATABASE ubench; CREATE DATABASE ubench'
}

# looks; has_looked: how often a run has read its settings back; it has done that twice
# since $looked, once at least from the beginning to the end.
looks() {
    sql "SHOW GLOBAL STATUS LIKE 'Com_show_variables'" | cut -f 2
}
has_looked() {
    [ "$(looks)" -ge $((looked + 2)) ] || over
}

# --- In the middle of a run ---

interrupted() {
    launch -s no
    check "--sync no sets the server" "$(flush_log)" 2
    try
    expect "two runs in one database" 1 "is in use by another run of ubench"
    kill -INT "$pid"
    land
    expect "^C" 130 ""
    check "put back after ^C" "$(flush_log)" 1
    reported "^C"
    launch -s no
    hold $long
    kill -TERM "$pid"
    land
    expect "SIGTERM while the server does not answer" 143 ""
    soon "SIGTERM"
    check "put back after SIGTERM" "$(flush_log)" 1
    begin -s no
    await waits_for_a_lock
    kill -TERM "$pid"
    land
    expect "SIGTERM while it waits for a lock to begin" 143 ""
    soon "SIGTERM while it waits for a lock to begin"
    check "put back after that" "$(flush_log)" 1
    let_go
}

# --- What a run that was killed has left ---

# noted: what stands in the marker's row of what is to be restored, or "none".
noted() {
    sql 'SELECT restore FROM ubench.ubench_marker WHERE restore IS NOT NULL' 2>/dev/null |
        sed 's/^[0-9]* //' | grep . || echo none
}

both() {
    echo "$(flush_log), $(noted)"
}

kill_run() {
    kill -9 "$pid"
    land 2>/dev/null
}

killed() {
    io_capacity=$(sql 'SELECT @@GLOBAL.innodb_io_capacity')
    launch -s no -o innodb_io_capacity=300
    check "what is changed is noted" "$(both | sed 's/SET GLOBAL sync_binlog = 1; //')" \
        "2, SET GLOBAL innodb_io_capacity = $io_capacity; SET GLOBAL $flush = 1; "
    kill_run
    try -s server
    expect "the next run restores it and says so" 0 \
        "restoring settings left by a killed run: .*innodb_io_capacity = $io_capacity; .*$flush = 1\$"
    check "nothing is left of it" \
        "$(both), $(sql 'SELECT @@GLOBAL.innodb_io_capacity')" "1, none, $io_capacity"
    try -s no
    expect "it is said once" 0 ""
    left=
    for moment in 0 0.01 0.02 0.03 0.04 0.05 0.06 0.08 0.1 0.2 0.4; do
        begin -n 10M -s no
        sleep $moment
        kill_run
        try -s server
        left="$left$status: $(both); "
    done
    check "killed at any moment" \
        "$(echo "$left" | sed 's/\(0: 1, none; \)*//')" ""
    launch -s no
    kill_run
    try -u ubench_plain -s server
    expect "no privilege to restore it" 1 \
        "\(1227\); could not restore .* run: .*SET GLOBAL $flush = 1; DELETE FROM ubench_marker"
    kill -9 "$server_pid"
    start_server
    try -u ubench_plain -s server
    expect "after a restart there is nothing to restore" 0 ""
    check "and no row" "$(both)" "1, none"
    sql 'DROP DATABASE ubench; CREATE DATABASE ubench'
    try -s no -o no_such_variable=1
    check "nothing is left where nothing was" "$(both) $(sql 'SHOW TABLES IN ubench')" "1, none "
    launch -s no
    kill_run
    try -s server
    expect "a database that was empty, too" 0 "restoring settings left"
    check "and it is restored" "$(both)" "1, none"
    try -s server -S kea
    sql "DROP TABLE ubench.ubench_marker; USE ubench;
        CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
    launch -s no -S kea
    kill_run
    try -s server -S kea
    expect "a marker of an owner, too" 0 "restoring settings left"
    sql 'DROP DATABASE ubench; CREATE DATABASE ubench'
    try -s no
    expect "and a database of its own again" 0 ""
}

flush=innodb_flush_log_at_trx_commit

# planted SQL
planted() {
    sql "INSERT INTO ubench.ubench_marker (restore) SELECT
        CONCAT(FLOOR(UNIX_TIMESTAMP() - variable_value), ' $1')
        FROM $([ $product = MariaDB ] && echo information || echo performance)_schema.global_status
        WHERE variable_name = 'UPTIME'"
    try -s server
    sql 'DELETE FROM ubench.ubench_marker WHERE restore IS NOT NULL'
}

odd_notes() {
    planted "SET GLOBAL $flush = \\'many\\'; "
    expect "a value that the server rejects" 1 "\(1232\); .* = 'many'; DELETE"
    for sql in "SET GLOBAL $flush = 0; DROP TABLE lease4; " "DROP TABLE lease4" \
        "SET GLOBAL $flush = 1" "SET GLOBAL $flush = CONNECTION_ID(); " \
        "SET GLOBAL init_connect = \\'x\\' + 1; " "SET GLOBAL init_connect = \\'x; "; do
        planted "$sql"
        expect "SQL that is not ubench's: $sql" 1 "restore .*text that ubench did not write"
    done
    check "is not run" "$(flush_log) $(sql "SHOW TABLES IN ubench LIKE 'lease4'")" "1 lease4"
    sql "CREATE DATABASE other; GRANT ALL ON other.* TO ubench@'%'"
    launch -s no
    try -f other -s yes
    expect "two runs that change settings, in two databases" 1 \
        "another run of ubench, perhaps in another database, has changed settings of this"
    kill -INT "$pid"
    land
    launch -s server
    try -f other -s server
    expect "two runs that change nothing" 0 ""
    kill -INT "$pid"
    land
    # The first one puts back what the second one found set.
    launch -s no
    first=$pid
    launch -f other -s no
    second=$pid
    await other_works
    kill -INT "$first"
    pid=$first
    land
    pid=$second
    land
    expect "a run that ends changes the settings of another" 1 \
        "$flush was changed from 2 to 1 during the run by another session, or by another run of"
    sql 'DROP DATABASE other'
}

other_works() {
    [ "$(sql 'SELECT EXISTS (SELECT * FROM other.lease4)' 2>&1)" = 1 ]
}

# loses TEXT STATUS PATTERN: a run whose connection is cut when it sends that.
loses() {
    rm -f "$work/proxy"
    python3 -B "$top/ubench/tests/lib/lost_answer.py" "$port" "$1" >"$work/proxy" &
    await test -s "$work/proxy"
    try -m 127.0.0.1 -P "$(cat "$work/proxy")" -s no
    expect "the answer to $1 is lost" "$2" "$3"
    check "all is as it was" "$(both)" "1, none"
}

cut_off() {
    if [ $product = MySQL ]; then
        echo "left out: a lost answer: MySQL encrypts, so the proxy cannot read"
        return
    fi
    loses "SET GLOBAL $flush = 2" 1 "\((2006|2013)\)\$"
    loses "INSERT IGNORE INTO ubench_marker" 1 "\((2006|2013)\)\$"
    loses "$(printf '\003')SET GLOBAL $flush = 1" 0 "" # as a statement, which is not its note
}

# A class that did not hold all the time has no figures.
class_changes() {
    launch -s no
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 0'
    land
    expect "the durability was changed meanwhile" 1 \
        "innodb_flush_log_at_trx_commit was changed from 2 to 0"
    check "there are no figures" "$(grep -c '^create' "$work/out")" 0
    check "put back all the same" "$(flush_log)" 1
    launch -t 4
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 0'
    await over
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
    land
    expect "the durability was changed, 4 threads" 1 \
        "innodb_flush_log_at_trx_commit was changed from 1 to 0"
    launch
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 0'
    kill -INT "$pid"
    land
    expect "the durability was changed just before ^C" 1 \
        "innodb_flush_log_at_trx_commit was changed from 1 to 0"
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
    launch
    id=$(processes "user = 'ubench'" | sort -n | head -n 1)
    sql "KILL $id; SET GLOBAL innodb_flush_log_at_trx_commit = 0"
    land
    expect "the connection that looks was killed" 1 \
        "innodb_flush_log_at_trx_commit was changed from 1 to 0"
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
    launch -e MyISAM
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 2'
    looked=$(looks)
    await has_looked
    kill -INT "$pid"
    land
    expect "it does not matter to MyISAM" 130 ""
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
    for made in ENGINE=MyISAM ENGINE=MEMORY 'ENGINE=Aria TRANSACTIONAL=0'; do
        [ $product = MariaDB ] || [ "${made#*Aria}" = "$made" ] || continue
        launch
        sql "SET max_heap_table_size = 1024 * 1024 * 1024; ALTER TABLE ubench.lease4 $made"
        land
        made=${made#*=}
        expect "the table was altered: $made" 1 \
            "lease4 was changed from InnoDB to ${made%% *}.* during the run"
    done
}

# Settings that change the answers of a session are set first, whatever the default is.
defaults() {
    sql "SET GLOBAL sql_select_limit = 1, GLOBAL sql_safe_updates = 1,
        GLOBAL completion_type = 'RELEASE', GLOBAL max_join_size = 1"
    for options in '' '-c no' '-S kea -b 10' '-w dora'; do
        # shellcheck disable=SC2086 # words
        try $options
        expect "limits by default, $options" 0 ""
    done
    sql "SET GLOBAL sql_select_limit = DEFAULT, GLOBAL sql_safe_updates = 0,
        GLOBAL completion_type = DEFAULT, GLOBAL max_join_size = DEFAULT"
}

binary_log() {
    stop_server
    start_server -- --log-bin=binlog --server-id=1 --sync-binlog=0
    class=$(class_of -s server)
    check "flush_log=1 with an unsynced binary log" "${class%%:*}" bounded
    for every in 0 2 1000; do
        sql "SET GLOBAL sync_binlog = $every"
        verdict "sync_binlog=$every" "the last second" -s server
        verdict "sync_binlog=$every, flush 2" "the last second" -s server \
            -o innodb_flush_log_at_trx_commit=2
    done
    sql 'SET GLOBAL sync_binlog = 0'
    verdict "both logs are synced" nothing
    verdict "a binary log, flush 0" "the last second +" -s volatile
    try -u ubench_plain
    expect "no privilege for sync_binlog" 1 "GRANT $binlog_right ON"
    class=$(class_of)
    check "--sync yes syncs the binary log" "${class%%, sync_binlog=1*}" \
        "power-safe: innodb_flush_log_at_trx_commit=1, log_bin=ON"
    check "put back" "$(sql 'SELECT @@GLOBAL.sync_binlog')" 0
    sql 'SET GLOBAL sync_binlog = 1; SET GLOBAL log_bin_trust_function_creators = 0'
    for level in no bounded volatile; do
        launch -s $level
        check "--sync $level does not sync the binary log" \
            "$(sql 'SELECT @@GLOBAL.sync_binlog')" 0
        kill -INT "$pid"
        land
        check "both logs as before, after ^C" \
            "$(flush_log) $(sql 'SELECT @@GLOBAL.sync_binlog')" "1 1"
    done
    class=$(class_of -s no)
    check "its class" "${class%%:*}" bounded
    try -u ubench_plain -s server -S kea+stats
    expect "no privilege for triggers" 1 \
        "\(1419\); .*GRANT SUPER ON .*log_bin_trust_function_creators=ON"
    if [ $product = MySQL ]; then
        sql 'ALTER INSTANCE DISABLE INNODB REDO_LOG'
        class=$(class_of)
        check "no redo log" "${class%%:*}" volatile
        sql 'ALTER INSTANCE ENABLE INNODB REDO_LOG'
    fi
    stop_server
}

# class NAME WANTED SERVER-OPTION...: of a server that was started so.
class() {
    name=$1 wanted=$2
    shift 2
    start_server -- "$@"
    class=$(class_of)
    check "class of $name" "${class%%:*}" "$wanted"
    stop_server
}

flush_methods() {
    class "innodb_flush_method=fsync" power-safe --innodb-flush-method=fsync
    for method in littlesync nosync O_DIRECT_NO_FSYNC; do
        class "innodb_flush_method=$method" process-safe \
            --innodb-flush-method=$method
    done
    class "innodb_doublewrite=OFF" process-safe --skip-innodb-doublewrite
}

# The answer has the loss that follows from the settings.
verdicts() {
    start_server
    verdict "flush 1" nothing
    verdict "flush 2" "the last second" -s bounded
    verdict "flush 0" "the last second +" -s volatile
    verdict "MyISAM" "any number" -e MyISAM -s server
    verdict "MEMORY" "any number +" -e MEMORY -s server
    if [ $product = MariaDB ]; then
        verdict "Aria" nothing -e Aria -s server
    fi
    stop_server
    start_server -- --skip-innodb-doublewrite
    verdict "no doublewrite" "any number"
    verdict "no doublewrite, flush 0" "any number +" -s volatile
    stop_server
}

# Other nodes that have the leases are named, also by their settings.
cluster() {
    provider=/usr/lib/galera/libgalera_smm.so
    if [ $product != MariaDB ]; then
        echo "left out: a node of a Galera cluster: this is no MariaDB"
        return
    elif [ ! -e $provider ]; then
        skip "a node of a Galera cluster" "no $provider"
        return
    fi
    start_server -- --binlog-format=ROW --wsrep-on=ON --wsrep-new-cluster \
        --wsrep-provider=$provider --wsrep-cluster-address=gcomm:// \
        --wsrep-node-address=127.0.0.1 --wsrep-provider-options="\
gmcast.listen_addr=tcp://127.0.0.1:0;ist.recv_addr=127.0.0.1:0"
    class=$(class_of -s no)
    check "a node of a Galera cluster" "$(echo "$class" | grep -o ', a Galera .*')" \
        ", a Galera cluster: nodes 1, this one Synced: the log is synced once a second"
    "$runner" -n 10 --json >"$work/out" 2>"$work/err"
    check "its settings" "$(facts | grep '^wsrep_' |
        tr '\n' ' ')" "wsrep_on=ON wsrep_cluster_size=1 \
wsrep_local_state_comment=Synced wsrep_cluster_status=Primary wsrep_sync_wait=0 "
    check "it is the only one" "$(get 'r["durability"]["node_loss"]["loss"]' "$work/out")" \
        unbounded
    stop_server
}

# Without a replica it waits for one once and then goes on without.
semi_synchronous() {
    if [ $product = MariaDB ]; then
        start_server -- --log-bin=binlog --server-id=1 --rpl-semi-sync-master-enabled \
            --rpl-semi-sync-master-timeout=1
    else
        start_server -- --plugin-load-add=semisync_source.so \
            --rpl-semi-sync-source-enabled --rpl-semi-sync-source-timeout=1
    fi
    try
    class=$(class_of)
    check "semi-synchronous replication" "${class##*, }" \
        "semi-synchronous replication that has fallen back to asynchronous"
    stop_server
}

# The server was started with a buffer pool of 32 MB and join buffers
# of 1 MB, and with folders, files and a port of its own.
changed() {
    rm -f "$work/changed.json"
    try -O "$work/changed.json"
    expect "the server's changed settings" 0 ""
    facts=$(sed -n 's/.*"facts": *{\([^}]*\)}.*/\1/p' "$work/changed.json")
    check "a changed setting is told" \
        "$(echo "$facts" | grep -cE '"join_buffer_size": *"1048576"')" 1
    check "one that is told anyway is told once" "$(echo "$facts" |
        grep -oE '"innodb_buffer_pool_size": *"33554432"' | wc -l)" 1
    check "no folder, file, socket or port is told" "$(echo "$facts" |
        grep -oE '"[^"]*(dir|_file|socket|address|port)":|"/|@')" ""
}

begin_server --innodb-buffer-pool-size=32M --join-buffer-size=1M
settings
changed
interrupted
killed
odd_notes
cut_off
class_changes
defaults
binary_log
flush_methods
verdicts
cluster
semi_synchronous
summary
