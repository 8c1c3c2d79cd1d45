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
Usage: crash.sh [-o FILE] [-n N] [-l LEVELS] [-s SEED] [-d FOLDER] [CELL]...
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
  CELL       patterns, see --list [all]; the controls always run, too
END
}

# name | store | levels | control | options of the runner | of the server
# Controls: a level says nothing unless what must lose there did, and what must
# not did not.  The server option "lies": fsync succeeds and nothing is on the
# disk.
cells() {
    cat <<'END'
memfile write | memfile | 1 2 3 | loses at 2 3 | -s no |
memfile fdatasync | memfile | 1 2 3 | keeps at 1 2 3 | -s yes |
memfile buffer | memfile | 1 | loses at 1 | -s volatile -o buffer=64M |
memfile fdatasync 4 threads | memfile | 1 2 3 | | -s yes -t 4 |
memfile fdatasync groups of 10 | memfile | 1 2 3 | | -s yes -b 10 |
memfile kea fdatasync | memfile | 1 2 3 | | -s yes -o format=kea |
sqlite delete off | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=off |
sqlite delete normal | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=normal |
sqlite delete full | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=full |
sqlite delete extra | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=extra |
sqlite truncate normal | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=normal |
sqlite truncate full | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=full |
sqlite truncate extra | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=extra |
sqlite persist normal | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=normal |
sqlite persist full | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=full |
sqlite persist extra | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=extra |
sqlite memory full | sqlite | 1 2 3 | | -s server -o journal_mode=memory -o synchronous=full |
sqlite off full | sqlite | 1 2 3 | | -s server -o journal_mode=off -o synchronous=full |
sqlite wal off | sqlite | 1 2 3 | | -s no |
sqlite wal normal | sqlite | 1 2 3 | | -s process-safe |
sqlite wal full | sqlite | 1 2 3 | keeps at 3 | -s yes |
sqlite wal full 4 threads | sqlite | 1 2 3 | | -s yes -t 4 |
sqlite wal full groups of 10 | sqlite | 1 2 3 | | -s yes -b 10 |
pgsql on, libeatmydata | pgsql | 2 | loses at 2 | -s yes | lies
pgsql on | pgsql | 1 1b 2 | | -s yes |
pgsql on 8 threads | pgsql | 1 1b 2 | | -s yes -t 8 |
pgsql on groups of 10 | pgsql | 1 1c 2 | | -s yes -b 10 |
pgsql off | pgsql | 1 1b 2 | | -s no |
pgsql unlogged | pgsql | 1 1b 2 | | -s yes -o unlogged=yes |
pgsql fsync off | pgsql | 1 2 | | -s yes | -c fsync=off
pgsql open_datasync | pgsql | 1 2 | | -s yes | -c wal_sync_method=open_datasync
pgsql full_page_writes off | pgsql | 1 2 | | -s yes | -c full_page_writes=off
mysql flush 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1
mysql flush 1, 8 threads | mysql | 1 2 | | -s server -t 8 | --innodb-flush-log-at-trx-commit=1
mysql flush 1 groups of 10 | mysql | 1 1c 2 | | -s server -b 10 | --innodb-flush-log-at-trx-commit=1
mysql flush 2 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=2
mysql flush 0 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=0
mysql flush 1, binlog, sync 0 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --log-bin=binlog --sync-binlog=0
mysql flush 1, binlog, sync 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --log-bin=binlog --sync-binlog=1
mysql flush 3, binlog, sync 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=3 --log-bin=binlog --sync-binlog=1
mysql flush 1, O_DSYNC | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --innodb-flush-method=O_DSYNC
mysql flush 1, no doublewrite | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --innodb-doublewrite=OFF
mysql MyISAM | mysql | 1 2 | | -s server -e MyISAM |
mysql MyISAM groups of 10 | mysql | 1c | | -s server -e MyISAM -b 10 |
mysql Aria | mysql | 1 2 | | -s server -e Aria |
END
}

say() {
    echo "crash.sh: $*" >&2
}

die() {
    say "$*"
    exit 1
}

trim() {
    echo "$1" | sed 's/^ *//; s/ *$//'
}

# json TEXT: one line that can stand in quotes.
json() {
    printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\000-\037' |
        sed 's/[\\"]/\\&/g' | cut -c 1-200
}

output=build/crash/crashes.jsonl
wanted_count=
levels=1,1b,1c,2,3
seed=1
memory=/dev/shm

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
        -o | -n | -l | -s | -d)
            if [ $# -lt 2 ]; then
                say "$1: needs an argument"
                exit 2
            fi
            case $1 in
            -o) output=$2 ;;
            -n) wanted_count=$2 ;;
            -l) levels=$2 ;;
            -s) seed=$2 ;;
            -d) memory=$2 ;;
            esac
            shift 2
            ;;
        -*)
            say "$1: is not an option; --help lists them"
            exit 2
            ;;
        *) break ;;
        esac
    done
    patterns=
    for pattern; do
        patterns="$patterns$pattern
"
    done
    check_number -n "${wanted_count:-1}"
    check_number -s "$seed"
    for level in $(echo "$levels" | tr ',' ' '); do
        case $level in
        1 | 1b | 1c | 2 | 3) ;;
        *)
            say "-l: '$level' is not one of 1, 1b, 1c, 2, 3"
            exit 2
            ;;
        esac
    done
}

check_number() {
    case $2 in
    '' | *[!0-9]* | 0)
        say "$1: '$2' is not a number from 1 on"
        exit 2
        ;;
    esac
}

# is_wanted NAME: by the patterns.
is_wanted() {
    [ -n "$patterns" ] || return 0
    result=1
    old_ifs=$IFS
    IFS='
'
    set -f
    for pattern in $patterns; do
        # shellcheck disable=SC2254 # a pattern
        case $1 in
        $pattern) result=0 ;;
        esac
    done
    set +f
    IFS=$old_ifs
    return "$result"
}

is_level_wanted() {
    case ,$levels, in
    *",$1,"*) return 0 ;;
    esac
    return 1
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

# Both mount an image at $disk: a new one of that size, or a copy.
make_image() {
    truncate -s "$1" "$work/image" &&
        mkfs.ext4 -q -F "$work/image" >/dev/null 2>&1 &&
        mount -o loop "$work/image" "$disk" && chmod 711 "$disk"
}
copy_image() {
    cp --sparse=always "$1" "$work/image" &&
        mount -o loop "$work/image" "$disk" && chmod 711 "$disk"
}

unmount() {
    tries=0
    while ! umount "$disk" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.05
    done
}

prepare() {
    [ -x "$BIN/ubench_crash" ] || die "$BIN/ubench_crash is not there: make"
    work=$(mktemp -d "$memory/ubench-crash.XXXXXX") || exit 1
    disk=$(mktemp -d /tmp/ubench-crash.XXXXXX) || exit 1
    chmod 711 "$work" "$disk"
    ledger=$work/ledger
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mounted=
    server=
    case $output in
    /*) ;;
    *) output=$PWD/$output ;;
    esac
    mkdir -p "$(dirname "$output")" || exit 1
    PATH=$PATH:/usr/sbin:/sbin
    if [ -z "${no_power:-}" ]; then
        if make_image 256M 2>/dev/null; then
            unmount
        else
            no_power="no ext4 image can be mounted through a loop device"
        fi
    fi
    if [ -n "${no_power:-}" ]; then
        say "level 2 is left out: $no_power"
    fi
}

clean_up() {
    trap - EXIT
    [ -z "${load:-}" ] || kill -9 "$load" 2>/dev/null
    if [ -n "$server" ]; then
        servers stop "$server" >/dev/null 2>&1
    fi
    [ -z "$mounted" ] || unmount
    rm -rf "$work"
    rmdir "$disk" 2>/dev/null || rm -rf "$disk"
}

# servers ACTION STORE [OPTION...]: the pair whose data are on the disk.
servers() {
    UBENCH_SERVERS=$disk/servers "$top/scripts/servers.sh" "$@"
}

# Lines of the campaign

# record VERDICT WHY: of a crash that could not be judged by the runner.
record() {
    printf '{"format":"ubench-crash/1","store":"%s","labels":{"cell":"%s","level":"%s","seed":"%s","control":"%s"},"verdict":"%s","why":"%s"}\n' \
        "$store" "$(json "$name")" "$level" "$crash_seed" "$control" "$1" \
        "$(json "$2")" >>"$output"
    verdict=$1
}

# count_done: crashes of this cell and level that were judged.
count_done() {
    [ -f "$output" ] || {
        echo 0
        return
    }
    grep -F "\"cell\":\"$(json "$name")\",\"level\":\"$level\"" "$output" |
        grep -cv '"verdict":"invalid"'
}

# The crash itself

start_load() {
    rm -f "$ledger"
    # shellcheck disable=SC2086 # words
    "$BIN/${store}_ubench" $target -v no -w churn -n "$operations" \
        --preload "$preload" --seed "$crash_seed" --ledger "$ledger" \
        $options >"$work/load.out" 2>"$work/load.err" &
    load=$!
}

# strike OPTION...: 0 if it crashed, 1 (recorded) if not.
strike() {
    "$BIN/ubench_crash" --ledger "$ledger" --load "$load" \
        --seed "$crash_seed" --after "$after" --spread "$spread" "$@" \
        2>"$work/strike.err"
    result=$?
    [ "$result" -eq 0 ] || kill -9 "$load" 2>/dev/null
    wait "$load" 2>/dev/null
    load=
    [ "$result" -eq 0 ] ||
        record invalid "$(cat "$work/strike.err" "$work/load.err")"
    return "$result"
}

# verify: judges and records.
verify() {
    # shellcheck disable=SC2086 # words
    "$BIN/${store}_ubench" --verify "$ledger" --json -O "$output" \
        --label cell="$name" --label level="$level" \
        --label seed="$crash_seed" --label control="$control" $target \
        >"$work/verify.out" 2>"$work/verify.err"
    case $? in
    0 | 3)
        verdict=$(sed 's/.*"verdict":"\([a-z]*\)".*/\1/' "$work/verify.out")
        return 0
        ;;
    esac
    return 1
}

# remount: after a power cut; what was synced on it before tells whether the
# file system itself is as it should be.
remount() {
    if ! unmount; then
        record invalid "the image could not be unmounted"
        return 1
    fi
    mounted=
    if ! mount -o loop "$work/image" "$disk"; then
        record invalid "the image could not be mounted again"
        return 1
    fi
    mounted=yes
    if ! cmp -s "$disk/witness" "$work/witness"; then
        record invalid "what was synced before the load is not on the image"
        return 1
    fi
}

new_disk() {
    if [ -n "$mounted" ]; then
        unmount || die "$disk cannot be unmounted"
    fi
    mounted=
    if [ -n "${no_power:-}" ]; then
        rm -rf "${disk:?}"/*
    else
        if [ $# -gt 0 ]; then
            copy_image "$1"
        else
            make_image 256M
        fi || die "no image can be mounted at $disk"
        mounted=yes
    fi
    echo "$$ $name" >"$work/witness"
    cp "$work/witness" "$disk/witness"
    sync -f "$disk/witness"
}

# Level 3: the runner's writes are recorded by a shim, and what a bad disk
# makes of them is built from the record.
crash_on_bad_disk() {
    rm -f "$work/record"
    LD_PRELOAD=$BIN/ubench_disk.so
    UBENCH_DISK_RECORD=$work/record
    UBENCH_DISK_FOLDER=$disk/leases
    export LD_PRELOAD UBENCH_DISK_RECORD UBENCH_DISK_FOLDER
    start_load
    unset LD_PRELOAD
    strike || return 1
    if ! "$BIN/ubench_disk" --record "$work/record" --ledger "$ledger" \
        --folder "$disk/leases" --seed "$crash_seed" 2>"$work/strike.err"; then
        record invalid "$(cat "$work/strike.err")"
        return 1
    fi
}

crash_file_store() {
    rm -rf "$disk/leases"
    mkdir "$disk/leases"
    target="-f $disk/leases/store"
    case $level in
    1)
        start_load
        strike --mount "$disk" || return 0
        ;;
    2)
        start_load
        strike --mount "$disk" --power || return 0
        remount || return 0
        ;;
    3) crash_on_bad_disk || return 0 ;;
    esac
    verify || record invalid "$(cat "$work/verify.err")"
}

# start_server: sets target and pid.  Fails if it does not start.
start_server() {
    set --
    UBENCH_SERVERS_PRELOAD=
    if [ "$server_options" = lies ]; then
        UBENCH_SERVERS_PRELOAD=libeatmydata.so
    elif [ -n "$server_options" ]; then
        # shellcheck disable=SC2086 # words
        set -- $server_options
    fi
    export UBENCH_SERVERS_PRELOAD
    if [ "$store" = mysql ]; then
        set -- --innodb-log-file-size=16M --innodb-buffer-pool-size=64M "$@"
    else
        set -- -c shared_buffers=32MB "$@"
    fi
    server=$store
    servers start "$store" -- "$@" >"$work/server.err" 2>&1 || return 1
    eval "$(servers env "$store")"
    case $store in
    mysql) pid=$UBENCH_MYSQL_PID ;;
    pgsql) pid=$UBENCH_PGSQL_PID ;;
    esac
    target=
}

stop_server() {
    [ -z "$server" ] || servers stop "$server" >/dev/null 2>&1
    server=
}

# A folder of data that was made once, for each crash to begin with.
make_base() {
    [ ! -f "$work/base-$store" ] || return 0
    say "making the $store server's folder of data"
    make_image 1G || die "no image can be mounted at $disk"
    mounted=yes
    kept_options=$server_options
    server_options=
    start_server || die "$store does not start: $(cat "$work/server.err")"
    if [ "$store" = pgsql ]; then
        psql -XqAt "$UBENCH_PGSQL_ADMIN dbname=ubench" >/dev/null 2>&1 <<'END'
CREATE EXTENSION IF NOT EXISTS amcheck;
GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean) TO ubench;
GRANT EXECUTE ON FUNCTION verify_heapam TO ubench;
END
    fi
    server_options=$kept_options
    stop_server
    unmount || die "$disk cannot be unmounted"
    mounted=
    cp --sparse=always "$work/image" "$work/base-$store"
}

# The server does not start.  With a sound file system and room on it, that is
# the store's doing.
judge_dead_server() {
    log=$disk/servers/$store/log
    words=$(grep -E 'PANIC|FATAL|ERROR' "$log" 2>/dev/null | tail -n 1)
    if cmp -s "$disk/witness" "$work/witness" && [ -n "$words" ]; then
        record corrupt "the server does not start: $words"
    else
        record invalid "the server does not start: $(tail -n 1 "$work/server.err")"
    fi
}

# A server that restarts by itself takes a moment.
verify_patiently() {
    tries=0
    until verify; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.1
    done
}

# sessions_end: waits until the server knows that its client is gone, and has
# finished or taken back what that one had begun.
sessions_end() {
    tries=0
    while [ "$(count_sessions)" != 0 ] && [ "$tries" -lt 200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
}

count_sessions() {
    if [ "$store" = pgsql ]; then
        psql -XqAt "$UBENCH_PGSQL_ADMIN dbname=ubench" -c \
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ubench'"
    else
        mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -BN -e \
            "SELECT count(*) FROM information_schema.processlist WHERE user = 'ubench'"
    fi 2>/dev/null
}

crash_server() {
    if [ -z "$server" ]; then
        if ! start_server; then
            record invalid "the server does not start: $(tail -n 1 "$work/server.err")"
            fresh=
            return
        fi
    fi
    start_load
    case $level in
    1) strike --mount "$disk" --tree "$pid" || return 0 ;;
    1b)
        strike --mount "$disk" --tree "$pid" --matching "postgres: ubench " ||
            return 0
        verify_patiently || record invalid "$(cat "$work/verify.err")"
        return
        ;;
    1c)
        strike || return 0
        sessions_end
        verify || record invalid "$(cat "$work/verify.err")"
        return
        ;;
    2)
        strike --mount "$disk" --power --tree "$pid" || return 0
        remount || return 0
        ;;
    esac
    server=
    if ! start_server; then
        judge_dead_server
        server=
        return
    fi
    "$BIN/ubench_crash" --ledger "$ledger" --started "$pid"
    verify || record invalid "$(cat "$work/verify.err")"
}

# After a crash with any doubt the next begins with a new disk.  What a store in
# a file has lost is no doubt: its files are made anew each time.
crash_once() {
    verdict=invalid
    case $store in
    memfile | sqlite)
        [ -n "$fresh" ] || new_disk
        crash_file_store
        ;;
    *)
        if [ -z "$fresh" ]; then
            stop_server
            new_disk "$work/base-$store"
        fi
        crash_server
        ;;
    esac
    fresh=
    case $store,$verdict in
    *,kept) fresh=yes ;;
    *,invalid | *,corrupt) ;;
    memfile,* | sqlite,*) fresh=yes ;;
    esac
}

run_cell() {
    goal=$count
    made=$(count_done)
    [ "$made" -lt "$goal" ] || return 0
    fresh=
    invalid=0
    begun=$(date +%s%N)
    first=$made
    index=$made
    while [ "$made" -lt "$goal" ]; do
        index=$((index + 1))
        crash_seed=$((seed * 1000000 + index))
        crash_once
        if [ "$verdict" = invalid ]; then
            invalid=$((invalid + 1))
            if [ "$invalid" -ge 10 ]; then
                say "$name, level $level: the harness failed 10 times: given up"
                break
            fi
        else
            made=$((made + 1))
        fi
        progress
    done
    stop_server
    echo >&2
}

progress() {
    [ "$index" -gt "$first" ] || return 0
    each=$((($(date +%s%N) - begun) / 1000000 / (index - first)))
    printf '\r%-32s level %-2s %3d of %d, %d ms each, last: %-10s' \
        "$name" "$level" "$made" "$goal" "$each" "$verdict" >&2
}

# How many, how long and how much for one cell.
choose_sizes() {
    case $store in
    memfile | sqlite)
        preload=120
        operations=150k
        after=5ms
        spread=40ms
        # One that makes no system call is not to end before its crash.
        [ "$name" != "memfile buffer" ] || operations=600k
        ;;
    *)
        preload=960
        operations=300k
        after=400ms
        spread=1600ms
        ;;
    esac
    count=${wanted_count:-20}
    case $name in
    "memfile fdatasync"* | "sqlite wal full"* | "sqlite delete extra" | \
        "sqlite truncate full" | "sqlite truncate extra" | \
        "sqlite persist full" | "sqlite persist extra" | "pgsql on" | \
        "pgsql on 8 threads" | "pgsql on groups of 10" | \
        "mysql flush 1 groups of 10" | "pgsql open_datasync" | "mysql flush 1" | \
        "mysql flush 1, 8 threads" | "mysql flush 1, binlog, sync 1" | \
        "mysql flush 3, binlog, sync 1" | "mysql flush 1, O_DSYNC" | \
        "mysql Aria")
        count=${wanted_count:-59}
        ;;
    esac
}

can_run() {
    case $store in
    mysql | pgsql)
        [ -z "${no_power:-}" ] || return 1
        ;;
    esac
    case $level in
    2) [ -z "${no_power:-}" ] || return 1 ;;
    3)
        [ -x "$BIN/ubench_disk" ] || return 1
        ;;
    esac
    [ -x "$BIN/${store}_ubench" ] || return 1
}

# is_control_needed LEVEL: the cell is a control there; that of PostgreSQL is
# for those who asked for it.
is_control_needed() {
    case $control in
    *" at "*"$1"*) ;;
    *) return 1 ;;
    esac
    case $store in
    memfile | sqlite) return 0 ;;
    esac
    echo "$patterns" | grep -q "^$store"
}

run_cells() {
    cells | while IFS='|' read -r name store cell_levels control options server_options; do
        name=$(trim "$name")
        store=$(trim "$store")
        control=$(trim "$control")
        server_options=$(trim "$server_options")
        for level in $cell_levels; do
            is_level_wanted "$level" || continue
            can_run || continue
            is_wanted "$name" || is_control_needed "$level" || continue
            choose_sizes
            case $store in
            mysql | pgsql)
                stop_server
                [ -z "$mounted" ] || unmount
                mounted=
                make_base
                ;;
            esac
            run_cell </dev/null
        done
        # Of the subshell that the pipe makes.
        printf '%s' "$mounted" >"$work/mounted"
        printf '%s' "$server" >"$work/server"
    done
    mounted=$(cat "$work/mounted" 2>/dev/null)
    server=$(cat "$work/server" 2>/dev/null)
}

# The first line of a campaign says on which machine it was.
describe_machine() {
    [ -s "$output" ] || "$BIN/null_ubench" -v no -O "$output" >/dev/null ||
        exit 1
}

read_options "$@"
enter_namespace "$@"
prepare
describe_machine
run_cells
"$BIN/ubench_report" crashes "$output"
