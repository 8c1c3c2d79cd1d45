#!/bin/sh
# SPDX-License-Identifier: ISC
# mysql.sh: what can go wrong with a MySQL or MariaDB server, each tried for
# real on servers of its own: connections, tables, timeouts, a full disk.
. "$(dirname "$0")/../lib/mysql_cases.sh"
small=

clean_up() {
    let_go 2>/dev/null
    [ -z "$small" ] || UBENCH_SERVERS=$small/servers "$servers" stop mysql
    [ -z "$small" ] || umount "$small"
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
    try -m "no-such-host.invalid,$host:$port" -s server
    expect "wrong host, and another one" 0 ""
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
        -u UBENCH_MYSQL_USER -u UBENCH_MYSQL_PASSWORD -u UBENCH_USER -u UBENCH_PASSWORD sh -c '
        printf "[client]\nuser=ubench\nhost=%s\n[ubench]\npassword=%s\nport=%s\n" \
            "$2" "$3" "$4" >"$HOME/.my.cnf"
        "$1" -n 10 -v no' sh "$runner" "$host" "$password" "$port" \
        >"$work/out" 2>"$work/err"
    status=$?
    expect ".my.cnf, groups client and ubench" 0 ""
    MYSQL_PWD=$password env -u UBENCH_MYSQL_PASSWORD -u UBENCH_PASSWORD "$runner" -n 10 -v no \
        >"$work/out" 2>"$work/err"
    status=$?
    expect "MYSQL_PWD" 0 ""
}

# explicit STATUS VARIABLE=VALUE... [OPTION]...: a run with these, and without what a user has set.
explicit() {
    wanted=$1
    shift
    env -u UBENCH_USER -u UBENCH_PASSWORD "$@" -n 10 >"$work/out" 2>"$work/err"
    status=$?
    expect "explicit: $(echo "$*" | sed "s|$password|RIGHT|; s|$runner|mysql_ubench|")" "$wanted" \
        "$([ "$wanted" = 0 ] || echo "Access denied")"
}

# The variables of scripts/servers env belong to one server and user, and are used for no other one.
credentials() {
    right=UBENCH_PASSWORD=$password wrong=UBENCH_PASSWORD=wrong
    explicit 0 "$wrong" "$runner"
    explicit 0 "$wrong" "$runner" -m localhost -P "$port"
    explicit 0 "$wrong" "$runner" -m "$socket"
    explicit 1 "$runner" -p wrong
    explicit 0 UBENCH_MYSQL_PASSWORD=old "$runner" -p "$password"
    for other in HOST=db.example.net PORT=1 USER=other; do
        explicit 0 "UBENCH_MYSQL_$other" UBENCH_MYSQL_PASSWORD=old UBENCH_MYSQL_SOCKET= "$right" \
            "$runner" -m "$host" -P "$port" -u ubench
        explicit 1 "UBENCH_MYSQL_$other" UBENCH_MYSQL_SOCKET= "$wrong" \
            "$runner" -m "$host" -P "$port" -u ubench
    done
    try -m 127.0.0.1 -P 1
    check "a server that is named is not to be started" "$(grep -c scripts/servers "$work/err")" 0
}

# The way in which a user asks for it: each client library has its own name for it.  The server has
# forgotten who was there, so that the whole password goes through TLS.
tls() {
    [ $product = MySQL ] || [ "$(sql 'SELECT @@have_ssl')" = YES ] || return
    printf '[ubench]\nssl-enforce=1\nssl-verify-server-cert=0\n' >"$work/.my.cnf"
    sql 'FLUSH PRIVILEGES'
    HOME=$work "$runner" -m "$host" -P "$port" -n 10 --json >"$work/out" 2>"$work/err"
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
    done
    await ten_wait
    sql 'SET GLOBAL max_connections = 10'
    try -u ubench_plain -s server
    expect "max_connections reached" 1 "Too many connections \(1040\)"
    let_go
    await sql 'SET GLOBAL max_connections = 151' 2>"$work/sleep"
}

# --- Whose tables these are ---

columns() {
    try -n 10
    sql 'ALTER TABLE ubench.lease4 DROP COLUMN hostname'
    try -s no
    expect "a column is missing" 1 \
        "the table lease4 was changed to 10 columns from 11 columns"
    check "put back after an error" "$(flush_log)" 1
    sql 'DROP TABLE ubench.lease4'
    try -n 10
    sql 'ALTER TABLE ubench.lease4 MODIFY expire DATETIME'
    try
    expect "a column of another type" 1 "the column lease4.expire was changed to datetime"
    sql 'DROP TABLE ubench.lease4'
    admin -e 'CREATE DATABASE byhand'
    sql "GRANT ALL ON byhand.* TO ubench@'%'"
    admin byhand <"$top/schema/mysql-kea.sql"
    admin byhand <"$top/schema/mysql-kea.sql" 2>"$work/twice"
    check "a file of schema/, twice" "$(sed -n 's/^ERROR.*: //p' "$work/twice")" \
        "Table 'lease_state' already exists"
    try -S kea -f byhand
    expect "a table made by hand from schema/" 1 "lease4 and no table ubench_marker"
}

# A run that was killed while it made the counters has made no triggers yet.
half_made() {
    try -S kea+stats
    sql 'DROP TRIGGER ubench.ubench_lease4_deleted; DROP TABLE ubench.ubench_lease4_stat'
    try -S kea+stats
    expect "counters that are half made" 0 ""
}

# A lease table that another makes after a run has looked and before it makes its own:
# meanwhile it waits for the lock of the settings.
made_meanwhile() {
    leases=$(sed -n "s/--.*//; s/ COMMENT '.*'//; s/TABLE lease4/TABLE late.lease4/
        /^CREATE TABLE/,/^)/p" "$top/schema/mysql-lean.sql")
    sql "CREATE DATABASE late; GRANT ALL ON late.* TO ubench@'%'; CREATE DATABASE aside"
    admin --delimiter=// -e "CREATE PROCEDURE aside.make() BEGIN
        DO GET_LOCK('ubench.settings', 60);
        WHILE (SELECT COUNT(*) FROM information_schema.processlist
               WHERE state = 'User lock') = 0 DO DO SLEEP(0.01); END WHILE;
        $leases
        INSERT INTO late.lease4 (address) VALUES (1);
        DO RELEASE_LOCK('ubench.settings');
    END //"
    too_late "no marker"
    sql 'DROP TABLE late.lease4'
    try -f late -6
    too_late "a marker"
}

too_late() { # NAME
    for _ in $(seq 20); do # a run that waits for two seconds goes
        sql 'DROP TABLE IF EXISTS late.lease4'
        admin -e 'CALL aside.make()' >"$work/lock" 2>&1 &
        making=$!
        await is_locked "'ubench.settings'"
        try -f late -s no
        wait "$making"
        grep -q 'another run of ubench, perhaps in another database, has changed settings' "$work/err" || break
    done
    expect "a lease4 made meanwhile, $1" 1 "ubench did not create the (table|index) lease4"
    check "it has its lease" "$(sql 'SELECT COUNT(*) FROM late.lease4')" 1
}

# holder LOCK; is_locked LOCK: the connection that has it.
holder() {
    sql "SELECT IS_USED_LOCK($1)"
}

is_locked() {
    [ "$(holder "$1")" != NULL ]
}

is_another() {
    is_locked "$1" && [ "$(holder "$1")" != "$2" ]
}

another_waits() {
    [ -n "$(processes "state = 'User lock'")" ]
}

# The connection that has a run's locks is lost, and comes again, unless another run is
# faster.
locks() {
    lock="CONCAT('ubench.', LEFT(SHA2('ubench', 256), 32))"
    launch -s no
    for name in "$lock" "'ubench.settings'"; do
        was=$(holder "$name")
        sql "KILL $was"
        await is_another "$name" "$was"
    done
    ok "a run has its locks again"
    admin -e "SELECT GET_LOCK($lock, 300); SELECT SLEEP(300)" >"$work/lock" 2>&1 &
    await another_waits
    sql "KILL $(holder "$lock")"
    land
    expect "another run has its place" 1 "is in use by another run of ubench"
    check "put back all the same" "$(flush_log)" 1
    let_go
}

# Like a member that its group has expelled: the run looks for a server that takes changes.
read_only() {
    launch -u ubench_plain -s server -m "$host:$port,$host:$port" --reconnect 1s
    sql 'SET GLOBAL read_only = ON'
    land
    sql 'SET GLOBAL read_only = OFF'
    expect "no changes any more" 1 "the server is read-only .*; the server did not come back within 1s"
}

# Servers that refuse a table without a key; and the marker lasts whatever --engine is.
keys() {
    demand=sql_require_primary_key
    [ $product = MySQL ] || demand=innodb_force_primary_key
    [ "$(sql "SHOW VARIABLES LIKE '$demand'")" ] || return 0
    sql "SET GLOBAL $demand = ON; DROP DATABASE ubench; CREATE DATABASE ubench"
    for options in '-S lean' '-S kea+stats -s no' '-6 -S kea+stats' '-e MEMORY' \
        '-w dora --hosts 10'; do
        # shellcheck disable=SC2086 # words
        try $options
        expect "$demand=ON, $options" 0 ""
    done
    sql "SET GLOBAL $demand = OFF"
    check "the marker's engine" "$(sql "SELECT engine FROM information_schema.tables
        WHERE table_schema = 'ubench' AND table_name = 'ubench_marker'")" InnoDB
}

foreign() {
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
            "lease4 and no table ubench_marker"
        # shellcheck disable=SC2086
        try -f kea -6 $options
        expect "a real Kea database is refused, -6 $options" 1 \
            "lease6 and no table ubench_marker"
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

# docs/measuring.md tells an owner to do this with a scratch copy.
marked_copy() {
    sql "CREATE TABLE kea.ubench_marker (row_id INT AUTO_INCREMENT PRIMARY KEY)
        AS SELECT 'scratch copy' AS lease4"
    try -f kea -S lean
    expect "a marked copy is not lean" 1 "can only be used with --schema kea"
    try -f kea -S kea -e MyISAM
    expect "a marked copy is not MyISAM" 2 "was not created by ubench and remains InnoDB"
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
        expect "this Kea has no state for it" 1 "the table refuses state 3, which RELEASE"
    fi
    try -f kea -w release-delete
    expect "a release that leaves nothing" 0 ""
    "$runner" -f kea -S kea -n 10 --json >"$work/out" 2>&1
    check "the report says what it lacks" \
        "$(facts | sed -n 's/^lease4=//p')" \
        "not made by ubench, InnoDB, 3 triggers$(lacks relay_id remote_id pool_id)"
    check "and its indexes" \
        "$(facts | grep -c '^secondary indexes=.*(hwaddr, subnet_id), (.*)$')" 1
}

timeouts() {
    if [ $product = MariaDB ]; then
        launch -o max_statement_time=5
        hold $long
    else
        # For SELECT alone: of a table that nothing else uses.
        counted=Com_update
        launch -o max_execution_time=5000 -w dora-known -s no --preload 100 --hosts 10
        hold $long ubench_hosts
        counted=Com_stmt_execute
    fi
    land
    expect "statement timeout" 1 "(max_statement_time|statement execution time).*\((1969|3024)\)"
    let_go
    try -o innodb_io_capacity=300 --json
    check "a setting of sessions was tried first, which is no error of the run" \
        "$(get '"%s %s" % (r["error"], r["incomplete"])' "$work/out")" " False"
    launch -o lock_wait_timeout=5 -c yes
    hold $long
    land
    expect "lock timeout" 1 "Lock wait timeout exceeded.*\(1205\)"
    let_go
    try -S kea+stats
    hold $long ubench_lease4_stat
    try -s server --read-timeout 10
    expect "no answer while the tables are made" 1 \
        "dropping ubench.s tables: no answer from the server within 10 s"
    soon "no answer while the tables are made"
    let_go
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
        "create: no answer from the server within 5 s \(--read-timeout\)"
    soon "a server that stops answering"
    stand_still
    begin --connect-timeout "$long"
    await is_connecting
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

# MySQL's way to log in without TLS: one library asks the server for its key, the other
# does not send a password; what the server remembers needs none.
no_tls() {
    [ $product = MySQL ] || return 0
    start_server -- --tls-version=
    sql 'FLUSH PRIVILEGES' # else it remembers the password
    try -m "$host" -P "$port"
    case $("$runner" -V) in
    *libmysqlclient*) expect "no TLS" 1 "requires secure connection. \(2061\)" ;;
    *) expect "no TLS" 0 "" ;;
    esac
    try -m "$socket"
    expect "no TLS, a socket" 0 ""
    try -m "$host" -P "$port"
    expect "no TLS, and it has logged in before" 0 ""
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
    set -- --innodb-log-file-size=4M
    # With a binary log the server would end itself.
    [ $product = MariaDB ] || set -- --innodb-redo-log-capacity=8M --skip-log-bin
    start_server -- "$@"
    room=$(df -k --output=avail "$small" | tail -n 1)
    dd if=/dev/zero of="$small/filler" bs=1k count=$((room - 6000)) \
        2>"$work/mount"
    timeout $long "$runner" -v no -n 1M -S kea -s no -L guide \
        >"$work/out" 2>"$work/err"
    status=$?
    rm "$small/filler"
    if sql 'SELECT 1' >"$work/alive" 2>&1; then
        expect "disk full on the server" 1 "create: The table 'lease4' is full"
    else
        # MySQL 9.7 at times ends itself as it takes back the row that did not fit.
        check "disk full, and the server ends" \
            "$status $(grep -c 'create: Lost connection' "$work/err")" "1 1"
        start_server -- "$@"
    fi
    reported "disk full on the server"
    check "put back with the disk full" "$(flush_log)" 1
    stop_server
    UBENCH_SERVERS=$normal
    umount "$small" && small=
}

# --- Secrets and round trips ---

secrets() {
    launch -p "$password" -O "$work/result.jsonl"
    check "no password in ps" \
        "$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -cF "$password")" 0
    kill -INT "$pid"
    land
    try -p "$password" -O "$work/result.jsonl"
    check "no password in any output" \
        "$(cat "$work/out" "$work/err" "$work/result.jsonl" | grep -cF "$password")" 0
    "$runner" -p "$password" >"$work/out" 2>&1
    try -m "$host" -P "$port" -u nobody -p "$password"
    check "no password in an error" \
        "$(cat "$work/out" "$work/err" | grep -cF "$password")" 0
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
# 2,500: what is done but once per run does not count.
grown() {
    name=$1
    shift
    a=$(counters "$name")
    "$runner" -v no -n 500 "$@" >"$work/out" 2>"$work/err"
    b=$(counters "$name")
    "$runner" -v no -n 2500 "$@" >"$work/out" 2>"$work/err"
    c=$(counters "$name")
    echo $((c - b - (b - a)))
}

round_trips() {
    check "-c yes: one execution per operation" \
        "$(grown Com_stmt_execute)" 10000
    # Each row is read back.  In hundreds, because another connection looks at the class once
    # a second, more often in a run that takes longer.
    check "-c yes: one command per operation" "$((($(grown Questions) + 250) / 500))" 20
    check "-c yes: nothing is reset" "$(grown Com_stmt_reset)" 0
    check "-c no: one command per operation" \
        "$((($(grown Questions -c no) + 250) / 500))" 20
    check "-c no: nothing is prepared" "$(grown Com_stmt_prepare -c no)" 0
    if ! command -v strace >/dev/null; then
        skip "one packet per operation" "strace is not installed"
        return
    fi
    for n in 500 700; do
        strace -f -qq -e trace=sendto,sendmsg -o "$work/trace" \
            "$runner" -m "$socket" -v no -n $n >"$work/out" 2>"$work/err"
        # The thread that works: another looks each second what the class is.
        eval "sent_$n=$(grep '(' "$work/trace" | cut -d ' ' -f 1 | sort | uniq -c |
            sort -n | awk 'END { print $1 }')"
    done
    # shellcheck disable=SC2154 # set above
    check "one packet per operation" "$((sent_700 - sent_500))" 1000
}

scans() {
    try -S lean -w renew --preload 3000 --json
    check "tables are scanned" "$(get '[one["code"] for one in r["warnings"]
        if one["code"] == "table-scanned"]' "$work/out")" '["table-scanned"]'
    try -w renew --preload 3000 --json
    check "and none with indexes, which are counted" "$(get 'len([one for one in r["warnings"]
        if one["code"] == "table-scanned"])' "$work/out"), $(facts | grep '^index use=' |
        sed 's/Handler_read_key [0-9]*, //; s/ [24]00/ n/g')" \
        "0, index use=PRIMARY n, lease4_by_client_id_subnet_id n"
}

begin_server --innodb-buffer-pool-size=32M --join-buffer-size=1M --performance-schema=ON
connecting
credentials
tls
too_many
columns
half_made
made_meanwhile
locks
read_only
keys
foreign
secrets
round_trips
replayed
scans
timeouts
connections
no_tls
full_disk
summary
