#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Runs a matrix of stores and options as a campaign whose runs can be compared:
# randomised complete blocks, so that what changes on the machine meanwhile hits
# all cells alike, with a reference first and last in each block, which shows
# how much that was.
#
# What a store's runner understands is learnt from the runner: its --help has
# the options, and with --help at its end a command line is checked, but not
# run.  Which store takes a --set or a --server-option is found out by trying.
#
# The folder OUTPUT.sweep/ has what a campaign needs to go on.  All in it is made
# before the first run and only read from then on; which runs are done is read
# from OUTPUT itself, so that the two cannot disagree after a crash.
#   command   where it was typed, and its arguments, one to a line
#   campaign  its name and the seed of its order
#   cells     cell, store, estimated seconds, name, words: SERVER-OPTION... --
#             RUNNER-OPTION..., quoted for eval; cell 0 is the reference
#   broken    names of cells that could not be run at all, and why
#   plan      run, block, position in it, role, cell
#   times     cell and seconds of each run that was taken, for the time left
#   run.jsonl the line of the last run, until it is in OUTPUT
# Fields are separated by tabs.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${BIN:-$top}" && pwd)
servers=$top/scripts/servers.sh
tab=$(printf '\t')
unit=$(printf '\037') # between the traits of a cell: KEY=VALUE

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

say() {
    echo "sweep.sh: $*" >&2
}

die() {
    say "$*"
    exit 1
}

misuse() {
    say "$*"
    exit 2
}

now() {
    cut -d ' ' -f 1 /proc/uptime
}

# since TIME: the seconds that have passed.
since() {
    now | awk -v begun="$1" '{ printf "%.2f\n", $1 - begun }'
}

# show_time SECONDS: as a person says it.
show_time() {
    awk -v s="$1" 'BEGIN {
        if (s < 9.95) printf "%.1f s\n", s
        else if (s < 99.5) printf "%.0f s\n", s
        else if (s < 5970) printf "%.0f min\n", s / 60
        else printf "%.1f h\n", s / 3600
    }'
}

# shellcheck source=sweep.lib/arguments.sh
. "$top/scripts/sweep.lib/arguments.sh"
# shellcheck source=sweep.lib/runs.sh
. "$top/scripts/sweep.lib/runs.sh"
# shellcheck source=sweep.lib/cells.sh
. "$top/scripts/sweep.lib/cells.sh"
# shellcheck source=sweep.lib/campaign.sh
. "$top/scripts/sweep.lib/campaign.sh"

clean_up() {
    code=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ -z "$stopped" ] || code=$stopped
    stopped=
    [ -z "$private" ] || leave_servers || :
    if [ -n "$folder" ]; then
        if [ "$folder" = "$output.sweep" ]; then
            rm -f "$folder/started"
        else
            rm -rf "$folder"
        fi
    fi
    if [ "$code" -gt 128 ] && [ "$folder" = "$output.sweep" ]; then
        echo
        say "interrupted: the same command goes on, and so does" \
            "sweep.sh --resume $folder"
    fi
    rm -rf "$work"
    exit "$code"
}

# A runner that outlived a killed sweep holds this lock and is waited for.
lock_runner() {
    exec 9>"$1/runner.lock"
    flock -n 9 || {
        say "waiting for a run that an earlier sweep left behind"
        flock 9
    }
}

choose_output() {
    if [ -z "$output" ]; then
        output=sweep.jsonl
        [ -z "$sweep_file" ] ||
            output=$(basename "$sweep_file" .sweep).jsonl
    fi
    parent=$(dirname "$output")
    [ -w "$parent/." ] || die "--output: cannot write to $parent"
    if [ -s "$output" ] && [ "$(head -c 1 "$output")" != '{' ]; then
        die "--output: $output has something else than results in it"
    fi
    # Two sweeps at a time would disturb each other.
    exec 8<"$parent"
    flock -n 8 || die "another sweep is at work in $parent"
}

prepare() {
    folder=$output.sweep.new
    if [ -e "$folder" ]; then
        lock_runner "$folder"
        cp "$folder/started" "$work/started"
        rm -rf "$folder"
    fi
    mkdir "$folder"
    lock_runner "$folder"
    mv "$work/started" "$folder/started"
    prepare_servers
    [ -z "$restart" ] || try_server_options
    try_settings
    check_settings
    check_cells
    name_cells
    try_cells
    make_plan
    : >"$folder/times"
    : >"$folder/through"
}

# Sets up what make_plan left behind, after an interruption or a crash.
resume() {
    folder=$output.sweep
    lock_runner "$folder"
    IFS="$tab" read -r campaign order_seed <"$folder/campaign"
    : >>"$output"
    settle
    finished_runs >"$folder/through"
    done=$(wc -l <"$folder/through")
    runs=$(wc -l <"$folder/plan")
    if [ "$done" -eq "$runs" ]; then
        echo "campaign $campaign is done; another --output begins another one"
        return
    fi
    echo "campaign $campaign: $done of $runs runs are done"
    cut -f 1,2 "$folder/cells" >"$work/stores"
    prepare_servers
}

# begin: a new campaign; its folder appears when it is complete.
begin() {
    prepare
    show_plan
    if [ -n "$dry_run" ]; then
        show_order
        return
    fi
    echo
    mv "$work/command" "$folder/command"
    mv "$folder" "$output.sweep"
    folder=$output.sweep
    : >>"$output"
}

stopped='' runner='' private='' folder='' output=''
work=$(mktemp -d)
trap clean_up EXIT
trap 'stop INT 130' INT
trap 'stop TERM 143' TERM HUP
for list in axes known unknown left_out failed started; do
    : >"$work/$list"
done
group=0 blocks='' reference='' order_seed='' campaign='' restart='' dry_run=''
sweep_file=''
case ${1:-} in
--resume) [ $# -ne 2 ] || set -- "--resume=$2" ;;
esac
case ${1:-} in
--resume=*)
    [ $# -eq 1 ] || misuse "--resume stands alone: the other options are known"
    [ -s "${1#--resume=}/command" ] ||
        misuse "--resume: '${1#--resume=}' is not the folder of a sweep"
    resumed=$(cd "${1#--resume=}" && pwd)
    set --
    {
        read -r place
        while IFS= read -r word; do
            set -- "$@" "$word"
        done
    } <"$resumed/command"
    cd "$place"
    ;;
esac
printf '%s\n' "$PWD" "$@" >"$work/command"
learn_options
parse "$@"
read_sweep
check_own_options
check_stores
choose_output
if [ -z "$dry_run" ] && [ -e "$output.sweep" ]; then
    cmp -s "$work/command" "$output.sweep/command" ||
        die "$output is of another command, see $output.sweep/command:" \
            "choose another --output"
    resume
else
    begin
fi
if [ -z "$dry_run" ]; then
    run_plan
    summary
    # The worst of all: 3, a wrong answer; else 1.
    if grep -q '^3' "$work/failed"; then
        exit 3
    fi
    [ ! -s "$work/failed" ] && [ ! -s "$folder/broken" ]
fi
