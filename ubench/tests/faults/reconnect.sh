#!/bin/sh
# SPDX-License-Identifier: ISC
# reconnect.sh: real servers of its own that are killed or stopped in the middle
# of a run with --reconnect, and come back or do not.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
memory=$(mktemp -d -p /dev/shm) || exit 1 # no crash takes a ledger there
clean_up() {
    rm -rf "$memory"
}

# said NAME PATTERN: the last run complained so, in one line, after the bar of progress.
said() {
    check "$1" "$(tr '\r' '\n' <"$work/err" | grep -cE "(^|\[K)${store}_ubench: .*$2")" 1
}

# launch OPTION...: a run in the background; returns when it works.
launch() {
    rm -f "$work/result" "$memory/ledger"
    : >"$work/result"
    : >"$work/err" # what is in it of the run before is no sign of life
    begin -O "$work/result" --reconnect=1h --progress=bar "$@"
    await works || not_ok "$store: it works" "$(cat "$work/err")"
}

works() {
    grep -qE '(create|search|update|churn|exchange|single) +[0-9]+ %.* left' "$work/err"
}

# member NAME: of what became of the last run's connections; 0 if it is not told.
member() {
    told=$(sed -n "s/.*\"reconnect\":{[^}]*\"$1\":\([0-9]*\).*/\1/p" \
        "$work/result")
    echo "${told:-0}"
}

# signal_server SIGNAL: to the server and all of its processes.
signal_server() {
    # shellcheck disable=SC2046 # a list of numbers
    kill "-$1" "$server_pid" $(ps -o pid= --ppid "$server_pid")
}

# The server dies as by a crash.
kill_server() {
    signal_server KILL
}

# The options of the server when it comes back.
options=

# Each fault lasts for more than a second from when the run has noticed it on.
away() {
    note_sockets
    kill_server
    await has_lost 1
    sleep 1.1
    # shellcheck disable=SC2086 # words
    start_server $options
}

# It neither answers nor closes its connections: that is as good as gone.
silence() {
    note_sockets
    signal_server STOP
    await has_lost 1
    sleep 1.1
    signal_server CONT
}

# suffer FAULT: the run meets it and comes to its end, $lasted seconds after.
suffer() {
    fault_began=$(date +%s)
    "$1"
    land
    lasted=$(($(date +%s) - fault_began + 1))
}

# meet FAULT COUNT OPTION...: a run of three threads that meets it and goes on; one
# that is over before is begun anew with more to do, which is left in $count.
meet() {
    fault=$1 count=$2
    shift 2
    for _ in 1 2 3 4 5; do
        launch -n "$count" -t 3 "$@"
        suffer "$fault"
        [ "$(member outages)" -eq 0 ] || break
        count=$((count * 4))
    done
    went_on
}

# comes_back NAME COUNT OPTION...: each answer is right in spite of an outage, which
# is one for all threads and lasts as long as the server was away at least.
comes_back() {
    name="$store: $1"
    shift
    meet away "$@"
}

silent() {
    name="$store: silence: $1"
    shift
    meet silence "$@" --read-timeout=20
}

# The messages of a run that went on, whose name is in $name.  A thread that had no
# more to ask the server needs no new connection.
went_on() {
    check "$name: exit status" "$status $(grep _ubench: "$work/err")" "0 "
    check "$name: outages and their ends" "$(member outages) $(member ended)" \
        "1 1"
    check "$name: a new connection for each thread that needs one" \
        "$(($(member connections) >= 1 && $(member connections) <= 3))" 1
    check "$name: it lasted more than 1 s, and no longer than the run after it" \
        "$(($(member outage_ns) > 1000000000 &&
            $(member outage_ns) <= lasted * 1000000000))" 1
    check "$name: what was in flight was settled" \
        "$(($(member found_done) + $(member repeated)))" "$(member unknown)"
    check "$name: it is printed" "$(grep -c '^outages *1, ' "$work/out")" 1
}

# The same work as without an outage: nothing left out, nothing twice.
same_digest() {
    comes_back "phases" 8000
    wanted=$("$bin/null_ubench" -v no -n "$count" | sed -n 's/^digest *\([0-9a-f]*\).*/\1/p')
    check "$store: the work is the same" \
        "$(sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' "$work/out")" "$wanted"
    python3 -B "$top/ubench/tests/lib/check_results.py" "$work/result" >"$work/schema"
    check "$store: its line keeps the schema" "$?" 0
}

# The exchanges of a DHCP server, and none of them twice.
exchanges() {
    comes_back "exchanges" 8000 -w steady --preload=3000
    wanted=$("$bin/null_ubench" -v no -n "$count" -w steady --preload=3000 |
        sed -n 's/^digest *\([0-9a-f]*\).*/\1/p')
    check "$store: exchanges: the work is the same" \
        "$(sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' "$work/out")" "$wanted"
}

# trial NAME: a number of the last run's trial.
trial() {
    sed -n "s/.*\"trials\":\[{[^[]*\"$1\":\([0-9]*\).*/\1/p" "$work/result"
}

# Who comes during the outage is late or lost, and nobody is forgotten.
open_loop() {
    name="$store: open loop"
    for seconds in 8 30 120 480; do # it may be over before the server is back
        launch -w dora --rate=50 --duration=${seconds}s -t 3 --deadline=500ms --queue=20
        suffer away
        [ "$(member ended)" -eq 0 ] || break
    done
    went_on
    check "$name: a new connection for each thread" "$(member connections)" 3
    check "$store: open loop: somebody was late or lost" \
        "$(($(trial late) + $(trial dropped) + $(trial unanswered) > 0))" 1
    check "$store: open loop: each request was answered or lost" \
        "$(($(trial answered) + $(trial dropped) + $(trial unanswered)))" \
        "$(trial offered)"
}

# Each acknowledgement is kept, and each change was attempted once.
ledger() {
    comes_back "churn with a ledger" 18000 -w churn --preload=60 \
        --ledger="$memory/ledger"
    "$runner" --verify "$memory/ledger" >"$work/verdict" 2>&1
    check "$store: the ledger's verdict" "$?" 0
}

stays_away() {
    launch -n 10M -t 2 --reconnect=1s
    kill_server
    land
    check "$store: it stays away: exit status" "$status" 1
    said "$store: it stays away: error" \
        "the server did not come back within 1s \(--reconnect\) \(while creating"
    check "$store: it stays away: one outage without an end" \
        "$(member outages) $(member ended)" "1 0"
    soon "$store: it stays away"
    start_server
}

called_off() {
    launch -n 10M -t 2
    note_sockets
    kill_server
    await has_lost 1
    kill -INT "$pid"
    land
    check "$store: ^C while it waits: exit status" "$status" 130
    soon "$store: ^C while it waits"
    start_server
}

# A server that was started again has forgotten what was set for all.
other_durability_mysql() {
    launch -n 10M -t 2 -s no
    kill_server
    start_server
    land
    check "$store: another durability: exit status" "$status" 1
    said "$store: another durability: error" \
        "innodb_flush_log_at_trx_commit was changed from 2 to 1"
}

other_durability_pgsql() {
    launch -n 10M -t 2
    kill_server
    start_server -- -c fsync=off
    land
    check "$store: another durability: exit status" "$status" 1
    said "$store: another durability: error" \
        "fsync was changed from on to off"
}

# With TLS the library has another word for the end of a connection.
encrypted() {
    if ! openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
        -keyout "$work/key.pem" -out "$work/cert.pem" >"$work/log" 2>&1; then
        skip "$store: encrypted" "no openssl"
        return
    fi
    chmod 644 "$work/key.pem" "$work/cert.pem"
    stop_server
    options="-- --ssl-cert=$work/cert.pem --ssl-key=$work/key.pem"
    # shellcheck disable=SC2086 # words
    start_server $options
    printf '[client]\nssl-ca=%s\n' "$work/cert.pem" >"$work/.my.cnf"
    before=$HOME
    export HOME="$work"
    comes_back "encrypted" 8000 -v full
    export HOME="$before"
    check "$store: it was encrypted" "$(grep -c ', TLS ' "$work/result")" 1
    options=
}

try_store() {
    same_digest
    exchanges
    open_loop
    silent "phases" 8000
    silent "exchanges" 8000 -w dora
    ledger
    stays_away
    called_off
    "other_durability_$store"
    [ "$store" != mysql ] || encrypted
    stop_server
}

for name in mysql pgsql; do
    ! need_server $name || try_store
done
summary
