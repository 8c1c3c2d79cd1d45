#!/bin/sh
# SPDX-License-Identifier: ISC
# mysql.sh: what can go wrong with a MySQL or MariaDB server, each tried for
# real on servers of its own.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
small=

clean_up() {
    let_go 2>/dev/null
    [ -z "$small" ] || UBENCH_SERVERS=$small/servers "$servers" stop mysql
    [ -z "$small" ] || umount "$small"
}

admin() {
    mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B "$@"
}

sql() {
    mysql_sql "$1"
}

flush_log() {
    sql 'SELECT @@GLOBAL.innodb_flush_log_at_trx_commit'
}

# What shows that a run works.
counted=Com_stmt_execute
executions() {
    sql "SHOW GLOBAL STATUS LIKE '$counted'" | cut -f 2
}

before_launch() {
    executed=$(executions)
}

works() {
    [ $(($(executions) - executed)) -ge 20 ]
}

# processes CONDITION: ids of connections, by user and state.  MySQL's table of all
# columns fails on a statement with bytes that are no text.
processes() {
    if [ "$product" = MariaDB ]; then
        sql "SELECT id FROM information_schema.processlist WHERE $1"
    else
        sql "SELECT id FROM (SELECT processlist_id id, processlist_user user,
             processlist_state state FROM performance_schema.threads) t WHERE $1"
    fi
}

# hold SECONDS; let_go: nobody else can use the table meanwhile.
hold() {
    admin -e "LOCK TABLES ubench.lease4 WRITE; SELECT SLEEP($1)" \
        >"$work/lock" 2>&1 &
    background="$background $!"
    sleep 0.3
}

let_go() {
    for id in $(processes "state = 'User sleep'"); do
        sql "KILL $id" 2>/dev/null
    done
}

# stand_still: stops the server's threads, every one.
stand_still() {
    kill -STOP "$server_pid"
    while grep -L '^State:.T' "/proc/$server_pid"/task/*/status | grep -q .; do
        sleep 0.05
    done
}

# --- Connecting ---

connecting() {
    try -m 127.0.0.1 -P 1
    expect "no server at that port" 1 "connecting to 127.0.0.1, port 1: .*\(200[23]\)"
    try -m "$work/no.sock"
    expect "no such socket" 1 "no.sock: No such file or directory"
    try -m "$work"
    expect "a folder without a socket" 1 "no mysqld.sock"
    try -m no-such-host.invalid
    expect "wrong host" 1 "no-such-host.invalid.*\(2005\)"
    try -m 192.0.2.1 --connect-timeout 1
    expect "a host that does not answer" 1 "connecting to 192.0.2.1: "
    soon "a host that does not answer"
    try -m "$host" -P "$port" -p wrong
    expect "wrong password" 1 "Access denied for user 'ubench'.*\(1045\)"
    try -f no_such_database
    expect "no such database, without a right to it" 1 \
        "to database 'no_such_database' \(1044\)"
    sql "GRANT ALL ON no_such_database.* TO ubench@'%'"
    try -f no_such_database
    expect "no such database" 1 "no_such_database.*\(1049\).*CREATE DATABASE"
    sql "CREATE USER stranger@'%' IDENTIFIED BY '$password'"
    try -u stranger
    expect "no privilege on the database" 1 "Access denied for user 'stranger'"
    try -m "$socket"
    expect "a socket's file" 0 ""
    try -m "$(dirname "$socket")"
    expect "a socket's folder" 0 ""
    # shellcheck disable=SC2016 # the inner shell has its own arguments
    HOME=$work env -u UBENCH_MYSQL_HOST -u UBENCH_MYSQL_PORT \
        -u UBENCH_MYSQL_USER -u UBENCH_MYSQL_PASSWORD sh -c '
        printf "[client]\nuser=ubench\nhost=%s\n[ubench]\npassword=%s\nport=%s\n" \
            "$2" "$3" "$4" >"$HOME/.my.cnf"
        "$1" -n 10 -v no' sh "$runner" "$host" "$password" "$port" \
        >"$work/out" 2>"$work/err"
    status=$?
    expect ".my.cnf, groups client and ubench" 0 ""
    MYSQL_PWD=$password env -u UBENCH_MYSQL_PASSWORD "$runner" -n 10 -v no \
        >"$work/out" 2>"$work/err"
    status=$?
    expect "MYSQL_PWD" 0 ""
}

# As a user asks for it: each client library has its own name for it.  The server has
# forgotten who was there, so that the whole password goes through TLS.
tls() {
    [ $product = MySQL ] || [ "$(sql 'SELECT @@have_ssl')" = YES ] || return
    printf '[ubench]\nssl-enforce\nssl-verify-server-cert=0\nssl-mode=REQUIRED\n' \
        >"$work/.my.cnf"
    sql 'FLUSH PRIVILEGES'
    HOME=$work "$runner" -m "$host" -P "$port" -n 10 -v full >"$work/out" 2>"$work/err"
    status=$?
    expect "TLS" 0 ""
    check "it is said" "$(tr -s '\n ' ' ' <"$work/out" |
        grep -oE 'via TCP/IP, TLS [A-Z0-9_-]+' | cut -d ' ' -f 1-3)" "via TCP/IP, TLS"
    rm "$work/.my.cnf"
}

ten_wait() {
    [ "$(processes "state = 'User sleep'" | wc -l)" -eq 10 ]
}

# The limit comes last: while clients come, whoever looks takes a place, too.
too_many() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        MYSQL_PWD=$password mysql --no-defaults -S "$socket" -u ubench_plain \
            -e 'SELECT SLEEP(300)' >"$work/sleep" 2>&1 &
        background="$background $!"
    done
    await ten_wait
    sql 'SET GLOBAL max_connections = 10'
    try -u ubench_plain -s server
    expect "max_connections reached" 1 "Too many connections \(1040\)"
    let_go
    await sql 'SET GLOBAL max_connections = 151' 2>"$work/sleep"
}

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
    expect "a variable that is ubench's" 2 "autocommit is not free to choose"
    sql "SET GLOBAL init_connect = '/*$(printf '%0300d' 0)*/'"
    try -o init_connect=
    expect "a value that could not be put back" 2 \
        "init_connect: its value is too long to be put back"
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
    try -e Aria
    sql 'ALTER TABLE ubench.lease4 TRANSACTIONAL = 0'
    class=$(class_of -e Aria)
    check "class of Aria with TRANSACTIONAL=0" "${class%%:*}" process-safe
}

# --- Whose tables these are ---

columns() {
    try -n 10
    sql 'ALTER TABLE ubench.lease4 DROP COLUMN hostname'
    try -s no
    expect "a column is missing" 1 \
        "ubench.lease4: the column hostname is missing"
    check "put back after an error" "$(flush_log)" 1
    sql 'DROP TABLE ubench.lease4'
    try -n 10
    sql 'ALTER TABLE ubench.lease4 ADD COLUMN color INT'
    try
    expect "another column" 1 "ubench.lease4: the column color is not of the schema lean"
    sql 'DROP TABLE ubench.lease4'
    try -n 10
    sql 'ALTER TABLE ubench.lease4 MODIFY expire DATETIME'
    try
    expect "a column of another type" 1 "the column expire is datetime"
    sql 'DROP TABLE ubench.lease4'
    try -S kea -n 10
    expect "the table is missing" 0 ""
    admin -e 'CREATE DATABASE byhand'
    sql "GRANT ALL ON byhand.* TO ubench@'%'"
    admin byhand <"$top/schema/mysql-kea.sql" &&
        admin byhand <"$top/schema/mysql-kea.sql"
    try -S kea -f byhand
    expect "a table made by hand from schema/, twice" 0 ""
}

foreign() {
    sql "CREATE DATABASE shop; CREATE TABLE shop.orders (id INT);
         GRANT ALL ON shop.* TO ubench@'%'"
    try -f shop
    expect "a database of something else" 1 "has tables .*orders.* not touched"
    check "nothing was made in it" "$(sql 'SHOW TABLES IN shop')" orders
    if ! command -v kea-admin >/dev/null; then
        skip "a real Kea database" "kea-admin is not installed"
        return
    fi
    sql "CREATE DATABASE kea; CREATE USER kea@'%' IDENTIFIED BY 'kea';
         GRANT ALL ON kea.* TO kea@'%'; GRANT ALL ON kea.* TO ubench@'%'"
    # kea-admin 2.2 forgets the port for the script, and 3.0 has a command of the client
    # in its SQL, which MySQL's takes if it is told to; log_bin wants the other.
    sql 'SET GLOBAL log_bin_trust_function_creators = 1'
    if ! kea-admin db-init mysql -u kea -p kea -n kea -h "$host" -P "$port" \
        -x --port="$port" -x --loose-commands >"$work/kea" 2>&1; then
        not_ok "kea-admin db-init" "$(tail -n 3 "$work/kea")"
        return
    fi
    digit='SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4'
    sql "INSERT INTO kea.lease4 (address, hwaddr, valid_lifetime, expire,
         subnet_id, fqdn_fwd, fqdn_rev, hostname, state)
         SELECT 167772160 + n, UNHEX(LPAD(HEX(n), 12, '0')), 3600, NOW(),
         1, 0, 0, 'host', 0 FROM (
             SELECT a.d + 5 * b.d + 25 * c.d + 125 * e.d n
             FROM ($digit) a, ($digit) b, ($digit) c, ($digit) e) numbers"
    before=$(sql 'CHECKSUM TABLE kea.lease4; SHOW TABLES IN kea' | cksum)
    for options in '-S lean' '-S kea'; do
        # shellcheck disable=SC2086 # words
        try -f kea $options
        expect "a real Kea database is refused, $options" 1 \
            "lease4 is there, with 625 leases, and no table ubench_marker"
        # shellcheck disable=SC2086
        try -f kea -6 $options
        expect "a real Kea database is refused, -6 $options" 1 \
            "lease6 is there, with 0 leases, and no table ubench_marker"
    done
    check "every row of it is there" \
        "$(sql 'CHECKSUM TABLE kea.lease4; SHOW TABLES IN kea' | cksum)" \
        "$before"
    marked_copy
}

# lacks COLUMN...: those that this Kea's lease4 does not have, as a result says it.
lacks() {
    for column; do
        [ "$(sql "SELECT COUNT(*) FROM information_schema.columns
            WHERE table_schema = 'kea' AND table_name = 'lease4'
            AND column_name = '$column'")" = 1 ] || printf '%s, ' "$column"
    done | sed 's/^/, without /; s/, $//'
}

# What docs/running.md tells an owner to do with a scratch copy.
marked_copy() {
    sql "CREATE TABLE kea.ubench_marker AS SELECT 'scratch copy' AS lease4"
    try -f kea -S lean
    expect "a marked copy is not lean" 1 "can only be used with --schema kea"
    try -f kea -S kea -e MyISAM
    expect "a marked copy is not MyISAM" 1 "ask for it with --engine InnoDB"
    check "and still has its leases" \
        "$(sql 'SELECT COUNT(*) FROM kea.lease4')" 625
    for options in '' '-c no' -6 '-6 -c no' '-w dora' '-6 -w sarr'; do
        # shellcheck disable=SC2086 # words
        try -f kea -S kea $options
        expect "a marked copy with --schema kea $options" 0 ""
    done
    check "Kea's statistics are right" \
        "$(sql 'SELECT SUM(leases) FROM kea.lease4_stat;
            SELECT SUM(leases) FROM kea.lease6_stat')" \
        "$(sql 'SELECT COUNT(*) FROM kea.lease4; SELECT COUNT(*) FROM kea.lease6')"
    try -f kea -w release
    if [ "$(sql 'SELECT COUNT(*) FROM kea.lease_state WHERE state = 3')" = 1 ]; then
        expect "a release" 0 ""
    else
        expect "this Kea has no state for it" 1 "no lease can be in state 3, as RELEASE"
    fi
    try -f kea -w release-delete
    expect "a release that leaves nothing" 0 ""
    "$runner" -f kea -S kea -n 10 -v full >"$work/out" 2>&1
    indexes=$(sql "SELECT COUNT(DISTINCT index_name) - 1 FROM
        information_schema.statistics WHERE table_schema = 'kea'
        AND table_name = 'lease4'")
    check "the report says what it lacks" \
        "$(tr -s '\n ' ' ' <"$work/out" |
            grep -oE 'not made by ubench, [^=]*' | sed 's/, [^,]*$//')" \
        "not made by ubench, InnoDB, $indexes secondary indexes, 3 triggers$(
            lacks relay_id remote_id pool_id)"
}

# --- In the middle of a run ---

interrupted() {
    launch -s no
    check "--sync no sets the server" "$(flush_log)" 2
    try
    expect "two runs in one database" 1 "another ubench is using it"
    kill -INT "$pid"
    land
    expect "^C" 130 ""
    check "put back after ^C" "$(flush_log)" 1
    reported "^C"
    launch -s no
    hold 60
    kill -TERM "$pid"
    land
    expect "SIGTERM while the server does not answer" 143 ""
    soon "SIGTERM"
    check "put back after SIGTERM" "$(flush_log)" 1
    begin -s no
    sleep 1
    kill -TERM "$pid"
    land
    expect "SIGTERM while it waits for a lock to begin" 143 ""
    soon "SIGTERM while it waits for a lock to begin"
    check "put back after that" "$(flush_log)" 1
    let_go
}

# --- What a run that was killed has left ---

# noted: what stands in the table of what is to be restored, or "none".
noted() {
    sql 'SELECT name, value FROM ubench.ubench_settings' 2>/dev/null | tr '\t\n' '= ' |
        grep . || echo none
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
    check "what is changed is noted" "$(both | sed 's/sync_binlog=1 //')" \
        "2, innodb_flush_log_at_trx_commit=1 innodb_io_capacity=$io_capacity "
    kill_run
    try -s server
    expect "the next run restores it and says so" 0 \
        "killed had changed settings.*_at_trx_commit from 2 to 1, .*innodb_io_capacity from 300 to $io_capacity\$"
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
        "\(1227\); .* puts right: .*SET GLOBAL $flush = 1; DROP TABLE ubench_settings"
    kill -9 "$server_pid"
    start_server
    try -u ubench_plain -s server
    expect "after a restart there is nothing to restore" 0 ""
    check "and no table" "$(both)" "1, none"
}

flush=innodb_flush_log_at_trx_commit
comment="COMMENT='what ubench has to restore with SET GLOBAL'"

# planted NAME VALUE
planted() {
    sql "CREATE TABLE ubench.ubench_settings (name VARCHAR(99), value VARCHAR(999))
         $comment; INSERT INTO ubench.ubench_settings VALUES ('$1', '$2')"
    try -s server
    sql 'DROP TABLE ubench.ubench_settings'
}

odd_notes() {
    planted $flush many
    expect "a value that the server rejects" 1 "\(1232\); .* = 'many'; DROP TABLE"
    planted "$flush=0; DROP TABLE lease4" 1
    expect "a name that is none" 1 "ubench_settings has a row that ubench did not"
    planted $flush "$(printf '%0300d' 1)"
    expect "a value that is too long" 1 "ubench_settings has a row that ubench did not"
    sql 'CREATE TABLE ubench.ubench_settings (name INT)'
    try -s no
    expect "a table of that name that is not ubench's" 1 \
        "noting a setting .*'ubench_settings' already exists"
    check "is left alone" "$(flush_log) $(sql "SHOW TABLES IN ubench LIKE '%ings'")" \
        "1 ubench_settings"
    sql 'DROP TABLE ubench.ubench_settings'
    sql "CREATE DATABASE other; GRANT ALL ON other.* TO ubench@'%'"
    launch -s no
    try -f other -s server
    expect "two runs in two databases" 1 "another ubench has changed settings of this"
    kill -INT "$pid"
    land
    launch -s server
    try -f other -s server
    expect "two runs that change nothing" 0 ""
    kill -INT "$pid"
    land
    sql 'DROP DATABASE other'
}

# loses TEXT STATUS PATTERN: a run whose connection is cut when it sends that.
loses() {
    rm -f "$work/proxy"
    python3 -B "$top/ubench/tests/lib/lost_answer.py" "$port" "$1" >"$work/proxy" &
    background="$background $!"
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
    loses "INSERT INTO ubench_settings" 1 "\((2006|2013)\)\$"
    loses "SET GLOBAL $flush = 1" 0 ""
}

timeouts() {
    if [ $product = MariaDB ]; then
        launch -o max_statement_time=5
        hold 60
        land
        expect "statement timeout" 1 "max_statement_time.*\(1969\)"
    else
        # For SELECT alone: of so many clients some are always in one.
        counted=Com_update
        launch -o max_execution_time=5000 -w dora-known -s no -t 32 --preload 3200
        hold 60
        land
        counted=Com_stmt_execute
        expect "statement timeout" 1 "maximum statement execution time.*\(3024\)"
    fi
    let_go
    launch -o lock_wait_timeout=5 -c yes
    hold 60
    land
    expect "lock timeout" 1 "Lock wait timeout exceeded.*\(1205\)"
    let_go
    try -S kea+stats
    admin -e 'LOCK TABLES ubench.ubench_lease4_stat WRITE; SELECT SLEEP(60)' \
        >"$work/lock" 2>&1 &
    background="$background $!"
    sleep 0.3
    try -s server --read-timeout 2
    expect "no answer while the tables are made" 1 \
        "dropping counters: the server did not answer for 2 s"
    soon "no answer while the tables are made"
    let_go
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
    sleep 2.5
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
    land
    expect "the durability was changed, and back" 1 \
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
    sleep 2.5
    kill -INT "$pid"
    land
    expect "it does not matter to MyISAM" 130 ""
    sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
}

connections() {
    launch -s no
    for id in $(processes "user = 'ubench'"); do
        sql "KILL $id" 2>/dev/null # its own may have ended with the other
    done
    land
    expect "all connections killed" 1 "create: .*\((2006|2013|1927)\)"
    check "put back over a new connection" "$(flush_log)" 1
    reported "all connections killed"
    launch -s no
    stand_still
    kill -INT "$pid"
    land
    kill -CONT "$server_pid"
    check "^C while the server stands still: exit status" "$status" 130
    soon "^C while the server stands still"
    if grep -q 'SET GLOBAL innodb_flush_log_at_trx_commit = 1' "$work/err"; then
        ok "it says what is left to do"
        try -s server # which does it
    else
        not_ok "it says what is left to do" "$(cat "$work/err")"
    fi
    launch -s server --read-timeout 5
    stand_still
    land
    kill -CONT "$server_pid"
    expect "a server that stops answering" 1 \
        "create: the server did not answer for 5 s \(--read-timeout\)"
    soon "a server that stops answering"
    stand_still
    begin --connect-timeout 60
    sleep 1
    kill -INT "$pid"
    land
    kill -CONT "$server_pid"
    expect "^C while connecting" 130 ""
    soon "^C while connecting"
    launch -s no
    kill -9 "$server_pid"
    land
    # Two lines: what happened, and what could not be put back.
    check "server killed: exit status" "$status" 1
    soon "server killed"
    if grep -qE 'create: .*\((2006|2013)\)' "$work/err" &&
        grep -q 'SET GLOBAL innodb_flush_log_at_trx_commit = 1' "$work/err"; then
        ok "server killed: it says what happened and what is left to do"
    else
        not_ok "server killed" "$(cat "$work/err")"
    fi
}

binary_log() {
    start_server -- --log-bin=binlog --server-id=1 --sync-binlog=0
    class=$(class_of -s server)
    check "flush_log=1 with an unsynced binary log" "${class%%:*}" bounded
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

# What has the leases beside the server is named, also by what it is set to.
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
    check "a node of a Galera cluster" "${class#*second}" \
        ", a Galera cluster: nodes 1, this one Synced"
    "$runner" -n 10 -v full >"$work/out" 2>"$work/err"
    check "its settings" "$(grep -oE 'wsrep_[a-z_]*=[A-Za-z0-9]*' "$work/out" |
        tr '\n' ' ')" "wsrep_on=ON wsrep_cluster_size=1 \
wsrep_local_state_comment=Synced wsrep_cluster_status=Primary wsrep_sync_wait=0 "
    check "it is the only one" "$(grep -c '^node loss  *not survived' "$work/out")" 1
    stop_server
}

# Without a replica it waits for one once and then goes on without.
semi_synchronous() {
    start_server -- --log-bin=binlog --server-id=1 --rpl-semi-sync-master-enabled \
        --rpl-semi-sync-master-timeout=1
    try
    class=$(class_of)
    check "semi-synchronous replication" "${class##*, }" \
        "semi-synchronous replication that has fallen back to asynchronous"
    stop_server
}

full_disk() {
    if [ "$(id -u)" != 0 ] || ! mkdir "$work/small" ||
        ! mount -t tmpfs -o size=256M,mode=755 tmpfs "$work/small" \
            2>"$work/mount"; then
        skip "disk full on the server" "a tmpfs cannot be mounted"
        return
    fi
    small=$work/small
    normal=$UBENCH_SERVERS
    UBENCH_SERVERS=$small/servers
    if [ $product = MariaDB ]; then
        start_server -- --innodb-log-file-size=4M
    else
        # With a binary log the server would end itself.
        start_server -- --innodb-redo-log-capacity=8M --skip-log-bin
    fi
    room=$(df -k --output=avail "$small" | tail -n 1)
    dd if=/dev/zero of="$small/filler" bs=1k count=$((room - 6000)) \
        2>"$work/mount"
    timeout 60 "$runner" -v no -n 1M -S kea -s no -L guide \
        >"$work/out" 2>"$work/err"
    status=$?
    expect "disk full on the server" 1 "create: The table 'lease4' is full"
    reported "disk full on the server"
    rm "$small/filler"
    check "put back with the disk full" "$(flush_log)" 1
    stop_server
    UBENCH_SERVERS=$normal
    umount "$small" && small=
}

# --- Secrets and round trips ---

secrets() {
    launch -p "$password" -O "$work/result.jsonl"
    if tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qF "$password"; then
        not_ok "no password in ps" "it is there"
    else
        ok "no password in ps"
    fi
    kill -INT "$pid"
    land
    try -p "$password" -O "$work/result.jsonl"
    if grep -qF "$password" "$work/out" "$work/err" "$work/result.jsonl"; then
        not_ok "no password in any output" "it is there"
    else
        ok "no password in any output"
    fi
    "$runner" -p "$password" >"$work/out" 2>&1
    try -m "$host" -P "$port" -u nobody -p "$password"
    if grep -qF "$password" "$work/out" "$work/err"; then
        not_ok "no password in an error" "it is there"
    else
        ok "no password in an error"
    fi
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

# counters: what the server counted of this runner's commands, but for those that
# look each second whether the class is what it was.
looking="'Com_show_status', 'Com_show_variables'"
counters() {
    sql "SHOW GLOBAL STATUS WHERE variable_name IN ('$1', $looking)" |
        awk -v name="$1" '$1 == name { n += $2 } name == "Questions" && $1 != name {
            n -= $2 } END { print n }'
}

# grown NAME OPTION...: how a counter differs between a run of 500 and one of
# 700: what is done but once per run does not count.
grown() {
    name=$1
    shift
    a=$(counters "$name")
    "$runner" -v no -n 500 "$@" >"$work/out" 2>"$work/err"
    b=$(counters "$name")
    "$runner" -v no -n 700 "$@" >"$work/out" 2>"$work/err"
    c=$(counters "$name")
    echo $((c - b - (b - a)))
}

round_trips() {
    check "-c yes: one execution per operation" \
        "$(grown Com_stmt_execute)" 800
    check "-c yes: one command per operation" "$(grown Questions)" 800
    check "-c yes: nothing is reset" "$(grown Com_stmt_reset)" 0
    check "-c no: one command per operation" "$(grown Questions -c no)" 800
    check "-c no: nothing is prepared" "$(grown Com_stmt_prepare -c no)" 0
    if ! command -v strace >/dev/null; then
        skip "one packet per operation" "strace is not installed"
        return
    fi
    for n in 500 700; do
        strace -f -qq -e trace=sendto,sendmsg -o "$work/trace" \
            "$runner" -m "$socket" -v no -n $n >"$work/out" 2>"$work/err"
        eval "sent_$n=$(grep '(' "$work/trace" | grep -vc 'SHOW ')"
    done
    # shellcheck disable=SC2154 # set above
    check "one packet per operation" "$((sent_700 - sent_500))" 800
}

need_server mysql -- --innodb-buffer-pool-size=32M --join-buffer-size=1M || {
    summary
    exit
}
if is_mariadb; then
    product=MariaDB right=SUPER binlog_right='BINLOG ADMIN'
else
    product=MySQL right=SYSTEM_VARIABLES_ADMIN binlog_right=$right
fi
connecting
tls
too_many
settings
changed
columns
foreign
secrets
round_trips
interrupted
killed
odd_notes
cut_off
timeouts
class_changes
connections
binary_log
flush_methods
cluster
[ $product != MariaDB ] || semi_synchronous
full_disk
summary
