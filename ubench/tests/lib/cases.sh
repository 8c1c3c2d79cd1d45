# shellcheck shell=sh disable=SC2034 # variables of the including scripts
# SPDX-License-Identifier: ISC
# Shared by the scripts of faults/ and sql/: each prints a line per case and ends
# with "N passed, N failed, N skipped"; with REQUIRE=all a skipped case counts as
# failed.  BIN is the folder of the runners (default: the checkout).  Servers are the
# script's own, in $work, a folder that goes at the end.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd)
bin=$(cd "${BIN:-$top}" && pwd) || exit 1
servers=$top/scripts/servers
passed=0
failed=0
skipped=0
PATH=$PATH:/usr/sbin
unset PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSERVICE PGOPTIONS PGPASSFILE

work=$(mktemp -d) || exit 1
chmod 711 "$work" # a server, as its own user, passes through it
export UBENCH_SERVERS="$work/servers"
# No server here loses its power: what it syncs need not reach the disk, and is not waited for.
export UBENCH_SERVERS_PRELOAD=libeatmydata.so

# A script may replace this: it runs at its end before all else.
clean_up() { :; }

finish() {
    pkill -P $$ # what is in the background
    clean_up
    [ ! -e "$UBENCH_SERVERS" ] || "$servers" stop >/dev/null 2>&1
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ok() {
    echo "ok - $1"
    passed=$((passed + 1))
}

not_ok() {
    echo "not ok - $1: $2"
    failed=$((failed + 1))
}

skip() {
    echo "skip: $1: $2"
    skipped=$((skipped + 1))
}

# check NAME GOT WANTED
check() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "got '$2', wanted '$3'"
    fi
}

# summary: the last command of a script.
summary() {
    if [ "${REQUIRE:-}" = all ]; then
        failed=$((failed + skipped))
        skipped=0
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# await COMMAND...: until it succeeds; some minutes at most.
await() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 1800 ] || return 1
        sleep 0.1
    done
}

# need_server STORE [-- OPTION...]: its server runs, and $store and $runner are its;
# or its cases are skipped.
need_server() {
    store=$1 runner=$bin/$1_ubench
    shift
    if [ ! -x "$runner" ]; then
        skip "$store" "$runner is not built"
    elif ! start_server "$@"; then
        skip "$store" "$(tail -n 1 "$work/log")"
    else
        return 0
    fi
    return 1
}

# start_server [-- OPTION...]: that of $store, and how to reach it: a case gives what
# it is about by options.
start_server() {
    "$servers" start "$store" "$@" >"$work/log" 2>&1 || return 1
    eval "$("$servers" env "$store")"
    case $store in
    mysql)
        host=$UBENCH_MYSQL_HOST port=$UBENCH_MYSQL_PORT
        socket=$UBENCH_MYSQL_SOCKET password=$UBENCH_MYSQL_PASSWORD
        server_pid=$UBENCH_MYSQL_PID
        ;;
    pgsql)
        host=$UBENCH_PGSQL_HOST port=$UBENCH_PGSQL_PORT
        socket=$UBENCH_PGSQL_SOCKET password=$UBENCH_PGSQL_PASSWORD
        server_pid=$UBENCH_PGSQL_PID
        ;;
    esac
    # The variables of env are for that server alone; a proxy before it is another one.
    export UBENCH_USER=ubench UBENCH_PASSWORD="$password"
}

stop_server() {
    "$servers" stop "$store" >"$work/log" 2>&1
}

# mysql_sql STATEMENT [DATABASE]; pgsql_sql STATEMENT [DATABASE]: as the server's
# superuser.
mysql_sql() {
    mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B -e "$@"
}

is_mariadb() {
    mysql_sql 'SELECT VERSION()' | grep -q MariaDB
}

pgsql_sql() {
    psql -XqAt -v ON_ERROR_STOP=1 -d "$UBENCH_PGSQL_ADMIN dbname=${2:-ubench}" \
        -c "$1"
}

# try OPTION...: a run; leaves its output in out and err, status and, in seconds, took.
try() {
    began=$(date +%s)
    "$runner" -v no -n 200 "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    took=$(($(date +%s) - began))
}

# facts: the texts in the last result, which was printed with --json, as NAME=VALUE.
facts() {
    grep -oE '"[^"]*": *"[^"]*"' "$work/out" | sed 's/^"//; s/": *"/=/; s/"$//'
}

# class_of OPTION...: the durability class of a run, and why, as "CLASS: WHY".
class_of() {
    "$runner" -n 10 --json "$@" 2>"$work/err" </dev/null |
        sed 's/.*"durability":{"class":"\([^"]*\)".*"from":"\([^"]*\)".*/\1: \2/'
}

# verdict NAME LOSS OPTION...: the loss in a power cut that the answer has for a run; a "+"
# at its end is also for a killed process.
verdict() {
    name=$1 wanted=$2
    shift 2
    "$runner" -n 10 --json "$@" 2>"$work/err" </dev/null |
        python3 -B "$top/ubench/tests/lib/lengthen.py" >"$work/verdict.json" 2>>"$work/err"
    "$bin/ubench_report" answer --explain "$work/verdict.json" >"$work/answer" 2>&1
    # A wide table is printed in parts, each of which has the first column.
    found=$(sed -nE 's/^(nothing|the last second|any number)( \+)?(  .*)?$/\1\2/p' \
        "$work/answer" | sort -u)
    check "$name: a power cut takes" "$found" "$wanted"
}

# expect NAME STATUS PATTERN: what the last run must have ended with; an error
# is one line, a whole sentence with the runner's name in front.
expect() {
    if [ "$status" -ne "$2" ]; then
        not_ok "$1" "exit status $status, not $2: $(cat "$work/err")"
    elif [ -n "$3" ] && ! grep -qE "^${store}_ubench: .*$3" "$work/err"; then
        not_ok "$1" "no '$3' in: $(cat "$work/err")"
    elif [ -n "$3" ] && [ "$(wc -l <"$work/err")" -ne 1 ]; then
        not_ok "$1" "more than one line: $(cat "$work/err")"
    else
        ok "$1"
    fi
}

# get EXPRESSION [FILE]: what Python makes of it for each line, in which the result is r.
get() {
    python3 -B "$top/ubench/tests/lib/json_get.py" -e "$@"
}

# replay_digest PROGRAM OPTION...: what a replay did, or its error.
replay_digest() {
    program=$1
    shift
    "$bin/$program" -v no -w replay "$@" 2>&1 |
        sed -n 's/^digest *\([0-9a-f]*\).*/\1/p; s/.*_ubench: //p'
}

# replayed: a trace is replayed as on the null store, by any number of threads, and the
# server says what it does meanwhile.
replayed() {
    trace=$top/ubench/tests/cli/small.trace
    sed 's/family 4/family 6/' "$trace" >"$work/six.trace"
    for options in "--trace $trace -t 1" "--trace $trace -t 4" "--trace $work/six.trace -6 -t 3"; do
        # shellcheck disable=SC2086 # words
        check "$store: replay ${options##*/}" \
            "$(replay_digest "${store}_ubench" -S kea -s no $options)" \
            "$(replay_digest null_ubench $options)"
    done
    "$runner" -w replay --trace "$trace" --speed 5000 -S kea -s no --activity --json \
        >"$work/out" 2>&1
    check "$store: figures of its activity" "$(get 'sorted({"log_bytes", "syncs", "data_bytes",
        "pages_written"} - set(r["runs"][0]["activity"]))' "$work/out")" "[]"
}

# begin OPTION...: a run in the background; returns when the runner is there.  A
# shell's own background jobs ignore SIGINT and SIGQUIT.
begin() {
    env --default-signal=INT,QUIT "$runner" "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    await is_there
}

is_there() {
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "${runner##*/}" ] ||
        ! kill -0 "$pid" 2>/dev/null
}

# launch OPTION...: a long run in the background; returns when `works` says that it
# works.  The script has that, and `before_launch`.
launch() {
    before_launch
    begin -n 10M "$@"
    await works || not_ok "launch $*" "it does not work: $(cat "$work/err")"
}

# over: true once it has ended.
over() {
    ! readlink "/proc/$pid/exe" >"$work/log"
}

# land: waits for the end of what is in the background.
land() {
    began=$(date +%s)
    wait "$pid"
    status=$?
    took=$(($(date +%s) - began))
}

# soon NAME: what the last run was to notice is over long before this on any
# machine, and whatever it may wait for by mistake lasts longer: it is held for an
# hour, or is a connection that the kernel gives up after two minutes.
long=3600
soon() {
    is_soon || not_ok "$1" "it took $took s"
}
is_soon() {
    [ "$took" -le 100 ]
}

# sockets: the sockets of the run in the background, each as a line.
sockets() {
    for descriptor in "/proc/$pid"/task/*/fd/*; do
        readlink "$descriptor"
    done 2>/dev/null | grep "^socket:" | sort -u
}

# is_connecting: it has opened a socket, or is over.
is_connecting() {
    [ -n "$(sockets)" ] || over
}

# note_sockets; has_lost COUNT: it has closed at least so many of the sockets that were
# noted, since nothing came from them any more, or is over.
note_sockets() {
    sockets >"$work/sockets"
}
has_lost() {
    over || [ "$(sockets | comm -13 - "$work/sockets" | wc -l)" -ge "$1" ]
}

# reported NAME: what was done before the end stands there, marked as partial.
reported() {
    if grep -q '^ *incomplete$' "$work/out" &&
        tr -s ' \n' ' ' <"$work/out" | grep -q 'ended early'; then
        ok "$1: what was done is reported as incomplete"
    else
        not_ok "$1: what was done is reported as incomplete" "$(cat "$work/out")"
    fi
}
