#!/bin/sh
# SPDX-License-Identifier: ISC
# pgsql.sh: what can go wrong with a PostgreSQL server, each tried for real on
# servers of its own; pgsql-settings.sh has its settings.  See cases.sh.
. "$(dirname "$0")/../lib/pgsql_cases.sh"
small=

clean_up() {
    [ -z "$small" ] || UBENCH_SERVERS=$small/servers "$servers" stop pgsql
    [ -z "$small" ] || umount "$small"
}

# hold SECONDS STATEMENT: keeps what it locks for so long, in the background.
hold() {
    sql "BEGIN; $2; SELECT pg_sleep($1)" >/dev/null 2>&1 &
    await is_held
}

is_held() {
    [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")" = 1 ]
}

# release [LIMIT N]: ends what sleeps there.
release() {
    sql "SELECT pg_terminate_backend(pid, 100000) FROM (
        SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep%'
            AND pid <> pg_backend_pid() ${1:-}) AS sleeper" >/dev/null
}

# waits_for_a_lock: a session of the runner does.
waits_for_a_lock() {
    [ "$(sql "SELECT count(*) > 0 FROM pg_stat_activity
        WHERE application_name = 'ubench' AND wait_event_type = 'Lock'")" = t ]
}

# sessions_left: how many the runner has on the server, once it had time to go.
sessions_left() {
    await none_left
    echo "$left"
}

# --- Connecting ---

connecting() {
    try -m 127.0.0.1 -P 1
    expect "no server at that port" 1 "connect: .*127.0.0.1.*port 1 failed: "
    try -m "$work"
    expect "a folder without a socket" 1 "connect: .*No such file"
    try -m "$work/nowhere"
    expect "no such folder" 1 "connect: $work/nowhere: No such file"
    try -m no-such-host.invalid
    expect "wrong host" 1 "connect: .*no-such-host.invalid"
    try -m "$work/nowhere,no-such-host.invalid,$host:$port"
    expect "wrong hosts, and another one" 0 ""
    try -m 192.0.2.1 --connect-timeout 2
    expect "a host that does not answer" 1 "connect: .*192.0.2.1"
    soon "a host that does not answer"
    try -p wrong-secret
    expect "wrong password" 1 "password authentication failed for user"
    PGHOSTADDR=192.0.2.1 try -m "$host" -P "$port" --connect-timeout 2
    expect "the host of -m, not that of PGHOSTADDR" 0 ""
    try -u nobody-here
    expect "wrong user" 1 "authentication failed for user .nobody-here"
    try -f no_such_database
    expect "no such database" 1 "database .no_such_database. does not exist"
    try -m "$socket/.s.PGSQL.$port"
    expect "a socket's file" 0 ""
    try -m "$socket" -P "$port"
    expect "a socket's folder" 0 ""
}

# outside COMMAND...: without what scripts/servers env has set.
outside() {
    env -u UBENCH_PGSQL_HOST -u UBENCH_PGSQL_PORT -u UBENCH_PGSQL_USER \
        -u UBENCH_PGSQL_PASSWORD -u UBENCH_USER -u UBENCH_PASSWORD HOME="$work" "$@" \
        >"$work/out" 2>"$work/err"
    status=$?
}

credentials() {
    echo "$host:$port:*:ubench:$password" >"$work/.pgpass"
    chmod 600 "$work/.pgpass"
    outside "$runner" -n 10 -m "$host" -P "$port" -u ubench
    expect "a password file" 0 ""
    outside "$runner" -n 10 -m "$host" -P "$port" -u ubench -p wrong-secret
    expect "-p wins over a password file" 1 "password authentication failed"
    rm "$work/.pgpass"
    outside env PGHOST="$host" PGPORT="$port" PGUSER=ubench \
        PGPASSWORD="$password" "$runner" -n 10
    expect "libpq's environment" 0 ""
    printf '[here]\nhost=%s\nport=%s\nuser=ubench\npassword=%s\n' \
        "$host" "$port" "$password" >"$work/services"
    outside env PGSERVICEFILE="$work/services" PGSERVICE=here "$runner" -n 10
    expect "a service file" 0 ""
}

secrecy() {
    launch -p "$password" -O "$work/run.json"
    ps -eo args >"$work/ps"
    check "the password is not in ps" "$(grep -c "$password" "$work/ps")" 0
    kill -TERM "$pid"
    land
    cat "$work/out" "$work/err" "$work/run.json" >"$work/all"
    check "the password is in no output" "$(grep -c "$password" "$work/all")" 0
    try -p "$password" -f no_such_database
    check "the password is in no error" \
        "$(grep -c "$password" "$work/err")" 0
}

# came NUMBER: that client is in, or was refused.  Nobody may ask the server: he
# would take a connection for himself.
came() {
    [ -e "$work/refused" ] || [ -e "$work/came$1" ]
}

too_many() {
    # One after the other, until one is refused: then all are taken.
    rm -f "$work/refused"
    for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
        {
            PGPASSWORD=$password psql -Xq -h "$socket" -p "$port" -U ubench \
                -d ubench -c "\\! : >$work/came$number" \
                -c 'SELECT pg_sleep(300)' >/dev/null 2>&1
            : >"$work/refused"
        } &
        await came "$number"
        [ ! -e "$work/refused" ] || break
    done
    try
    expect "max_connections reached" 1 \
        "connect: .*(too many clients|connection slots)"
    release 'LIMIT 1'
    try
    expect "one connection, where it takes two" 1 \
        "connect: .*(too many clients|connection slots)"
    release
}

# In a pool, the settings and locks of a session may be those of another one.
pooler() {
    if ! command -v pgbouncer >/dev/null; then
        skip "a connection pooler" "pgbouncer is not installed"
        return
    fi
    mkdir "$work/pooler"
    chmod 777 "$work/pooler"
    cat >"$work/pooler.ini" <<END
[databases]
* = host=$host port=$port user=ubench password=$password
[pgbouncer]
unix_socket_dir = $work/pooler
listen_port = 6432
auth_type = any
pool_mode = transaction
ignore_startup_parameters = extra_float_digits,options
END
    chmod 644 "$work/pooler.ini"
    user=
    [ "$(id -u)" -ne 0 ] || user='-u nobody'
    # shellcheck disable=SC2086 # words
    pgbouncer -q $user "$work/pooler.ini" >"$work/log" 2>&1 &
    pooler=$!
    await test -S "$work/pooler/.s.PGSQL.6432"
    try -m "$work/pooler" -P 6432
    expect "a connection pooler" 1 "a connection pooler answers.*name the server itself"
    check "it has no lock left" "$(sql "SELECT count(*) FROM pg_locks
        WHERE locktype = 'advisory'")" 0
    kill "$pooler"
    wait "$pooler" 2>/dev/null
}

# --- Whose tables these are ---

privileges() {
    sql 'CREATE DATABASE closed'
    sql 'REVOKE CONNECT ON DATABASE closed FROM PUBLIC'
    try -f closed
    expect "no privilege on the database" 1 \
        "permission denied for database .closed"
    sql 'CREATE DATABASE pattern OWNER ubench IS_TEMPLATE true'
    try -f pattern
    expect "a template, of which databases are copies" 1 \
        "database pattern is a template, .*CREATE DATABASE ubench"
    sql 'CREATE DATABASE reading OWNER ubench'
    sql 'ALTER DATABASE reading SET default_transaction_read_only = on'
    try -f reading
    expect "a database that is read-only" 1 "\(25006\); .*default_transaction_read_only=on"
    sql 'CREATE DATABASE strange'
    try -f strange
    expect "no privilege on the schema" 1 \
        "permission denied for schema public \(42501\)"
}

columns() {
    try
    sql 'ALTER TABLE lease4 ALTER hostname TYPE TEXT'
    try
    expect "a column of another type" 1 \
        "the column public.lease4.hostname was changed to text from character varying\(255\)"
    sql 'DROP TABLE lease4'
}

# Tables that another makes while a run reads the marker, and after it has looked and before
# it makes its own, while it waits to drop a table.
made_meanwhile() {
    sql 'CREATE DATABASE late OWNER ubench'
    try -f late -6
    makes_after ubench_marker EXCLUSIVE "$(sed 's/--.*//' "$top/schema/pgsql-lean.sql")"
    expect "a lease4 made meanwhile" 1 "ubench did not create the (table|index) public.lease4"
    check "it has its lease" "$(sql 'SELECT count(*) FROM lease4' late)" 1
    sql 'DROP TABLE lease4' late
    makes_after lease6 SHARE "$(sed 's/--.*//' "$top/schema/pgsql-lean.sql")"
    expect "a lease4 made later" 1 "relation \"lease4\" already exists"
    check "it has its lease" "$(sql 'SELECT count(*), (SELECT count(*) FROM lease6) FROM lease4' \
        late)" "1|0"
}

makes_after() { # TABLE MODE SQL
    sql "SET ROLE ubench; BEGIN; LOCK TABLE $1 IN ACCESS $2 MODE;
        DO \$\$BEGIN
            WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
        END\$\$;
        $3
        INSERT INTO lease4 (address) VALUES (1); COMMIT" late &
    making=$!
    await is_locked_in "$1"
    try -f late
    wait "$making"
}

is_locked_in() {
    [ "$(sql "SELECT count(*) FROM pg_locks WHERE mode LIKE 'Access%'
        AND relation = '$1'::regclass AND granted" late)" = 1 ]
}

# The connection that has a run's lock is lost, and comes again, unless another run is
# faster.
locks() {
    launch
    was=$(holder)
    sql "SELECT pg_terminate_backend($was)" >/dev/null
    await another_holds
    ok "a run has its lock again"
    sql "SELECT pg_advisory_lock(30050::bigint << 32 | oid::bigint), pg_sleep(300)
        FROM pg_namespace WHERE nspname = 'public'" >/dev/null 2>&1 &
    await another_waits
    sql "SELECT pg_terminate_backend($(holder))" >/dev/null
    land
    expect "another run has its place" 1 "in use by another run"
    release
}

holder() {
    sql "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
}

another_holds() {
    [ -n "$(holder)" ] && [ "$(holder)" != "$was" ]
}

another_waits() {
    [ -n "$(sql "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")" ]
}

# The whole of Kea's lease4, as a number.
kea_sum() {
    sql 'SELECT count(*), md5(string_agg(l::text, chr(10) ORDER BY address))
        FROM lease4 l' kea
}

kea() {
    if ! command -v kea-admin >/dev/null; then
        skip "a database of Kea" "kea-admin is not installed"
        return
    fi
    sql 'CREATE DATABASE kea OWNER ubench'
    if ! kea-admin db-init pgsql -u ubench -p "$password" -n kea -h "$host" \
        -P "$port" >"$work/kea" 2>&1; then
        not_ok "kea-admin db-init" "$(tail -n 3 "$work/kea")"
        return
    fi
    sql "INSERT INTO lease4 (address, hwaddr, client_id, valid_lifetime, expire,
            subnet_id, fqdn_fwd, fqdn_rev, hostname, state)
        SELECT 3221225984 + i, int8send(i), int8send(i), 3600, now(), 1, false,
            false, 'host-' || i, 0 FROM generate_series(1, 5000) i" kea
    before=$(kea_sum)
    for schema in lean kea; do
        try -f kea -S $schema
        expect "a Kea database full of leases, --schema $schema" 1 \
            "public.lease4 and no table .*CREATE TABLE ubench_mark"
        try -f kea -6 -S $schema
        expect "its other table, --schema $schema" 1 \
            "public.lease6 and no table .*CREATE TABLE ubench_mark"
    done
    check "every row is still there" "$(kea_sum)" "$before"
    # docs/measuring.md tells an owner to do this with a scratch copy.
    PGPASSWORD=$password psql -Xq -h "$host" -p "$port" -U ubench -d kea \
        -c "CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
    try -f kea -S lean
    expect "Kea's own table, --schema lean" 1 "only be used with --schema kea"
    check "every row is still there" "$(kea_sum)" "$before"
    for options in '--json' '-c no' '-6 --json' '-6 -c no' '-w dora' '-6 -w sarr'; do
        # shellcheck disable=SC2086 # words
        try -f kea -S kea $options
        expect "a marked scratch copy, $options" 0 ""
        case $options in
        *json) check "it is said to be Kea's" \
            "$(facts | grep -c '^made by=Kea (schema [0-9.]*)')" 1 ;;
        esac
    done
    check "Kea's counters agree" \
        "$(sql 'SELECT (SELECT sum(leases) FROM lease4_stat),
            (SELECT sum(leases) FROM lease6_stat)' kea)" \
        "$(sql 'SELECT (SELECT count(*) FROM lease4), (SELECT count(*) FROM lease6)' kea)"
    try -f kea -w release
    if [ "$(sql 'SELECT count(*) FROM lease_state WHERE state = 3' kea)" = 1 ]; then
        expect "a release" 0 ""
    else
        expect "this Kea has no state for it" 1 "the table refuses state 3, which RELEASE"
    fi
    try -f kea -w release-delete
    expect "a release that leaves nothing" 0 ""
    try -f kea -S kea -o unlogged=yes
    expect "Kea's own table is not altered" 2 "was not created by ubench"
}

in_use() {
    launch
    try
    expect "two runs at the same time" 1 "in use by another run"
    kill -TERM "$pid"
    land
    try
    expect "one after the other" 0 ""
}

# --- Answers that are right, and rows that are not ---

# spoil NAME STATEMENT CONDITION OPTION...: a run in which somebody does that behind its
# back while the run can change nothing, and while the condition says that it has still
# to do what the statement spoils.  A run that has done it already is begun again.
spoil() {
    name=$1 statement=$2 condition=$3
    shift 3
    for _ in $(seq 100); do
        before_launch
        begin -v no -s no "$@"
        await has_2000_leases || not_ok "$name" "it does not work: $(cat "$work/err")"
        early=$(sql "BEGIN; LOCK TABLE lease4 IN EXCLUSIVE MODE;
            SELECT $condition FROM lease4; $statement; COMMIT" | head -n 1)
        [ "$early" != t ] || break
        kill -TERM "$pid"
        land
        sql 'DROP FUNCTION IF EXISTS spoil() CASCADE' 2>/dev/null
    done
    land
    sql 'DROP FUNCTION IF EXISTS spoil() CASCADE' 2>/dev/null
    expect "$name" 3 "wrong answer: .*reading back .* whose hostname differs from the stored"
}

has_2000_leases() {
    [ "$(sql 'SELECT count(*) >= 2000 FROM lease4' 2>&1)" = t ] || over
}

spoilt() {
    trigger="CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN
        IF NEW.address % 1000 = 3 THEN NEW.hostname = 'x'; END IF; RETURN NEW; END\$\$;
        CREATE TRIGGER spoil BEFORE UPDATE ON lease4 FOR EACH ROW EXECUTE FUNCTION spoil()"
    # The churn of 2,000 neither updates nor deletes these of 4,000, and reads them back.
    untouched="UPDATE lease4 SET hostname = 'x'
        WHERE address BETWEEN 16777216 + 1000 AND 16777216 + 1999"
    spoil "one update of 1,000 is spoilt: phases" "$trigger" "count(*) < 10000" -n 10k -H 0
    spoil "one update of 1,000 is spoilt: churn" "$trigger" "max(address) < 16777216 + 21000" \
        -w churn --preload 20k -n 15k -t 2
    spoil "another session changes a row" "$untouched" \
        "max(address) < 16777216 + 4600" -w churn --preload 4k -n 2k
}

# --- In mid-phase ---

interrupted() {
    launch
    kill -INT "$pid"
    land
    expect "^C" 130 ""
    soon "^C"
    reported "^C"
    launch
    hold $long 'LOCK TABLE lease4'
    kill -INT "$pid"
    land
    expect "^C while another session holds a lock" 130 ""
    soon "^C while another session holds a lock"
    check "nothing of it is left on the server" "$(sessions_left)" 0
    begin
    await waits_for_a_lock
    kill -INT "$pid"
    land
    expect "^C while it waits for a lock to begin" 130 ""
    soon "^C while it waits for a lock to begin"
    check "nothing of that is left either" "$(sessions_left)" 0
    release
}

cut_off() {
    for compiled in yes no; do
        launch -c $compiled
        sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'ubench'
            ORDER BY backend_start DESC LIMIT 1" >/dev/null
        land
        expect "the connection is cut, -c $compiled" 1 \
            "create: (terminating.*\(57P01\)|server closed.*request.) \(while"
        soon "the connection is cut"
        reported "the connection is cut, -c $compiled"
    done
}

timed_out() {
    launch -o statement_timeout=5s
    hold $long 'LOCK TABLE lease4'
    land
    expect "a statement timeout" 1 "statement timeout \(57014\) \(while"
    reported "a statement timeout"
    release
    launch --read-timeout 5
    hold $long 'LOCK TABLE lease4'
    land
    expect "a lock held for longer than --read-timeout" 1 \
        "create: no answer from the server within 5 s"
    soon "a lock held for longer than --read-timeout"
    release
}

# processes: the server and all of its children.
processes() {
    echo "$server_pid $(ps -o pid= --ppid "$server_pid" | tr '\n' ' ')"
}

stopped() {
    launch --read-timeout 5
    # shellcheck disable=SC2046 # a list of numbers
    kill -STOP $(processes)
    land
    expect "a server that has stopped answering" 1 "within 5 s"
    soon "a server that has stopped answering"
    reported "a server that has stopped answering"
    try --connect-timeout 2
    expect "connecting to it" 1 "connect: .*timeout expired"
    begin --connect-timeout "$long"
    await is_connecting
    kill -INT "$pid"
    land
    expect "^C while connecting to it" 130 ""
    soon "^C while connecting to it"
    # shellcheck disable=SC2046
    kill -CONT $(processes)
    launch
    # shellcheck disable=SC2046
    kill -STOP $(processes)
    kill -INT "$pid"
    land
    expect "^C while the server does not answer" 130 ""
    soon "^C while the server does not answer"
    # shellcheck disable=SC2046
    kill -CONT $(processes)
    launch --reconnect 1h --read-timeout 1 --connect-timeout "$long"
    note_sockets
    # shellcheck disable=SC2046
    kill -STOP $(processes)
    await has_lost 1 # it connects anew
    kill -INT "$pid"
    land
    check "^C while a session connects" "$status" 130
    soon "^C while a session connects"
    # shellcheck disable=SC2046
    kill -CONT $(processes)
}

killed() {
    launch
    # shellcheck disable=SC2046 # a list of numbers
    kill -9 $(processes)
    land
    expect "the server is killed" 1 \
        "create: (server closed the connection unexpectedly|terminating connection because|terminating connection due to).*\(while creating"
    soon "the server is killed"
    reported "the server is killed"
    stop_server
    start_server
    try
    expect "after its return" 0 ""
}

full() {
    if [ "$(id -u)" -ne 0 ]; then
        skip "a full disk" "only root can make a small one"
        return
    fi
    mkdir "$work/small"
    if ! mount -t tmpfs -o size=200M tmpfs "$work/small" 2>/dev/null; then
        echo "left out: a full disk: mount is not allowed"
        return
    fi
    small=$work/small
    chmod 755 "$work" "$small"
    if (
        UBENCH_SERVERS=$small/servers
        start_server -- -c max_wal_size=32MB -c wal_recycle=off
        room=$(df --output=avail -k "$small" | tail -n 1)
        head -c "$(((room - 24000) * 1024))" /dev/zero >"$small/filler"
        "$runner" -n 10M -L guide -s no >"$work/out" 2>"$work/err" </dev/null
        status=$?
        rm "$small/filler"
        exit $status
    ); then
        not_ok "a full disk" "it ended as if nothing were wrong"
    else
        status=$?
        expect "a full disk" 1 \
            "(No space left|could not extend file|server closed the connection)"
        reported "a full disk"
    fi
    UBENCH_SERVERS=$small/servers "$servers" stop pgsql
    umount "$small" && small=''
}

# --- What goes over the wire ---

# calls COUNT OPTION...: how often the runner sends something and reads something
# in such a run.  A read that finds nothing is none.
calls() {
    count=$1
    shift
    # The leak sanitizer traces too, and only one can.
    ASAN_OPTIONS=detect_leaks=0 \
        strace -f -qq -e trace=sendto,recvfrom -o "$work/strace" \
        "$runner" -n "$count" -v no "$@" >"$work/out" 2>"$work/err" ||
        echo "failed failed"
    # The thread that works finds out: another looks each second what the class is.
    awk '/ = [0-9]/ && /sendto/ { sent[$1]++ } / = [0-9]/ && /recvfrom/ { read[$1]++ }
        END {
            for (thread in sent)
                if (sent[thread] > sent[most])
                    most = thread
            print sent[most] + 0, read[most] + 0
        }' "$work/strace"
}

round_trips() {
    if ! strace -o /dev/null true 2>/dev/null; then
        skip "one round trip for an operation" "strace cannot be used"
        return
    fi
    try # makes the tables
    # Each row is read back after the updates.
    for compiled in yes no; do
        # shellcheck disable=SC2046 # two numbers each
        set -- $(calls 100 -c $compiled) $(calls 200 -c $compiled)
        if [ $# -ne 4 ]; then
            not_ok "one round trip for an operation" "$(cat "$work/err")"
            continue
        fi
        check "one round trip for an operation, -c $compiled" \
            "$(($3 - $1)) sent, $(($4 - $2)) read" "500 sent, 500 read"
    done
}

# By us, since the server's autovacuum is off.
is_analyzed() {
    [ "$(sql "SELECT reltuples FROM pg_class WHERE relname = 'lease4'")" = 700 ]
}

analyzed() {
    launch -w renew --preload 700
    check "the table is analyzed once it is filled" "$(await is_analyzed && echo yes)" yes
    kill -INT "$pid"
    land
}

scans() {
    try -w renew --preload 3000 -n 200 -o enable_indexscan=off -o enable_bitmapscan=off --json
    check "tables are scanned" "$(get '[one["code"] for one in r["warnings"]
        if one["code"] == "table-scanned"]' "$work/out")" '["table-scanned"]'
    try -w renew --preload 3000 -n 200 --json
    check "and none with indexes" \
        "$(get 'r["runs"][0]["phases"][0]["usage"]["server_scanned_rows"]' "$work/out")" 0
    check "which are counted" "$(facts | grep '^index use=')" \
        "index use=lease4_pkey 400, lease4_by_client_id_subnet_id 200"
    try -n 1000 --warmup 200 --json
    check "of the timed part alone" "$(facts | grep '^index use=')" "index use=lease4_pkey 3000"
    try -n 10 --json
    check "or none" "$(facts | grep '^index use=')" "index use=none"
}

# One session syncs with each renewal, and both of a turn's counts are of that turn.  The
# server writes a page as a whole once, which is much where there are few renewals.
turn_counts_syncs() {
    check "a turn counts its syncs" "$(printf 'turn 300\nturn 300\nend\n' |
        "$runner" -w renew --preload 700 -s yes --turns -v no 2>&1 | python3 -c '
import json, sys
for line in sys.stdin:
    if line.startswith("turn "):
        turn = json.loads(line[5:])
        done, bytes = turn["operations"], turn["log_bytes"] / turn["operations"]
        is_right = done <= turn["syncs"] <= 1.1 * done + 20 and 50 < bytes < 20000 + 1e6 / done
        print("as it did" if is_right else line, end=" ")')" \
        "as it did as it did "
}

# Sessions write the pages that their server has no memory for.
written() {
    stop_server
    start_server -- -c shared_buffers=128kB -c bgwriter_lru_maxpages=0 -c checkpoint_timeout=1h
    try -S kea -s no -n 2k --activity --json
    expect "a server with little memory" 0 ""
    check "pages that sessions write are counted" "$(get '(lambda a: a["pages_written"][-1] * 8192
        >= max(filter(None, a["data_bytes"])) / 2)(r["runs"][0]["activity"])' "$work/out")" true
}

need_server pgsql -- -c max_connections=10 -c superuser_reserved_connections=3 \
    -c autovacuum=off || {
    summary
    exit
}
too_many
connecting
credentials
secrecy
pooler
privileges
columns
made_meanwhile
locks
kea
in_use
interrupted
spoilt
cut_off
timed_out
stopped
round_trips
replayed
analyzed
scans
turn_counts_syncs
killed
full
written
summary
