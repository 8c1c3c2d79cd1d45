#!/bin/sh
# SPDX-License-Identifier: ISC
# kills.sh [COUNT]: runners of all stores that are killed at random moments by SIGKILL,
# SIGTERM, SIGQUIT and SIGINT, COUNT times (20).  After each the next run works, the
# server's settings are what they were, no other table or file was touched, and no
# line of --output was lost, or cut without a word.  SEED chooses the moments.  See
# cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
count=${1:-20}
seed=${SEED:-1}
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd)
leases="CREATE TABLE lease4 (address BIGINT PRIMARY KEY);
    INSERT INTO lease4 VALUES (1), (2)"

# STORE_prepare: what is another's: leases of its own; STORE_others: all of that; STORE_settings: what a run sets for the whole server.
# $target is where the runs are.
memfile_prepare() {
    echo notes >"$work/memfile.notes"
    target=$work/memfile
}
memfile_others() {
    cat "$work/memfile.notes"
}
memfile_settings() { :; }

sqlite_prepare() {
    target=$work/sqlite.db
    "$helpers/sqlite_exec" "$work/kea.db" "$leases"
}
sqlite_others() {
    cat "$work/kea.db"
}
sqlite_settings() { :; }

mysql_prepare() {
    target=ubench
    mysql_sql "CREATE DATABASE kea; USE kea; $leases"
}
mysql_others() { # without how much MySQL has done
    mysqldump --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" --skip-dump-date --skip-comments kea |
        grep -v GTID_PURGED
}
mysql_settings() {
    mysql_sql 'SELECT @@GLOBAL.innodb_flush_log_at_trx_commit,
        @@GLOBAL.sync_binlog, @@GLOBAL.innodb_io_capacity'
}

pgsql_prepare() {
    target=ubench
    pgsql_sql 'CREATE DATABASE kea' && pgsql_sql "$leases" kea
}
pgsql_others() { # without the key that newer ones put around it
    pg_dump -d "$UBENCH_PGSQL_ADMIN dbname=kea" | grep -v '^\\.*restrict'
}
pgsql_settings() {
    pgsql_sql 'SHOW synchronous_commit'
}

null_prepare() {
    target=''
}
null_others() { :; }
null_settings() { :; }

# plan: a line for each kill: its number, the store, the signal, when, in seconds, and
# how the run is started.
plan() {
    awk -v count="$count" -v seed="$seed" -v list="$1" '
        function one(words, n) { n = split(words, w, " "); return w[1 + int(rand() * n)] }
        BEGIN {
            srand(seed)
            stores = split(list, store, " ")
            for (i = 1; i <= count; i++)
                printf "%d %s %s %.3f %s %s %s\n", i, store[1 + i % stores],
                    one("KILL TERM QUIT INT"),
                    rand() < 0.5 ? rand() / 5 : rand() * 1.5,
                    one("lean kea"), one("yes no"), one("1 3")
        }'
}

# next_run LABEL: a whole one.  What a killed client has begun may keep the tables for
# a moment, which is longer on a busy machine.
next_run() {
    for _ in $(seq 1200); do
        # shellcheck disable=SC2086 # the store null has no target
        try ${target:+-f "$target"} -n 10 -O "$work/out.jsonl" --label "n=$1"
        grep -qE "in use by another|another ubench" "$work/err" || break
        sleep 0.5
    done
    [ "$status" -eq 0 ]
}

# strike NUMBER STORE SIGNAL SECONDS SCHEMA SYNC THREADS
strike() {
    name="kill $*" store=$2 runner=$bin/$2_ubench signal=$3
    eval "target=\$target_$store"
    set -- "$@" ${target:+-f "$target"}
    number=$1 moment=$4
    schema="-S $5" options="-s $6 -t $7"
    case $store in
    null) schema='' options="-t $7" ;;
    memfile) schema='' ;;
    mysql) options="$options -o innodb_io_capacity=300" ;;
    esac
    shift 7
    # shellcheck disable=SC2086 # words
    begin -v no -n 2M -O "$work/out.jsonl" --label "n=k$number" $schema $options "$@"
    sleep "$moment"
    kill "-$signal" "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    status=$?
    judge_killed
    next_run "a$number" || {
        not_ok "$name: the next run" "$(cat "$work/err")"
        stuck=yes
    }
    wanted="$wanted a$number"
    [ "$("${store}_settings")" = "$(cat "$work/$store.settings")" ] ||
        not_ok "$name: settings" "$("${store}_settings")"
    "${store}_others" >"$work/after" 2>&1
    cmp -s "$work/after" "$work/$store.others" ||
        not_ok "$name: what is another's" "$(diff "$work/$store.others" "$work/after")"
}

# judge_killed: it ended by the signal, or before it; what it said to have measured
# is in the file.
judge_killed() {
    case $signal-$status in
    KILL-137 | TERM-143 | QUIT-131 | INT-130) killed=$((killed + 1)) ;;
    *-0) ended=$((ended + 1)) ;;
    *)
        not_ok "$name" "exit status $status: $(cat "$work/err")"
        return
        ;;
    esac
    [ "$status" -eq 137 ] || ! grep -q '^create ' "$work/out" ||
        wanted="$wanted k$number"
}

# lines: each run that said that it had measured something has its line, once.
lines() {
    python3 -c 'import json, sys
for line in sys.stdin:
    try:
        print(json.loads(line)["labels"]["n"])
    except ValueError:
        pass' <"$work/out.jsonl" | sort >"$work/labels"
    echo "$wanted" | tr ' ' '\n' | grep . | sort >"$work/wanted"
    check "each line that was written is there" \
        "$(comm -13 "$work/labels" "$work/wanted" | tr '\n' ' ')" ""
    check "and once" "$(uniq -d "$work/labels" | tr '\n' ' ')" ""
}

prepare() { # STORE
    store=$1 runner=$bin/$1_ubench
    if [ ! -x "$runner" ]; then
        skip "$1" "it is not built"
        return
    fi
    case $store in mysql | pgsql) need_server "$store" || return ;; esac
    if ! "${store}_prepare" >"$work/log" 2>&1; then
        not_ok "$store: what is another's" "$(cat "$work/log")"
        return
    fi
    eval "target_$store=\$target"
    "${store}_others" >"$work/$store.others" 2>&1
    "${store}_settings" >"$work/$store.settings"
    stores="$stores $store"
}

# SIGQUIT may come before a runner heeds it.
# shellcheck disable=SC3045 # dash has it
ulimit -c 0
stores='' wanted='' killed=0 ended=0 stuck=''
for name in null memfile sqlite mysql pgsql; do
    prepare $name
done
plan "$stores" >"$work/plan"
while read -r number store signal moment schema sync threads; do
    strike "$number" "$store" "$signal" "$moment" "$schema" "$sync" "$threads" \
        </dev/null
    # Each of the others would wait as long.
    [ -z "$stuck" ] || break
done <"$work/plan"
check "$killed killed and $ended ended before it, of$stores, seed $seed" \
    $((killed + ended)) "$count"
lines
summary
