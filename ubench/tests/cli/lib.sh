# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Shared by the cases.  run.sh has set BIN, HELPERS and SCRATCH (a folder for
# what must not be in the case's own), and looks at exit status 77.

# skip REASON: this case cannot be tried here.
skip() {
    echo "$*" >"$SCRATCH/reason"
    exit 77
}

# leave_out REASON: the kernel does not allow what this case needs.
leave_out() {
    echo "$*" >"$SCRATCH/reason"
    exit 78
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

# json_get FILE [PATH]..., json_get -e EXPRESSION [FILE]: see lib/json_get.py.
json_get() {
    python3 -B "$CLI/../lib/json_get.py" "$@"
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

# await COMMAND...: until it succeeds; some minutes at most, less than a case has.
await() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 1800 ] || return
        sleep 0.1
    done
}

# start RUNNER OPTION...: in the background; returns when the bar on standard
# error shows that it works.
start() {
    begin "$@"
    await shows '[a-z]'
}

# begin RUNNER OPTION...: the same, but returns at once.
begin() {
    program=$1
    shift
    : >"$SCRATCH/err"
    "$BIN/$program" --progress=bar "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" &
    pid=$!
}

# shows PHASE: true if the bar has shown operations of that phase, or if there is
# nobody any more to show any.
shows() {
    grep -q "$1[^%]*%  [1-9][0-9,.]*/s" "$SCRATCH/err" ||
        ! kill -0 "$pid" 2>/dev/null
}

# errors: what else than the bar is on standard error.
errors() {
    tr '\r' '\n' <"$SCRATCH/err" | sed "s/^$(printf '\033')\[K//; / %  [0-9,.]*\/s/d; /^$/d"
}

# finish: waits for what was started, which has to end at once, and prints as try
# does.  At once is within a second on an idle machine; whatever it may wait for
# by mistake lasts ten minutes or longer.
finish() {
    (
        trap 'kill "$!"; exit' TERM
        sleep 300 &
        wait
        kill -KILL "$pid" 2>/dev/null
    ) >/dev/null 2>&1 &
    watchdog=$!
    wait "$pid"
    status=$?
    kill "$watchdog" 2>/dev/null
    wait "$watchdog" 2>/dev/null
    cat "$SCRATCH/out"
    errors | sed 's/^/2> /'
    echo "exit $status"
}
