#!/bin/sh
# SPDX-License-Identifier: ISC
# crash.sh: crashes stores under load, over and over, and counts what they lose
# of what they had acknowledged.
#
# For level 2 each store's files are on an ext4 image in memory, mounted in a
# namespace of this script's own: another one would keep a copy of the mount,
# and a store that is then opened on the dead file system looks like one that
# lost everything.
set -u

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
BIN=${BIN:-$top}

usage() {
    cat <<'END'
Usage: crash.sh [-j] [-o FILE] [-n N] [-l LEVELS] [-s SEED] [-d FOLDER] [CELL]...
       crash.sh --list
Crashes stores under load and verifies what is left.  Appends a line of JSON for
each crash to FILE and ends with a table.  Crashes that are in FILE already are
not repeated, so that a campaign can be interrupted and goes on.

  -o FILE    where the lines go [build/crash/crashes.jsonl]
  -n N       crashes for each cell and level [20, and 59 for power-safe ones]
  -l LEVELS  of 1, 1b, 1c, 2 and 3 [1,1b,1c,2,3]
               1   kill -9 of the store, with all its processes
               1b  kill -9 of one backend (PostgreSQL)
               1c  kill -9 of the client alone, in mid-transaction (servers)
               2   power loss: the file system is shut down without flushing
                   (root and loop devices; left out without them)
               3   a disk that drops, reorders and tears what was not synced
                   (memfile and SQLite)
  -s SEED    of all moments and leases [1]
  -d FOLDER  in memory, where images and ledgers go [/dev/shm]
  -j         MariaDB, PostgreSQL and the stores in files side by side, which is
             faster; but times to recover are those of a busy machine
  CELL       patterns, see --list [all]; the controls always run, too

Exit status: 0 done, 1 a crash or its verdict could not be had, 2 usage,
130 or 143 interrupted.
END
}

say() {
    echo "crash.sh: $*" >&2
}

die() {
    say "$*"
    exit 1
}

misuse() {
    say "$*"
    exit 2
}

# attend COMMAND...: runs it so that a signal to this script is honoured at
# once: a shell sees to its traps in wait, but not while a command runs.
attend() {
    "$@" &
    attended=$!
    wait "$attended"
    status=$?
    attended=
    return "$status"
}

# shellcheck source=crash.lib/cells.sh
. "$top/scripts/crash.lib/cells.sh"
# shellcheck source=crash.lib/disk.sh
. "$top/scripts/crash.lib/disk.sh"
# shellcheck source=crash.lib/strike.sh
. "$top/scripts/crash.lib/strike.sh"
# shellcheck source=crash.lib/server.sh
. "$top/scripts/crash.lib/server.sh"
# shellcheck source=crash.lib/campaign.sh
. "$top/scripts/crash.lib/campaign.sh"

output=build/crash/crashes.jsonl
wanted_count=
levels=1,1b,1c,2,3
seed=1
memory=/dev/shm
patterns=

read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --list)
            cells | cut -d '|' -f 1,3
            exit 0
            ;;
        -j) side_by_side=yes ;;
        -o | -n | -l | -s | -d)
            [ $# -gt 1 ] || misuse "$1: needs an argument"
            set_option "$1" "$2"
            shift
            ;;
        -*) misuse "$1: is not an option; --help lists them" ;;
        *) add_pattern "$1" ;;
        esac
        shift
    done
}

set_option() {
    case $1 in
    -o) output=$2 ;;
    -n) check_number "$@" && wanted_count=$2 ;;
    -l) check_levels "$2" && levels=$2 ;;
    -s) check_number "$@" && seed=$2 ;;
    -d)
        [ -d "$2" ] || misuse "-d: '$2' is not a folder"
        memory=$2
        ;;
    esac
}

check_number() {
    case $2 in
    '' | *[!0-9]* | 0* | ???????*)
        misuse "$1: '$2' is not a whole number in 1..999999"
        ;;
    esac
}

check_levels() {
    [ -n "$1" ] || misuse "-l: '' is not one of 1, 1b, 1c, 2, 3"
    for level in $(echo "$1" | tr ',' ' '); do
        case $level in
        1 | 1b | 1c | 2 | 3) ;;
        *) misuse "-l: '$level' is not one of 1, 1b, 1c, 2, 3" ;;
        esac
    done
}

# What can be done here

# Enters a mount namespace of its own, if that is possible.
enter_namespace() {
    if [ "${CRASH_NAMESPACE:-}" = yes ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        no_power="it takes root"
    elif ! unshare -m --propagation private true 2>/dev/null; then
        no_power="it takes a mount namespace of its own"
    else
        export CRASH_NAMESPACE=yes
        exec unshare -m --propagation private "$0" "$@"
    fi
}

prepare() {
    [ -x "$BIN/ubench_crash" ] || die "$BIN/ubench_crash is not there: make"
    case $output in
    /*) ;;
    *) output=$PWD/$output ;;
    esac
    mkdir -p "$(dirname "$output")" || exit 1
    PATH=$PATH:/usr/sbin:/sbin
    describe_machine
}

# What one crash at a time needs.
make_place() {
    work=$(mktemp -d "$memory/ubench-crash.XXXXXX") || exit 1
    disk=$(mktemp -d /tmp/ubench-crash.XXXXXX) || exit 1
    chmod 711 "$work" "$disk"
    ledger=$work/ledger
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    if [ -z "$no_power" ]; then
        if make_image 256M 2>/dev/null; then
            unmount
        else
            no_power="no ext4 image can be mounted through a loop device"
        fi
    fi
}

clean_up() {
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "$attended" ]; then
        kill "$attended" 2>/dev/null
        wait "$attended" 2>/dev/null
    fi
    [ -z "$load" ] || kill -9 "$load" 2>/dev/null
    stop_server
    try_unmount
    rm -rf "$work"
    rmdir "$disk" 2>/dev/null || rm -rf "$disk"
}

# run_group [GROUP]: the cells of all stores, or of some.
run_group() {
    group=$1
    make_place
    case $no_power,$group in
    ?*, | ?*,files) say "level 2 is left out: $no_power" ;;
    esac
    each_cell run_levels
    [ -z "$given_up" ]
}

# Each group has a place of its own; their controls are in one file.
run_side_by_side() {
    groups=
    trap stop_groups EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    for group in files mysql pgsql; do
        (run_group "$group") &
        groups="$groups $!"
    done
    for pid in $groups; do
        wait "$pid" || given_up=yes
    done
    groups=
    [ -z "$given_up" ]
}

stop_groups() {
    trap - EXIT
    trap '' INT TERM HUP
    # shellcheck disable=SC2086 # a list of numbers
    [ -z "$groups" ] || kill $groups 2>/dev/null
    wait
}

attended='' load='' server='' mounted='' no_power='' wanted_stores=''
given_up='' side_by_side=''
read_options "$@"
enter_namespace "$@"
prepare
if [ -n "$side_by_side" ]; then
    run_side_by_side
else
    run_group ''
fi
result=$?
"$BIN/ubench_report" crashes "$output" && exit "$result"
