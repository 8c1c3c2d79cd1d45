#!/bin/sh
# SPDX-License-Identifier: ISC
# batches.sh: exchanges whose clients are answered after a commit that they share (--batch), on
# SQLite and on real servers of its own: the digest and the leases left in the table are those of
# single commits, also with fewer round trips; so they are after deadlocks, and at a rate each
# client is answered.  A server that is killed before a commit ends the run.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# leases [6]: all that the last run has left, as a sum of the rows.
leases() {
    case $store in
    sqlite) python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(f"SELECT * FROM {sys.argv[2]} ORDER BY address"):
    print(row)' "$work/leases.db" "lease${1:-4}" ;;
    mysql) mysql_sql "SELECT * FROM lease${1:-4} ORDER BY address" ubench ;;
    pgsql) pgsql_sql "SELECT * FROM lease${1:-4} ORDER BY address" ;;
    esac | cksum
}

# work_of OPTION...: the digest, the leases left and the number of exchanges.
work_of() {
    family=4
    [ "$1" != -6 ] || family=6
    [ "$store" != sqlite ] || set -- "$@" -f "$work/leases.db"
    if ! "$runner" -v no -s no --preload 200 --json "$@" >"$work/out" 2>"$work/err"; then
        cat "$work/err"
        return
    fi
    get 'r["runs"][0]["digest"]' "$work/out"
    leases $family
    get 'sum(phase["operations"] for phase in r["runs"][0]["phases"])' "$work/out"
}

# commits: the transactions of the last run.
commits() {
    get 'sum(phase["commit"]["count"] for phase in r["runs"][0]["phases"] if phase["commit"])' \
        "$work/out"
}

# same NAME OPTION...: the work is that of single commits.
same() {
    name=$1
    shift
    single=$(work_of "$@")
    for batch in 7 1000 16,1ms; do
        check "$store: $name -b $batch" "$(work_of "$@" -b $batch)" "$single"
    done
}

each_exchange() {
    for workload in dora dora-known renew init-reboot release release-delete decline \
        renew=5,dora=3,release=1; do
        same "$workload" -w $workload -n 60 -t 2
    done
    for workload in sarr renew release release-delete decline; do
        same "-6 $workload" -6 -w $workload -n 60 -t 2
    done
    same "probes and text" -w dora -n 60 --probes 4 -c no
    same "reservations" -w dora -n 60 --hosts 30
    [ "$(work_of -w renew -n 60 -b 16 | wc -l)" -eq 3 ] || not_ok "$store" "$(cat "$work/err")"
    check "$store: 60 renewals by 16" "$(commits)" 4
    for trips in pipeline procedure; do
        [ "$store" != sqlite ] || continue
        text=$([ "$store $trips" != "mysql pipeline" ] || echo "-c no")
        # shellcheck disable=SC2086 # or none
        same "--trips $trips" -w renew=5,dora=3,release=1 -n 60 -t 2 --trips $trips $text
    done
}

# Each request is answered once, in the closed loop before as in the trial.
at_a_rate() {
    for batch in 8 5ms 8,5ms; do
        target=$([ "$store" != sqlite ] || echo "-f $work/leases.db")
        # shellcheck disable=SC2086 # or none
        "$runner" -v no -s no -w renew --rate 200 --duration 1s --deadline 60s -t 2 -b $batch \
            --json $target >"$work/out" 2>"$work/err"
        status=$?
        expect "$store: --rate -b $batch" 0 ""
        check "$store: --rate -b $batch: all answered" "$(get '(lambda run, trial:
            trial["offered"] == trial["answered"] == run["phases"][0]["operations"])(
            r["runs"][0], r["runs"][0]["trials"][0])' "$work/out")" true
    done
}

# A session beside it locks the rows of two clients in another order, until one of the server's
# victims is the batch.  MySQL and MariaDB choose the one with fewer changes.
deadlocks() {
    changes=
    while [ "${#changes}" -lt 20000 ]; do
        changes="$changes UPDATE lease4 SET valid_lifetime = valid_lifetime + 1
            WHERE address = $first;"
    done
    rm -f "$work/turns" "$work/out" # "ready" must be this run's
    mkfifo "$work/turns"
    "$runner" -s no -w renew -n 200 --preload 2 --turns -b 100 <"$work/turns" >"$work/out" \
        2>"$work/err" &
    pid=$!
    exec 3>"$work/turns"
    await is_ready
    while kill -0 "$pid" 2>/dev/null; do
        lock_both
    done >"$work/locks" 2>&1 &
    locks=$!
    turns=0
    until has_repeated || ! kill -0 "$pid" 2>/dev/null || [ "$turns" -eq 200 ]; do
        printf 'turn 300\n' >&3
        turns=$((turns + 1))
        await turns_done $turns
    done
    printf 'end\n' >&3
    exec 3>&-
    wait "$pid"
    status=$?
    wait "$locks"
    expect "$store: beside deadlocks" 0 ""
    has_repeated || not_ok "$store: beside deadlocks" "no batch was repeated: $(cat "$work/out")"
}

has_repeated() {
    grep -q '"errors":[1-9]' "$work/out"
}

lock_both() {
    both='UPDATE lease4 SET user_context = user_context WHERE address'
    case $store in
    mysql) mysql_sql "START TRANSACTION; $changes $both = $first + 1; ROLLBACK;
        START TRANSACTION; $both = $first + 1; DO SLEEP(0.005); $both = $first; ROLLBACK" ubench ;;
    pgsql) pgsql_sql "BEGIN; $both = $first; SELECT pg_sleep(0.005); $both = $first + 1;
        ROLLBACK; BEGIN; $both = $first + 1; SELECT pg_sleep(0.005); $both = $first;
        ROLLBACK" ;;
    esac
}

is_ready() {
    grep -qs '^ready' "$work/out" || ! kill -0 "$pid" 2>/dev/null
}

turns_done() {
    [ "$(grep -c '^turn' "$work/out")" -ge "$1" ] || ! kill -0 "$pid" 2>/dev/null
}

# The session is ended while its batch is open, for longer than any other transaction.
lost_session() {
    begin -s no -w renew --rate 20 --duration 100s -b 1000 -v no
    await has_open_batch
    case $store in
    mysql) mysql_sql "KILL CONNECTION $session" ;;
    pgsql) pgsql_sql "SELECT pg_terminate_backend($session)" >"$work/log" ;;
    esac
    wait "$pid"
    status=$?
    expect "$store: a session ends before its commit" 1 "(Lost connection|terminating connection).*renew: "
}

has_open_batch() {
    case $store in
    mysql) session=$(mysql_sql "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx
        WHERE trx_started < NOW() - INTERVAL 10 SECOND AND trx_rows_modified > 0 LIMIT 1") ;;
    pgsql) session=$(pgsql_sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'ubench'
        AND state LIKE 'idle in%' AND xact_start < now() - interval '10 s' LIMIT 1") ;;
    esac
    [ -n "$session" ] || ! kill -0 "$pid" 2>/dev/null
}

store=sqlite runner=$bin/sqlite_ubench
each_exchange
at_a_rate
for name in mysql pgsql; do
    if need_server $name; then
        each_exchange
        at_a_rate
        first=16777216 # 1.0.0.0
        deadlocks
        lost_session
    fi
done
summary
