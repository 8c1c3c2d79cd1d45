#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Runs a matrix of stores and options as a campaign whose runs can be compared:
# randomised complete blocks, so that what changes on the machine meanwhile hits
# all cells alike, with a reference first and last in each block, which shows
# how much that was.
#
# A runner says what it understands: --list-options has its options, and with
# --help at its end a command line is checked, but not run.  Which store takes a
# --set or a --server-option is found out by trying.  What follows from all that
# is worked out in sweep.jq.
#
# The folder OUTPUT.sweep/ has what a campaign needs to go on; which runs are done
# is read from OUTPUT itself, so that the two cannot disagree after a crash.
#   sweep.json   the campaign, see sweep.jq; made before the first run
#   run.jsonl    the line of the last run, until it is in OUTPUT
#   started      the stores whose private server this sweep has started

# shellcheck disable=SC2016 # a $ in a filter is jq's
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
bin=$(cd "${BIN:-$programs}" && pwd)
servers=$here/servers.sh

usage() {
    cat <<'END'
Usage: sweep.sh [OPTION]... [RUNNER OPTION]... [@SWEEP]
Runs every combination of the given values on every store, in blocks of random
order, and appends each run to one file.

A runner's option takes a list, and each value of it is tried with each value of
the others: -t 1,4,16 -s yes,no makes six cells of a store.  What a store does
not have is left out for it.  \, is a comma within a value.  --set (-o) takes
NAME=VALUE,VALUE... and may be repeated.

      --store LIST          stores [all whose runner is built, but not null]
  -r, --blocks N            times that each cell is run [9]
  -O, --output FILE         where the results go [sweep.jsonl, or SWEEP.jsonl];
                            leases of memfile and SQLite lie beside it
      --server-option NAME=LIST
                            option of the private server, repeatable; it is
                            started anew with it: shared_buffers=128MB,1GB
      --restart-server      start the private server anew before each run
      --reference WORDS     store and options of the run that is first and last
                            in each block, or none [memfile -s yes -n 2000]
      --order-seed N        seed of the order in the blocks [random]
      --campaign NAME       goes into the label campaign [date and time]
      --dry-run             try the cells, print them and their order, and end
      --resume FOLDER       go on with the sweep of FILE.sweep
  -h, --help                print this and exit

@SWEEP reads arguments from scripts/sweeps/SWEEP.sweep, or from the file SWEEP
if there is a slash in it: one option to a line; # begins a comment; a line +
begins another matrix, whose cells are run in the same blocks.  An option on the
command line replaces that of the file, and --store chooses among its stores.

MySQL and PostgreSQL: private servers are started (scripts/servers.sh), or those
that UBENCH_MYSQL_HOST and the like, or -m and -P, name are used.

Interrupted by ^C, or worse, the sweep goes on with the same command, and no
finished run is lost or repeated.  Runs that failed are tried again.

Example: sweep.sh -n 10k -r 5 --store mysql,pgsql -s yes,no -t 1,4

Exit status: 0 done, 1 a run failed, 2 usage, 3 a store gave a wrong answer, 130
or 143 interrupted.
END
}

# ---- The document

# ask FILTER [JQ-OPTION]...: prints what follows from the document.
ask() {
    filter=$1
    shift
    jq -r -L "$here" "include \"sweep\"; $filter" "$work/sweep.json" "$@"
}

# keep FILTER [JQ-OPTION]...: makes the document what the filter makes of it.
keep() {
    ask "$@" >"$work/sweep.json.new"
    mv "$work/sweep.json.new" "$work/sweep.json"
}

# each FILTER: the filter's arrays are functions of this script and their words.
each() {
    ask "$1 | @sh" >"$work/calls"
    while IFS= read -r call <&3; do
        eval "$call" 3<&-
    done 3<"$work/calls"
}

# ---- The command line

learn_options() {
    for runner in "$bin"/*_ubench; do
        [ -x "$runner" ] || die "no runner is built in $bin: run make first"
        store=$(basename "$runner" _ubench)
        "$runner" --list-options >"$work/list" ||
            die "${store}_ubench is of another version: run make first"
        jq -R --arg store "$store" 'split("\t") | {$store, letter: .[0],
            name: .[1], takes: (.[2] == "arg"), default: .[4]}' "$work/list"
    done >"$work/options"
}

# read_command WORD...: leaves it in the document, and some of it in variables.
read_command() {
    echo null >"$work/sweep.json"
    keep 'read_command($options; $place)' --slurpfile options "$work/options" \
        --arg place "$PWD" --args -- "$@"
    [ -z "$(ask 'own("help")')" ] || { usage && exit 0; }
    sweep=$(ask 'own("sweep")')
    case $sweep in
    '') file=/dev/null ;;
    */*) file=$sweep ;;
    *) file=$here/sweeps/$sweep.sweep ;;
    esac
    [ -r "$file" ] || misuse "@$sweep: cannot read $file"
    keep 'read_file($text) | check_own($random)' --rawfile text "$file" \
        --arg random "$(($(od -An -N3 -tu4 /dev/urandom) + 1))"
    eval "$(ask variables)"
    each '.reference | select(.) | ["check_reference", .store] + .words'
}

# check_reference STORE WORD...
check_reference() {
    is_accepted "$@" || misuse "--reference: $(cat "$work/errors")"
}

# is_accepted STORE WORD...: the runner takes the words, or says why not in errors.
is_accepted() {
    runner=$bin/${1}_ubench
    shift
    "$runner" "$@" --help >/dev/null 2>"$work/errors"
}

choose_output() {
    parent=$(dirname "$output")
    [ -w "$parent/." ] || die "--output: cannot write to $parent"
    check_output --output "$output"
    # Two sweeps at a time would disturb each other.
    exec 8<"$parent"
    flock -n 8 || die "another sweep is at work in $parent"
}

# open_folder FOLDER: makes it, if need be, and takes hold of it.
open_folder() {
    folder=$1
    mkdir -p "$folder"
    # A runner that outlived a killed sweep holds this lock and is waited for.
    exec 9>"$folder/runner.lock"
    flock -n 9 || {
        say "waiting for a run that an earlier sweep left behind"
        flock 9
    }
    : >>"$folder/started"
}

# ---- Servers and runs

# The hundredths of a second since the machine was started.
now() { cut -d ' ' -f 1 /proc/uptime | tr -d .; }

# ^C reaches us alone: a runner is in a session of its own, gets one signal from
# here, and so has the time to put settings back.
stop() {
    stopped=$2
    [ -z "$running" ] || kill -s "$1" "$running" 2>/dev/null || :
}

check_stopped() { [ -z "$stopped" ] || exit "$stopped"; }

# complaint: what the last run or start of a server said, in one line.
complaint() {
    grep -m 1 -E '_ubench: |ERROR|FATAL|invalid' "$work/errors" ||
        sed -n '/./{p;q;}' "$work/errors"
}

# run STORE WORD...: one run in an empty folder.  Leaves its line, if there is
# one, in run.jsonl and its complaint in errors; sets status and wall_cs.
run() {
    program=$bin/${1}_ubench
    shift
    check_stopped
    rm -rf "$folder/leases" "$folder/run.jsonl"
    mkdir "$folder/leases"
    begun=$(now)
    (
        cd "$folder/leases" &&
            exec setsid "$program" "$@" -v no -O ../run.jsonl
    ) >/dev/null 2>"$work/errors" 8>&- &
    running=$!
    while :; do
        status=0
        wait "$running" 2>/dev/null || status=$? # which may say "Terminated"
        kill -0 "$running" 2>/dev/null || break
    done
    running=
    wall_cs=$(($(now) - begun))
    rm -rf "$folder/leases"
    check_stopped
}

# is_private STORE: its server is, or will be, the one of servers.sh.
is_private() {
    [ "$(ask 'any(.axes[].names[]; . == "host" or . == "port")')" = false ] ||
        return 1
    prefix=UBENCH_$(echo "$1" | tr '[:lower:]' '[:upper:]')
    theirs=$(printenv "${prefix}_HOST" "${prefix}_PORT") || :
    ours=$("$servers" env "$1" 2>/dev/null |
        sed -nE "s/^export ${prefix}_(HOST|PORT)='(.*)'/\2/p")
    [ -z "$theirs" ] || [ "$theirs" = "$ours" ]
}

# start_server STORE [-- OPTION...]: makes sure that it runs, and with -- that it
# was started anew with these options.  Returns 1 with errors.
start_server() {
    check_stopped
    if [ $# -gt 1 ]; then
        "$servers" stop "$1" 8>&- 9>&- 2>"$work/errors" || return 1
    fi
    "$servers" start "$@" 8>&- 9>&- </dev/null >/dev/null 2>"$work/errors" || return 1
    eval "$("$servers" env "$1")"
}

# serve STORE [-- OPTION...]: the same, unless its server is not ours to start;
# sets served.
serve() {
    served=0
    is_among "$1" "$private" || return 0
    start_server "$@" || served=$?
}

# Starts the private servers.  One that cannot be started is left out, or an
# error if it was asked for by name.
prepare_servers() {
    for store in $(ask '[.stores[].store, .reference.store // empty] | unique[]'); do
        is_among "$store" "$server_stores" || continue
        if ! is_private "$store"; then
            [ -z "$restart" ] || misuse "--restart-server, --server-option:" \
                "the server of $store is not of servers.sh, and is left alone"
            continue
        fi
        "$servers" status "$store" >/dev/null 2>&1 ||
            echo "$store" >>"$folder/started"
        private="$private $store"
        start_server "$store" || keep 'leave_out($store; $said)' \
            --arg store "$store" --arg said "$(complaint)"
    done
}

# Servers that were not there before us are stopped; those that were go on
# without the options of a cell.
leave_servers() {
    for store in $private; do
        if grep -qxF "$store" "$folder/started"; then
            "$servers" stop "$store" 8>&- 9>&-
        elif [ -n "$restart" ]; then
            start_server "$store" -- || say "$store: $(complaint)"
        fi
    done
}

# ---- Tries

# choose_small COUNT PRELOAD STORE WORD...: sets small, the options of a short run, as far
# as the runner takes them with these words: a storm, say, has no --count.
choose_small() {
    count=$1 preload=$2 small=
    shift 2
    for option in --count="$count" --preload="$preload" --warmup=0 --repeat=1; do
        ! is_accepted "$@" "$option" || small="$small $option"
    done
}

# try_setting TYPE STORE NAME SETTING WORD...: does the store take the --set, or
# its server the option?
try_setting() {
    type=$1 store=$2 name=$3 setting=$4
    shift 4
    status=0
    if [ "$type" = set ]; then
        ! is_accepted "$store" "$@" --threads=1 || set -- "$@" --threads=1
        choose_small 1 0 "$store" "$@"
        # shellcheck disable=SC2086 # words
        run "$store" "$@" $small --set "$setting"
    elif is_among "$store" "$private"; then
        start_server "$store" -- "--$setting" || status=$?
    else
        return 0
    fi
    keep '.settings += [$ARGS.named]' --arg type "$type" --arg store "$store" \
        --arg name "$name" --arg setting "$setting" \
        --argjson said "$([ "$status" -ne 0 ] || echo null
            [ "$status" -eq 0 ] || complaint | jq -R .)"
}

# note CELL MEMBER: what the store said to the cell.
note() { keep ".cells[$1].$2 = \$said" --arg said "$(complaint)"; }

# check_cell CELL STORE WORD...
check_cell() {
    cell=$1
    shift
    is_accepted "$@" || note "$cell" refused
}

# try_cell CELL STORE WORD...: short runs, until its time is known; a whole one of what
# cannot be made short.  What only an open store can tell is not to be had, like a memfile
# of Kea that syncs, is refused, too.
try_cell() {
    cell=$1
    shift
    status=$served
    while [ "$status" -eq 0 ]; do
        sizes=$(ask ".cells[$cell] | next_try")
        [ -n "$sizes" ] || return 0
        choose_small "${sizes% *}" "${sizes#* }" "$@"
        # shellcheck disable=SC2086 # words
        run "$@" $small
        is_among "--count=${sizes% *}" "$small" || sizes=null
        [ "$status" -ne 0 ] ||
            keep "add_try($cell; ${sizes% *}; $wall_cs / 100; \$line[0])" \
                --slurpfile line "$folder/run.jsonl"
    done
    if [ "$status" -eq 2 ]; then
        note "$cell" refused
    else
        note "$cell" said
    fi
}

# ---- A campaign

# begin: a new campaign; its folder appears when it is complete.
begin() {
    open_folder "$output.sweep.new"
    prepare_servers
    each 'setting_calls("set")'
    each 'setting_calls("server")'
    keep 'check_settings | make_cells'
    each '.cells | to_entries[] | ["check_cell", .key, .value.store] + .value.words'
    keep 'check_cells | name_cells'
    each try_calls
    keep 'settle_cells | make_plan'
    check_stopped
    ask show_plan
    if [ -n "$dry_run" ]; then
        ask show_order
        return
    fi
    echo
    cp "$work/sweep.json" "$folder/sweep.json"
    mv "$folder" "$output.sweep"
    folder=$output.sweep
    : >>"$output"
    end_last_line "$output"
}

# finished FILE: the campaign's runs in it that came to their end.
finished() {
    jq -Rc -L "$here" --arg campaign "$campaign" \
        'include "sweep"; finished($campaign)' "$1"
}

# After a crash: half a line at the end of the output is cut off, and a run that
# was done but is not there yet is added.
mend_output() {
    if [ -s "$output" ] && [ -n "$(tail -c 1 "$output")" ]; then
        if tail -n 1 "$output" | jq -e . >/dev/null 2>&1; then
            echo >>"$output"
        elif tail -n 1 "$output" | grep -q '^{'; then
            truncate -s "$(head -n "$(wc -l <"$output")" "$output" | wc -c)" \
                "$output"
        else
            die "$output: its last line has no end and is not of ours"
        fi
    fi
    finished "$output" >"$work/finished"
    if finished "$folder/run.jsonl" 2>/dev/null |
        grep -vxFf "$work/finished" >"$work/more"; then
        cat "$folder/run.jsonl" >>"$output"
        cat "$work/more" >>"$work/finished"
    fi
    rm -f "$folder/run.jsonl"
}

# check_folder FOLDER: what is in it is a whole sweep.
check_folder() {
    jq -e '([.place, .arguments[]] | all(type == "string"))
        and ([.axes, .stores, .cells, .plan, .todo] | all(type == "array"))' \
        "$1/sweep.json" >/dev/null 2>&1 ||
        die "$1/sweep.json is damaged: choose another --output"
}

# Goes on with what begin has left, after an interruption or a crash.
resume() {
    check_folder "$output.sweep"
    open_folder "$output.sweep"
    [ "$(jq --arg place "$PWD" '.place == $place and
        .arguments == $ARGS.positional' "$folder/sweep.json" --args -- "$@")" = true ] ||
        die "$output is of another command, see $folder/sweep.json:" \
            "choose another --output"
    cp "$folder/sweep.json" "$work/sweep.json"
    eval "$(ask variables)"
    : >>"$output"
    mend_output
    keep 'leave_todo($finished)' --slurpfile finished "$work/finished"
    if [ "$(ask '.todo == []')" = true ]; then
        echo "campaign $campaign is done; another --output begins another one"
        return
    fi
    ask '"campaign \(.campaign): \(.plan - .todo | length) of \(.plan | length) runs are done"'
    prepare_servers
}

# announce RUN: before a run, and its server's start.
announce() {
    run_begun=$(now)
    printf '%s' "$(ask "announce($1)")"
}

# do_run CELL STORE NAME WORD...
do_run() {
    cell=$1 store=$2 name=$3
    shift 3
    status=$served
    if [ "$status" -eq 0 ]; then
        run "$store" "$@"
        [ "$status" -ne 0 ] || cat "$folder/run.jsonl" >>"$output"
        rm -f "$folder/run.jsonl"
    fi
    check_stopped
    if [ "$status" -eq 0 ]; then
        keep "add_time($cell; $(($(now) - run_begun)) / 100)"
        cp "$work/sweep.json" "$folder/sweep.json.new"
        mv "$folder/sweep.json.new" "$folder/sweep.json"
        printf ', %s\n' "$(ask "$wall_cs / 100 | show_time")"
    else
        printf ', FAILED (exit status %s)\n' "$status"
        complaint | sed 's/^/    /'
        printf '%s\n' "$name" >>"$work/failed"
        [ "$status" -ne 3 ] || wrong=yes
    fi
}

# What the results say, and the commands for more.
conclude() {
    question=$(ask 'question($finished)' --slurpfile finished "$work/finished")
    if [ -x "$bin/ubench_report" ] && [ -s "$work/finished" ]; then
        echo
        # shellcheck disable=SC2086 # words
        "$bin/ubench_report" $question "$output" || :
    fi
    ask 'more($finished)' --slurpfile finished "$work/finished"
}

run_plan() {
    each run_calls
    finished "$output" >"$work/finished"
    ask 'summary($finished; $failed | split("\n") - [""])' \
        --slurpfile finished "$work/finished" --rawfile failed "$work/failed"
    conclude
    # The worst of all: 3, a wrong answer; else 1.
    [ -z "$wrong" ] || exit 3
    [ ! -s "$work/failed" ] && [ "$(ask '.broken == []')" = true ]
}

clean_up() {
    code=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ -z "$stopped" ] || code=$stopped
    stopped=
    [ -z "$private" ] || leave_servers || :
    if [ "$folder" != "$output.sweep" ]; then
        rm -rf "$folder"
    else
        rm -f "$folder/started"
        [ "$code" -le 128 ] || {
            echo
            say "interrupted: the same command goes on, and so does" \
                "sweep.sh --resume $folder"
        }
    fi
    rm -rf "$work"
    exit "$code"
}

need_jq
stopped='' running='' private='' folder='' served=0 wrong=''
output='' campaign='' dry_run='' restart='' server_stores='' # see read_command
work=$(mktemp -d)
trap clean_up EXIT
trap 'stop INT 130' INT
trap 'stop TERM 143' TERM HUP
: >"$work/failed"
case $#,${1:-} in
2,--resume) set -- "--resume=$2" ;;
esac
case $#,${1:-} in
1,--resume=*)
    folder_of_sweep=${1#--resume=}
    [ -s "$folder_of_sweep/sweep.json" ] ||
        misuse "--resume: '$folder_of_sweep' is not the folder of a sweep"
    check_folder "$folder_of_sweep"
    place=$(jq -r .place "$folder_of_sweep/sweep.json")
    eval "set -- $(jq -r '.arguments | @sh' "$folder_of_sweep/sweep.json")"
    cd "$place" 2>/dev/null || die "--resume: $place, where it began, is not there"
    ;;
esac
learn_options
read_command "$@"
choose_output
if [ -z "$dry_run" ] && [ -e "$output.sweep" ]; then
    resume "$@"
else
    begin
fi
[ -n "$dry_run" ] || run_plan
