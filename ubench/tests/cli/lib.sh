# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the cases share.  run.sh has set BIN, HELPERS and SCRATCH (a folder for
# what must not be in the case's own), and looks at exit status 77.

# skip REASON: this case cannot be tried here.
skip() {
    echo "$*" >"$SCRATCH/reason"
    exit 77
}

# need PROGRAM...: skips unless they were built.
need() {
    for program; do
        [ -x "$BIN/$program" ] || [ -x "$HELPERS/$program" ] ||
            skip "$program was not built"
    done
}

# try RUNNER OPTION...: runs it and prints what it was, its output, each line
# of its errors behind "2> ", and its exit status.
try() {
    program=$1
    shift
    echo "\$ $program${*:+ $*}"
    "$BIN/$program" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    cat "$SCRATCH/out"
    sed 's/^/2> /' "$SCRATCH/err"
    echo "exit $status"
}

# left: prints the names of the files that are in the case's folder.
left() {
    echo "left:$(find . -mindepth 1 | LC_ALL=C sort | tr '\n' ' ' |
        sed 's/ $//; s/\.\// /; s/ \.\// /g')"
}

# remember FILE; unchanged FILE: fails unless it is the same, byte for byte.
remember() {
    cp -p "$1" "$SCRATCH/remembered"
}
unchanged() {
    if cmp -s "$1" "$SCRATCH/remembered"; then
        echo "$1 is unchanged"
    else
        echo "$1 was CHANGED"
    fi
}

# start RUNNER OPTION...: in the background; returns when its load runs, which
# is when the provenance stands on its standard output.
start() {
    program=$1
    shift
    "$BIN/$program" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" &
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ ! -s "$SCRATCH/out" ] || break
        sleep 0.1
    done
    sleep 0.3
}

# under_way PHASE: waits, half a minute at most, until what was started with
# --progress bar shows operations of that phase.
under_way() {
    tries=0
    until grep -q "$1 *\[[^]]*\][^]]*[1-9][0-9.]*[kM]* oper/s" "$SCRATCH/err"; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || return
        sleep 0.1
    done
}

# finish_within SECONDS: waits for what was started, at most so long, and prints
# as try does.
finish_within() {
    (
        sleep "$1"
        kill -KILL "$pid" 2>/dev/null
    ) >/dev/null 2>&1 &
    watchdog=$!
    wait "$pid"
    status=$?
    kill "$watchdog" 2>/dev/null
    wait "$watchdog" 2>/dev/null
    cat "$SCRATCH/out"
    sed 's/^/2> /' "$SCRATCH/err"
    echo "exit $status"
}

# The same for what has to end at once: a second on an idle machine, some more on
# one whose disk and processors are busy.
finish() {
    finish_within 5
}
