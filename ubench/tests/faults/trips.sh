#!/bin/sh
# SPDX-License-Identifier: ISC
# trips.sh: exchanges with each value of --trips, on real servers of its own: the same work, the
# same leases left in the table, and fewer round trips; a wrong answer is found in each.  See
# cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# The round trips of an exchange in series, in a pipeline and with procedures.
cat >"$work/trips" <<'END'
dora 8 3 2
dora-known 4 3 2
renew 3 2 1
init-reboot 4 2 1
release 2 2 1
release-delete 2 2 1
decline 2 2 1
-6 sarr 5 3 2
-6 renew 2 2 1
-6 release 2 2 1
-6 release-delete 2 2 1
-6 decline 2 2 1
END

# leases [6]: all that the last run has left, as a sum of the rows.
leases() {
    case $store in
    mysql) mysql_sql "SELECT * FROM lease${1:-4} ORDER BY address" ubench ;;
    pgsql) pgsql_sql "SELECT * FROM lease${1:-4} ORDER BY address" ;;
    esac | cksum
}

# how TRIPS: the options for it; the protocol of MySQL sends texts alone together.
how() {
    echo "--trips $1"
    [ "$store $1" != "mysql pipeline" ] || echo "-c no"
}

# work_of TRIPS OPTION...: the digest, the leases left and the round trips of each exchange.
work_of() {
    trips=$1 family=4
    shift
    [ "$1" != -6 ] || family=6
    # shellcheck disable=SC2046 # words
    if ! "$runner" -v no -s no --preload 200 --json $(how "$trips") "$@" >"$work/out" \
        2>"$work/err"; then
        cat "$work/err"
        return
    fi
    get 'r["runs"][0]["digest"]' "$work/out"
    leases $family
    get '[phase.get("round_trips", sum(step["count"] for step in phase["steps"]))
        / max(1, phase["operations"]) for phase in r["runs"][0]["phases"]]' "$work/out"
}

# same NAME OPTION...: the work is the same with all of --trips; leaves the round trips in
# $pipeline and $procedure.
same() {
    name=$1 pipeline='' procedure=''
    shift
    series=$(work_of series "$@")
    for trips in pipeline procedure; do
        got=$(work_of $trips "$@")
        check "$store: $name, $trips" "$(echo "$got" | sed '$d')" "$(echo "$series" | sed '$d')"
        eval "$trips=\$(echo \"\$got\" | sed -n '\$s/[][]//gp')"
    done
    series=$(echo "$series" | sed -n '$s/[][]//gp')
}

each_exchange() {
    while read -r line; do
        # shellcheck disable=SC2086 # words
        set -- $line
        six=
        [ "$1" != -6 ] || { six=-6 && shift; }
        # shellcheck disable=SC2086 # or none
        same "${six}$1" $six -w "$1" -n 60 -t 3
        check "$store: $six$1: round trips" "$series $pipeline $procedure" "$2.0 $3.0 $4.0"
    done <"$work/trips"
}

# Mixes have the server's own work between those of clients; --probes looks up other clients'
# addresses; all clients have a lease before, or the store its counters.
others() {
    for mix in steady guests; do
        same "$mix" -w $mix -n 100 -t 2
        same "-6 $mix" -6 -w $mix -n 100 -t 2
    done
    same "probes" -w dora -n 60 -t 2 --probes 4
    check "$store: probes: round trips" "$series $pipeline $procedure" "11.0 6.0 5.0"
    same "counters" -w guests -n 100 -S kea+stats
    same "a long lease" -w dora -n 60 -L guide
    check "$store: text" "$(work_of procedure -w dora -n 60 -c no)" \
        "$(work_of procedure -w dora -n 60)"
}

# spoil TRIPS WORKLOAD STATEMENT PATTERN: the run waits for its turn while the statement is made.
spoil() {
    name="$store: $1: $2: $3" trips=$1 statement=$3 pattern=$4
    rm -f "$work/turns" "$work/out" # "ready" must be this run's
    mkfifo "$work/turns"
    # shellcheck disable=SC2046 # words
    "$runner" -s no -w "$2" -n 50 --preload 100 --turns $(how "$trips") <"$work/turns" >"$work/out" \
        2>"$work/err" &
    pid=$!
    exec 3>"$work/turns"
    await is_ready
    "${store}_sql" "$statement" ubench
    printf 'turn 100\nend\n' >&3
    exec 3>&-
    wait "$pid"
    status=$?
    expect "$name" 3 "wrong answer: $pattern"
}

is_ready() {
    grep -qs '^ready' "$work/out" || ! kill -0 "$pid" 2>/dev/null
}

wrong_answers() {
    for trips in series pipeline procedure; do
        spoil "$trips" renew "UPDATE lease4 SET hostname = 'x'" \
            'renew: client-id .* returned a lease whose hostname differs from the stored'
        spoil "$trips" release 'DELETE FROM lease4' \
            'release: address .* returned MISS; a correct store returns HIT'
        spoil "$trips" dora-known 'UPDATE lease4 SET client_id = NULL' \
            'dora-known: discover client-id .* returned MISS; a correct store returns HIT'
    done
}

# What ubench did not create has no procedures; what it created goes with the next run.
ownership() {
    try -w renew --trips procedure
    expect "$store: procedures" 0 ""
    try -w renew
    case $store in
    mysql) left=$(mysql_sql "SELECT COUNT(*) FROM information_schema.routines
        WHERE routine_schema = 'ubench'") ;;
    pgsql) left=$(pgsql_sql "SELECT count(*) FROM pg_proc WHERE proname LIKE 'ubench%'") ;;
    esac
    check "$store: procedures are gone after the next run" "$left" 0
}

for name in mysql pgsql; do
    if need_server $name; then
        each_exchange
        others
        wrong_answers
        ownership
    fi
done
summary
