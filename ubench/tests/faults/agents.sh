#!/bin/sh
# SPDX-License-Identifier: ISC
# agents.sh: four generators, in network namespaces if this is root, load one MariaDB
# or MySQL and one PostgreSQL: together they do what one run does, they keep their
# schedules, and neither ^C nor a generator that is killed leaves a lock, a setting or
# a process behind.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
agents=$top/scripts/agents
TMPDIR=$work
export BIN="$bin" TMPDIR

hosts=
for number in 1 2 3 4; do
    space=ubench-$$-$number
    # Where a namespace can be made, it may still be out of reach, as in a chroot.
    ip netns add "$space" 2>/dev/null || break
    ip netns exec "$space" true 2>/dev/null || break
    hosts=$hosts,netns:$space
done
clean_up() {
    for number in 1 2 3 4; do
        ip netns del "ubench-$$-$number" 2>/dev/null
    done
}
case $hosts in
,*,*,*,*) ;;
*) hosts=,local,local,local,local ;;
esac
hosts=${hosts#,}

# gather OPTION...: a run from all hosts, whose line is in line.
gather() {
    rm -f "$work/line"
    "$agents" -O "$work/line" "$hosts" -- "$runner" -m "$socket" -P "$port" -s no "$@" \
        >"$work/out" 2>"$work/err"
    status=$?
}

# of_line EXPRESSION: of Python, about the result, r, and its run, one.
of_line() {
    python3 -c 'import json, sys
r = json.load(sys.stdin)
one = r["runs"][0]
print('"$1"')'
}

# whole NAME OPTION...: the parts do what one run does.  Where the machine is busy,
# they may be at work at different times; then nothing was wrong, but there is no line.
whole() {
    name=$1
    shift
    gather -t 8 "$@"
    if [ "$status" -eq 1 ] && grep -q 'all parts were at work in' "$work/err"; then
        ok "$name, at different times"
        return
    fi
    check "$name: status" "$status $(cat "$work/err")" "0 "
    check "$name: digest" "$(of_line 'one["digest"]' <"$work/line")" \
        "$("$bin/null_ubench" -t 8 "$@" --json | of_line 'one["digest"]')"
    check "$name: leases left" "$(of_line 'one["leases_left"]' <"$work/line")" 0
}

# settings_STORE: what a run sets for the whole server.
settings_mysql() { mysql_sql 'SELECT @@GLOBAL.innodb_flush_log_at_trx_commit'; }
settings_pgsql() { pgsql_sql 'SHOW synchronous_commit'; }

# locked_STORE: a run has the database.
locked_mysql() {
    [ "$(mysql_sql "SELECT IS_USED_LOCK(CONCAT('ubench.', LEFT(SHA2('ubench', 256), 32)))")" != NULL ]
}
locked_pgsql() {
    [ -n "$(pgsql_sql "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")" ]
}

# begin_all SECONDS: a run of a day, from all hosts; returns when all parts are there and
# the first has the database, and after SECONDS more.
begin_all() {
    before=$("settings_$store")
    env --default-signal=INT setsid "$agents" "$hosts" -- "$runner" -m "$socket" -P "$port" \
        -s no -t 4 -w renew --rate 4 --duration 24h >"$work/out" 2>"$work/err" </dev/null &
    script=$!
    await started
    await "locked_$store" || ! kill -0 "$script" 2>/dev/null
    sleep "$1"
}
started() {
    parts=$(cat "/proc/$script/task/$script/children" 2>/dev/null)
    # shellcheck disable=SC2086 # numbers
    set -- $parts
    [ $# -eq 4 ] || ! kill -0 "$script" 2>/dev/null
}

# ended NAME STATUS: nothing is left, and the next run finds its way.  It puts back
# what a generator that was killed has set.
ended() {
    wait "$script"
    check "$1: status" "$?" "$2"
    await no_runner && ok "$1: no part is left"
    [ "$2" -eq 1 ] || check "$1: settings" "$("settings_$store")" "$before"
    rm -rf "$work"/ubench-agents.*
    try -s no
    check "$1: the next run" "$status" 0
    check "$1: settings after it" "$("settings_$store")" "$before"
}
no_runner() { ! pgrep -f -- "^$runner .*--part" >/dev/null; }

cases() {
    whole "$store: phases" -n 5000 --preload 2000 -b 10
    whole "$store: exchanges" -n 3000 -w renew=6,dora=3,release-delete=1 --warmup 100

    # An hour to answer, so that no machine is too slow.
    gather -t 4 -w renew --rate 200 --duration 10s --deadline 1h
    check "$store: rate" "$status $(cat "$work/err")" "0 "
    check "$store: rate, answered and asked for" "$(of_line '[
        (t["offered"] > 1700, t["offered"] == t["answered"], t["rate_per_s"] == 200)
        for t in one["trials"]]' <"$work/line")" "[(True, True, True)]"
    check "$store: hosts" "$(of_line '",".join(part["host"] for part in r["parts"])' \
        <"$work/line")" "$hosts"
    check "$store: read by all commands" "$(for command in tables 'answer --explain' show page; do
        # shellcheck disable=SC2086 # words
        "$bin/ubench_report" $command "$work/line" 2>&1 | grep -c "$store" |
            sed 's/^[1-9].*/yes/'
    done | xargs)" "yes yes yes yes"

    begin_all 1
    try -s no
    expect "$store: another run meanwhile" 1 "another"
    kill -INT "$script"
    ended "$store: ^C" 130
    begin_all 4
    kill -TERM "$script"
    ended "$store: SIGTERM" 143
    begin_all 4
    kill -TERM "-$script"
    ended "$store: SIGTERM to all processes" 143
    for number in 1 3; do
        begin_all 4
        kill -KILL "$(echo "$parts" | cut -d ' ' -f "$number")"
        ended "$store: generator $number is killed" 1
    done
    begin_all 4
    kill -KILL "$script"
    ended "$store: agents is killed" 137
}

for name in mysql pgsql; do
    ! need_server "$name" || cases
done
summary
