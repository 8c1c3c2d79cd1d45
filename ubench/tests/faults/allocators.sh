#!/bin/sh
# SPDX-License-Identifier: ISC
# allocators.sh: new clients of several servers on one pool of a real database: no address is given
# to two of them, no lease is lost, and the free list agrees with the leases.  And the race of
# Kea's free list, statement by statement.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# digest: of the last run.
digest() {
    sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' "$work/out"
}

# check_pool NAME OPTION...
check_pool() {
    name=$1
    shift
    try -s no "$@"
    expect "$store: $name" 0 ''
    check "$store: $name: verified" "$(grep -c 'no address given to two clients' "$work/out")" 1
}

# check_work NAME OPTION...: the same, and the work is the same as on the null store.
check_work() {
    name=$1
    shift
    "$bin/null_ubench" -v no "$@" >"$work/out" 2>&1
    wanted=$(digest)
    check_pool "$name" "$@"
    check "$store: $name: the digest" "$(digest)" "${wanted:-something}"
}

check_allocator() { # HOW ALLOCATOR
    for count in 1 8; do
        "$1" "$2, $count servers" -w dora -n 100 -t 8 --servers $count --allocator "$2" \
            --pool 2k --full 90%
    done
    "$1" "$2, fill" -w fill -n 30 -t 4 --servers 2 --allocator "$2" --pool 200
}

# check_trips ALLOCATOR OPTION...: DISCOVER with its pick and REQUEST are a round trip each.
check_trips() {
    queue=$1
    shift
    for count in 1 8; do
        check_pool "$queue, $count servers, procedures $*" -w dora -n 100 -t $count \
            --servers $count --allocator "$queue" --pool 2k --full 90% --trips procedure "$@"
    done
    try -s no --json -w dora -n 100 --allocator "$queue" --trips procedure "$@"
    check "$store: $queue: round trips $*" \
        "$(get 'r["runs"][0]["phases"][0]["round_trips"]' "$work/out")" 200
}

# check_turns ALLOCATOR: each turn begins with the pool as it was.
check_turns() {
    printf 'turn 200\nturn 200\nend\n' |
        "$runner" -s no --turns -w guests -n 400 -t 2 --allocator "$1" >"$work/out" 2>"$work/err"
    status=$?
    expect "$store: $1, in turns" 0 ''
    check "$store: $1, in turns: turns" "$(grep -c '^turn' "$work/out")" 2
}

# The race.  Two sessions pick an address; the first has not committed when the second begins.
pool='16777216, 16777225'
shared="SELECT ubench_flq_pick($pool);"

# skipping: a pick that skips locked rows.
skipping() {
    case $store in
    mysql) echo "CALL ubench_flq_offer($pool);" ;;
    pgsql) echo "SELECT ubench_flq_pick_skipping($pool);" ;;
    esac
}

# locking: what locks in the first session.  MySQL's pick commits by itself, so this is its search.
locking() {
    case $store in
    mysql) echo 'SELECT address FROM free_lease4 ORDER BY modification_ts, address LIMIT 1
        FOR UPDATE SKIP LOCKED;' ;;
    pgsql) skipping ;;
    esac
}

# client: reads SQL, and answers at once.
client() {
    case $store in
    mysql) mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B -n race ;;
    pgsql) psql -XqAt -v ON_ERROR_STOP=1 -d "$UBENCH_PGSQL_ADMIN dbname=race" ;;
    esac
}

# waits: some session waits for a lock of another.
waits() {
    case $store in
    mysql) [ "$(mysql_sql "SELECT COUNT(*) FROM information_schema.innodb_trx
        WHERE trx_state = 'LOCK WAIT'")" -gt 0 ] ;;
    pgsql) [ "$(pgsql_sql 'SELECT count(*) FROM pg_locks WHERE NOT granted')" -gt 0 ] ;;
    esac
}

ended() {
    [ -s "$work/second" ]
}

# race FIRST SECOND: sets $first and $second to what the sessions picked by these statements, and
# $waited to whether the second had to wait for the first to commit.
race() {
    rm -f "$work/pipe" "$work/first" "$work/second"
    mkfifo "$work/pipe"
    client <"$work/pipe" >"$work/first" 2>&1 &
    exec 9>"$work/pipe"
    { echo 'BEGIN;' && echo "$1"; } >&9
    await test -s "$work/first"
    sleep 0.2 # InnoDB shows who waits as it was when somebody last asked, if that is not 0.1 s ago
    echo "$2" | client >"$work/second" 2>&1 &
    if await waits_or_ended; then
        ended && waited=no || waited=yes
    fi
    echo 'COMMIT;' >&9
    exec 9>&-
    wait
    first=$(cat "$work/first") second=$(cat "$work/second")
}

waits_or_ended() {
    ended || waits
}

# make_queue: a database with a queue of ten addresses.
make_queue() {
    case $store in
    mysql) mysql_sql 'CREATE DATABASE race' ;;
    pgsql) pgsql_sql 'CREATE DATABASE race' postgres ;;
    esac
    cat "$top/schema/$store-kea.sql" "$top/schema/$store-flq.sql" "$top/schema/$store-skip.sql" |
        client >"$work/log" 2>&1
    case $store in
    mysql) mysql_sql 'CALL ubench_flq_create(16777216, 16777225);
        CALL ubench_flq_fill(16777216, 16777225)' race ;;
    pgsql) pgsql_sql 'SELECT ubench_flq_create(16777216, 16777225);
        SELECT ubench_flq_fill(16777216, 16777225)' race ;;
    esac
}

# same_or_refused: what the second pick says.  MariaDB 11.6 and later refuse to change a row that
# another transaction has changed since this one's snapshot.
same_or_refused() {
    if [ "$store" = mysql ] &&
        [ "$(mysql_sql 'SELECT @@innodb_snapshot_isolation' 2>/dev/null)" = 1 ]; then
        echo 'ERROR 1020'
    else
        echo 16777216
    fi
}

check_race() {
    make_queue
    race "$shared" "$shared"
    check "$store: shared-flq: the first pick" "$first" 16777216
    check "$store: shared-flq: the second waits for its commit" "$waited" yes
    check "$store: shared-flq: and then offers the same address, or fails" "${second%% (*}" \
        "$(same_or_refused)"
    race "$(locking)" "$(skipping)"
    check "$store: skip-locked: the first pick" "$first" 16777216
    check "$store: skip-locked: the second does not wait" "$waited" no
    check "$store: skip-locked: and offers another address" "$second" 16777217
}

# Whatever decides the class of the leases decides that of the list.
check_class() {
    case $store in
    mysql)
        check_pool "an engine" -w dora --engine MyISAM --allocator shared-flq
        kinds=$(mysql_sql "SELECT DISTINCT engine FROM information_schema.tables WHERE
            table_name IN ('lease4', 'free_lease4', 'flq_pool4') AND table_schema = 'ubench'")
        check "$store: all tables have it" "$kinds" MyISAM
        try -s no -w dora --engine MyISAM --allocator skip-locked
        expect "$store: an engine without row locks" 2 'needs the row locks of InnoDB, not MyISAM'
        ;;
    pgsql)
        check_pool "unlogged" -w dora -S kea+stats -o unlogged=yes --allocator skip-locked
        kinds=$(pgsql_sql "SELECT DISTINCT relpersistence FROM pg_class WHERE relkind = 'r'
            AND relname ~ '^(lease4|free_lease4|flq_pool4|ubench_lease4.*_stat)$'")
        check "$store: all tables are unlogged" "$kinds" u
        ;;
    esac
}

every_end=dora=40,dora-known=10,renew=20,release=5,release-delete=15,decline=5,reclaim=200

for kind in mysql pgsql; do
    need_server "$kind" || continue
    for allocator in iterative random flq; do
        check_allocator check_work $allocator
    done
    check_work 'IPv6' -6 -w sarr -n 100 -t 4 --servers 2 --allocator random
    for allocator in shared-flq skip-locked; do
        check_allocator check_pool $allocator
        check_turns $allocator
        check_trips $allocator
        check_trips $allocator -c no -S kea+stats
        check_pool "$allocator, as text" -w dora -c no -t 4 --servers 4 --allocator $allocator
        check_pool "$allocator, counters" -w dora -S kea+stats -t 4 --allocator $allocator
        for mix in steady guests "$every_end"; do
            check_pool "$allocator, $mix" -w "$mix" -n 300 -t 4 --servers 2 --allocator $allocator
        done
        check_pool "$allocator, guests as text" -w guests -c no -t 4 --allocator $allocator
    done
    check_pool "a list made in parts" -w dora -n 100 --pool 120k --allocator shared-flq
    check_class
    check_race
    stop_server
done
summary
