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

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
BIN=${BIN:-$programs}
disk_library=$BIN/ubench_disk.so
[ -e "$disk_library" ] || disk_library=$here/ubench_disk.so

usage() {
    cat <<'END'
Usage: crash.sh [-j] [-O FILE] [-n N] [-l LEVELS] [-s SEED] [-d FOLDER] [CELL]...
       crash.sh --list
Crashes stores under load and verifies what is left.  Appends a line of JSON for
each crash to FILE and ends with a table.  Crashes that are in FILE already are
not repeated, so that a campaign can be interrupted and goes on.

  -O FILE    where the lines go [build/crash/crashes.jsonl]
  -n N       crashes for each cell and level [20, and 59 for power-safe ones]
  -l LEVELS  of these [1,1b,1c,2,3]
               1   kill -9 of the store, with all its processes
               1b  kill -9 of one backend (PostgreSQL)
               1c  kill -9 of the client alone, in mid-transaction (servers)
               2   power loss: the file system is shut down without flushing
                   (root and loop devices; without them it is left out, and
                   all servers are)
               3   a disk that drops, reorders and tears what was not synced
                   (memfile and SQLite)
               4   the loss for ever of the node that is written to: another
                   one is judged (PostgreSQL with a standby, Galera)
               4k  the same, but the load goes on with another node; 4s: the node
                   is stopped (SIGSTOP), 4n: it is cut off by the network
  -s SEED    of all moments and leases [1]
  -d FOLDER  in memory, where images and ledgers go [/dev/shm]
  -j         MariaDB, PostgreSQL and the stores in files side by side, which is
             faster; but times to recover are those of a busy machine
  CELL       patterns, see --list [all]; the controls always run, too

Exit status: 0 done, 1 a crash or its verdict could not be had, 2 usage,
130 or 143 interrupted.
END
}

# interruptible COMMAND...: runs it so that a signal ends this script at once: a
# shell runs its traps in wait, but not while a command runs.
interruptible() {
    "$@" &
    child=$!
    wait "$child"
    status=$?
    child=
    return "$status"
}

# ---- The cells

# cells: their fields, with | between and no blanks around.
cells() { sed '/^#/d; s/ *| */|/g' "$here/crash.cells"; }

# each_cell COMMAND...: runs it for every cell, whose fields are in variables.
each_cell() {
    while IFS='|' read -r name store cell_levels control options \
        server_options <&3; do
        "$@"
    done 3<<END
$(cells)
END
}

# add_pattern PATTERN: of cells that are wanted.
add_pattern() {
    matched=
    each_cell match_cell "$1"
    [ -n "$matched" ] || misuse "'$1' is no cell; --list names them"
}

match_cell() {
    # shellcheck disable=SC2254 # a pattern
    case $name in
    $1) matched=yes wanted="$wanted|$name|" wanted_stores="$wanted_stores $store" ;;
    esac
}

# is_server: a store that can be both, Kea's, is in a file here.
is_server() {
    [ "$("$BIN/${store}_ubench" --list-options | cut -f 2 | grep -xE 'file|port')" = port ]
}

# is_wanted: the cell by its name, or as the level's control; a server's control
# is for those who asked for that server.
is_wanted() {
    case $wanted in
    '' | *"|$name|"*) return 0 ;;
    esac
    case $control in
    *" at "*"$level"*) [ "$kind" = file ] || is_among "$store" "$wanted_stores" ;;
    *) return 1 ;;
    esac
}

can_run() {
    case $kind,$level in
    server,* | *,2) [ -z "$no_power" ] ;;
    *,3) [ -e "$disk_library" ] ;;
    esac
}

# run_levels [GROUP]: of a cell whose store is in the group: files, or a server.
run_levels() {
    [ -x "$BIN/${store}_ubench" ] || return 0
    kind='file'
    ! is_server || kind=server
    case $group,$kind in
    ,* | files,file | "$store",server) ;;
    *) return 0 ;;
    esac
    for level in $cell_levels; do
        ! is_among "$level" "$levels" || ! is_wanted || ! can_run || run_cell
    done
}

# How long a load is, unless it ends before its crash, and when in it that comes.
choose_sizes() {
    preload=960 operations=300k after=400ms spread=1600ms
    case $kind,$options in
    *--pace*) ;;
    file,*)
        preload=120 operations=600k after=5ms spread=40ms
        ;;
    esac
}

# count_crashes: sets crashes and judged, those of this cell and level in the
# output, and goal: how many make a verdict.  None lost of 59 means 5 % at most,
# with a confidence of 95 %: what is called power-safe is to be no worse.  What the
# settings come to is not known before the first crash; a control that has to lose
# is not called anything.
count_crashes() {
    # shellcheck disable=SC2046 # three words
    set -- $(grep -F "\"$name\"" "$output" | jq -rRs --arg cell "$name" \
        --arg level "$level" '[splits("\n") | fromjson? | select(.labels.cell == $cell
            and .labels.level == $level)] | "\(length) \(map(select(.verdict != "invalid")) | length) \(.[-1].durability.class)"')
    crashes=$1 judged=$2 goal=${wanted_count:-20}
    case $control,$wanted_count,$3 in
    loses*) ;;
    *,,power-safe) goal=59 ;;
    esac
}

# Until there are enough that could be judged.
run_cell() {
    ! is_among "$store" "$left_out" || return 0
    count_crashes
    [ "$judged" -lt "$goal" ] || return 0
    choose_sizes
    [ "$kind" = file ] || make_base || return 0
    clean=
    invalid=0
    first=$crashes
    begun=$(date +%s%N)
    while [ "$judged" -lt "$goal" ] && [ "$invalid" -lt 10 ]; do
        crash_seed=$((seed * 1000000 + crashes + 1))
        verdict=invalid
        [ -n "$clean" ] || new_disk
        "crash_$kind"
        [ "$verdict" != invalid ] || invalid=$((invalid + 1))
        # After a crash with any doubt the next begins with a new disk.  What a
        # store in a file has lost is no doubt: its files are made anew each time.
        clean=
        case $kind,$verdict in
        *,invalid | *,corrupt) ;;
        file,* | *,kept) clean=yes ;;
        esac
        count_crashes
        [ -n "$group" ] || [ ! -t 2 ] || progress
    done
    stop_server
    progress '\n'
    if [ "$judged" -lt "$goal" ]; then
        say "$name, level $level: the harness failed 10 times: given up"
        given_up=yes
    fi
}

# progress [END]
progress() {
    each=$((($(date +%s%N) - begun) / 1000000 / (crashes - first)))
    printf '\r%-32s level %-2s %3d of %d, %d ms each, last: %-10s%b' \
        "$name" "$level" "$judged" "$goal" "$each" "$verdict" "${1:-}" >&2
}

# ---- The file system that is lost in a power cut

# make_image SIZE: a new one, mounted at $disk.
make_image() {
    truncate -s "$1" "$work/image" &&
        mkfs.ext4 -q -F "$work/image" >/dev/null 2>&1 && mount_image
}

mount_image() {
    mount -o loop "$work/image" "$disk" || return 1
    mounted=yes
    chmod 711 "$disk"
}

# Fails if something still uses it after a while.
unmount() {
    [ -z "$mounted" ] || await umount "$disk" 2>/dev/null || return 1
    mounted=
}

# new_disk: an empty one, or one with a server's folder of data.  The marker is
# synced.
new_disk() {
    stop_server
    unmount || die "$disk cannot be unmounted"
    if [ -n "$no_power" ]; then
        rm -rf "${disk:?}"/*
    elif [ "$kind" = file ]; then
        make_image 256M
    else
        cp --sparse=always "$work/base-$store" "$work/image" && mount_image
    fi || die "no image can be mounted at $disk"
    echo "$$ $name" >"$work/marker"
    cp "$work/marker" "$disk/marker"
    sync -f "$disk/marker"
}

is_disk_sound() { cmp -s "$disk/marker" "$work/marker"; }

# remount: after a power cut.
remount() {
    unmount || invalid "the image could not be unmounted" || return
    mount_image || invalid "the image could not be mounted again" || return
    is_disk_sound ||
        invalid "what was synced before the load is not on the image"
}

# ---- One crash

# record VERDICT WHY: of a crash that the runner could not judge.
record() {
    verdict=$1
    jq -cn '{format: "ubench-crash/1", $store, labels: {$cell, $level, $seed, $control},
            $verdict, why: ($why | gsub("[[:cntrl:]]+"; " ") | .[:200])}' \
        --arg store "$store" --arg cell "$name" --arg level "$level" \
        --arg seed "$crash_seed" --arg control "$control" \
        --arg verdict "$verdict" --arg why "$2" >>"$output"
}

# invalid WHY: fails, and records that there was no crash that could be judged.
invalid() {
    record invalid "$1"
    return 1
}

start_load() {
    rm -f "$ledger"
    # shellcheck disable=SC2086 # words
    "$BIN/${store}_ubench" $target -v no -w churn -n "$operations" \
        --preload "$preload" --seed "$crash_seed" --ledger "$ledger" \
        $options >"$work/load.out" 2>"$work/load.err" &
    load=$!
}

# inject_crash OPTION...: into the load.
inject_crash() {
    interruptible "$BIN/ubench_crash" --ledger "$ledger" --load "$load" \
        --seed "$crash_seed" --after "$after" --spread "$spread" "$@" \
        2>"$work/crash.err"
    injected=$?
    [ "$injected" -eq 0 ] || kill -9 "$load" 2>/dev/null
    # It had ended before, as on a fast machine.
    [ "$injected" -ne 3 ] || [ "${operations%k}" -ge 9600 ] ||
        operations=$((${operations%k} * 4))k
    wait "$load" 2>/dev/null
    ended=$?
    load=
    [ "$injected" -eq 0 ] ||
        invalid "$(cat "$work/crash.err" "$work/load.err") (the load: $ended)"
}

# verify: the runner judges what is left, and records it.
verify() {
    # A server that lost a backend restarts by itself, and a node has to notice
    # that it lost another, which takes a moment.
    case $level in
    1b | 4*) await try_verify ;;
    *) try_verify ;;
    esac || invalid "$(cat "$work/verify.err")"
}

try_verify() {
    rm -f "$work/verdict"
    # shellcheck disable=SC2086 # words
    interruptible "$BIN/${store}_ubench" --verify "$ledger" --json -O "$work/verdict" \
        --label cell="$name" --label level="$level" \
        --label seed="$crash_seed" --label control="$control" $target \
        >"$work/verify.out" 2>"$work/verify.err"
    case $? in
    0 | 3) verdict=$(jq -r .verdict "$work/verify.out") ;;
    *) return 1 ;;
    esac
    jq -c ".recovery_ns = ${outage:-.recovery_ns}" "$work/verdict" >>"$output"
}

# Level 3: a shim records the runner's writes, and ubench_crash builds from the
# record what a bad disk makes of them.
crash_on_bad_disk() {
    rm -f "$work/record"
    LD_PRELOAD=$disk_library
    UBENCH_DISK_RECORD=$work/record
    UBENCH_DISK_FOLDER=$disk/leases
    export LD_PRELOAD UBENCH_DISK_RECORD UBENCH_DISK_FOLDER
    start_load
    unset LD_PRELOAD
    inject_crash || return
    interruptible "$BIN/ubench_crash" --spoil "$disk/leases" \
        --record "$work/record" --ledger "$ledger" --seed "$crash_seed" \
        2>"$work/crash.err" || invalid "$(cat "$work/crash.err")"
}

# ---- Stores that are servers

# servers ACTION STORE [OPTION...]: those whose data are on the disk.
servers() { UBENCH_SERVERS=$disk/servers "$here/servers.sh" "$@"; }

# start_server [OPTION...]: sets pid.  Fails if it does not start.
start_server() {
    UBENCH_SERVERS_PRELOAD=
    if [ "$*" = libeatmydata ]; then
        UBENCH_SERVERS_PRELOAD=libeatmydata.so
        shift
        [ -z "$(LD_PRELOAD=$UBENCH_SERVERS_PRELOAD env true 2>&1)" ] || {
            echo "there is no libeatmydata (Debian: libeatmydata1)" >"$work/server.err"
            return 1
        }
    fi
    export UBENCH_SERVERS_PRELOAD
    members=
    case ${1:-} in
    --standbys | --nodes)
        members="$1 $2"
        shift 2
        ;;
    esac
    if [ "${1:-}" = --delay ]; then
        members="$members $1 $2"
        shift 2
    fi
    case $store in
    mysql) set -- --loose-innodb-log-file-size=16M --loose-innodb-redo-log-capacity=32M \
        --innodb-buffer-pool-size=64M "$@" ;;
    pgsql) set -- -c shared_buffers=32MB "$@" ;;
    esac
    server=$store
    # shellcheck disable=SC2086 # words
    interruptible servers start "$store" $members -- "$@" >"$work/server.err" 2>&1 ||
        return 1
    server_env=$(servers env "$store")
    eval "$server_env"
    pid=$(echo "$server_env" | sed -n "s/^export UBENCH_[A-Z]*_PID='\(.*\)'/\1/p")
}

stop_server() {
    [ -z "$server" ] || servers stop "$server" >/dev/null 2>&1
    server=
}

# A server's folder of data that was made once, for each crash to begin with.  Fails if
# there is no server: it is left out.
make_base() {
    [ ! -f "$work/base-$store" ] || return 0
    say "making the $store server's folder of data"
    unmount || die "$disk cannot be unmounted"
    make_image 1G || die "no image can be mounted at $disk"
    start_server || {
        say "$store is left out, it does not start: $(cat "$work/server.err")"
        left_out="$left_out $store" given_up=yes
        return 1
    }
    [ "$store" != pgsql ] ||
        psql -XqAt "$UBENCH_PGSQL_ADMIN dbname=ubench" >/dev/null 2>&1 <<'END'
CREATE EXTENSION IF NOT EXISTS amcheck;
GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean) TO ubench;
GRANT EXECUTE ON FUNCTION verify_heapam TO ubench;
END
    stop_server
    unmount || die "$disk cannot be unmounted"
    cp --sparse=always "$work/image" "$work/base-$store"
}

# have_no_sessions: the server knows that its client is gone, and has finished or
# taken back what that one had begun.
have_no_sessions() {
    [ "$(if [ "$store" = pgsql ]; then
        psql -XqAt "$UBENCH_PGSQL_ADMIN dbname=ubench" -c \
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ubench'"
    else
        mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -BN -e \
            "SELECT count(*) FROM information_schema.processlist WHERE user = 'ubench'"
    fi 2>/dev/null)" = 0 ]
}

# start_server_anew: after a kill.  If it does not start on a sound file system and
# says why, that is the store's doing; one that is merely slow says that it is
# starting.
start_server_anew() {
    server=
    # shellcheck disable=SC2086 # words
    if start_server $server_options; then
        "$BIN/ubench_crash" --ledger "$ledger" --started "$pid"
        return
    fi
    server=
    why=$(grep -E 'PANIC|FATAL|ERROR|got signal' "$disk/servers/$store/log" |
        grep -v 'the database system is' | tail -n 1)
    [ -n "$why" ] && is_disk_sound ||
        invalid "the server does not start: $(tail -n 1 "$work/server.err")" || return
    record corrupt "the server does not start: $why"
    return 1
}

# choose_nodes: sets written and others, the addresses of a cluster's members.
choose_nodes() {
    # shellcheck disable=SC2046 # words
    set -- $(echo "$server_env" | sed -n "s/^export .*_\(HOST\|PORT\)='\(.*\)'/\2/p" |
        paste -d : - -)
    others=
    while [ $# -gt 1 ]; do
        others=$others${others:+,}$1
        shift
    done
    written=$1
}

# take_over: from now on another node is the store.
take_over() {
    target="-m $others"
    [ "$store" != pgsql ] ||
        psql -Xq "$UBENCH_PGSQL2_ADMIN" -c 'SELECT pg_promote()' >/dev/null ||
        invalid "the standby is not promoted"
}

# take_node: while the load goes on, which then knows for how long none answered, unless
# it met a change that was lost.  Before that another node hears nothing for a moment:
# what is acknowledged without it is lost.
take_node() {
    second=$(echo "$server_env" | sed -n "s/^export UBENCH_[A-Z]*2_PID='\(.*\)'/\1/p")
    case $level in
    4k) how="$(set_network "$pid" down); kill -KILL $pid \$(pgrep -P $pid)" ;;
    4s) how="kill -STOP $pid \$(pgrep -P $pid)" ;;
    4n) how=$(set_network "$pid" down) ;;
    esac
    [ "$store" != pgsql ] ||
        how="$how; psql -Xq -o /dev/null \"\$UBENCH_PGSQL2_ADMIN\" -c 'SELECT pg_promote()'"
    how="$(set_network "$second" down); sleep 0.2; $how; $(set_network "$second" up)"
    inject_crash --run "$how" || return
    target="-m $others"
    outage=$(jq '.runs[0].reconnect | select(.ended > 0) | .longest_ns' "$work/load.out" \
        2>/dev/null)
    [ -n "$outage" ] || [ "$ended" -eq 3 ] ||
        invalid "no other node has acknowledged anything: $(cat "$work/load.err")" || return
    : "${outage:=null}"
}

# set_network PID up|down: prints the command that does it to the node of a server.
set_network() { echo "nsenter --net=/proc/$1/ns/net ip link set ubench0 $2"; }

# crash_file: a crash of a store in a file.
crash_file() {
    rm -rf "$disk/leases"
    mkdir "$disk/leases"
    target="-f $disk/leases/store"
    [ "$level" = 3 ] || start_load
    case $level in
    1) inject_crash --mount "$disk" ;;
    2) inject_crash --mount "$disk" --power && remount ;;
    3) crash_on_bad_disk ;;
    esac && verify
}

crash_server() {
    # shellcheck disable=SC2086 # words
    [ -n "$server" ] || start_server $server_options ||
        invalid "the server does not start: $(tail -n 1 "$work/server.err")" || return
    target='' outage=''
    choose_nodes
    case $level in
    4?) target="-m $written,$others --reconnect 5m --read-timeout 2 --json" ;;
    esac
    start_load
    case $level in
    1) inject_crash --mount "$disk" --tree "$pid" && start_server_anew ;;
    1b) inject_crash --mount "$disk" --tree "$pid" --matching "postgres: ubench " ;;
    1c) inject_crash && { await have_no_sessions || :; } ;;
    2)
        inject_crash --mount "$disk" --power --tree "$pid" && remount &&
            start_server_anew
        ;;
    4) inject_crash --mount "$disk" --tree "$pid" && take_over ;;
    4?) take_node ;;
    esac && verify
    case $level in
    4[sn]) # such a node does not stop by itself
        # shellcheck disable=SC2046 # numbers
        kill -KILL "$pid" $(pgrep -P "$pid")
        ;;
    esac
    case $level in
    4*) stop_server ;; # with the nodes that are left
    esac
}

# ---- A campaign

read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help) usage && exit 0 ;;
        --list)
            grep -v '^#' "$here/crash.cells" | cut -d '|' -f 1,3
            exit 0
            ;;
        -j) side_by_side=yes ;;
        -O | -o | -n | -l | -s | -d)
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
    case $1,$2 in
    -[Oo],*) output=$2 ;;
    -[ns], | -[ns],0* | -[ns],*[!0-9]* | -[ns],???????*)
        misuse "$1: '$2' is not a whole number in 1..999999"
        ;;
    -n,*) wanted_count=$2 ;;
    -s,*) seed=$2 ;;
    -l,*)
        levels=$(echo "$2" | tr ',' ' ')
        for level in ${levels:-""}; do
            is_among "$level" "1 1b 1c 2 3 4 4k 4s 4n" ||
                misuse "-l: '$level' is not one of 1, 1b, 1c, 2, 3, 4, 4k, 4s, 4n"
        done
        ;;
    -d,*)
        [ -d "$2" ] || misuse "-d: '$2' is not a folder"
        memory=$2
        ;;
    esac
}

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

# What a campaign needs; its first line says on which machine it was.
prepare() {
    [ -x "$BIN/ubench_crash" ] || die "$BIN/ubench_crash is not there: make"
    need_jq
    check_output -O "$output"
    output=$(absolute "$output")
    mkdir -p "$(dirname "$output")" || exit 1
    PATH=$PATH:/usr/sbin:/sbin
    [ -s "$output" ] || "$BIN/null_ubench" -v no -O "$output" >/dev/null ||
        exit 1
    end_last_line "$output"
}

# What one crash at a time needs.
make_place() {
    work=$(mktemp -d "$memory/ubench-crash.XXXXXX") || exit 1
    disk=$(mktemp -d /tmp/ubench-crash.XXXXXX) || exit 1
    chmod 711 "$work" "$disk"
    ledger=$work/ledger
    on_exit clean_up
    if [ -z "$no_power" ]; then
        if make_image 256M 2>/dev/null; then
            unmount || die "$disk cannot be unmounted"
        else
            no_power="no ext4 image can be mounted through a loop device"
        fi
    fi
}

clean_up() {
    trap - EXIT
    trap '' INT TERM HUP
    # shellcheck disable=SC2086 # numbers
    [ -z "$child$groups" ] || kill $child $groups 2>/dev/null
    [ -z "$load" ] || kill -9 "$load" 2>/dev/null
    wait
    stop_server
    unmount
    rm -rf "$work" "$disk"
}

# run_group [GROUP]: the cells of all stores, or of a group.
run_group() {
    group=$1 groups=
    make_place
    case $no_power,$group in
    ?*, | ?*,files) say "level 2 and all servers are left out: $no_power" ;;
    esac
    each_cell run_levels
    [ -z "$given_up" ]
}

# Each group has a place of its own; their controls are in one file.
run_side_by_side() {
    on_exit clean_up
    for group in files mysql pgsql; do
        (run_group "$group") &
        groups="$groups $!"
    done
    for group in $groups; do
        wait "$group" || given_up=yes
    done
    groups=
    [ -z "$given_up" ]
}

output=build/crash/crashes.jsonl wanted_count='' levels=1,1b,1c,2,3 seed=1
memory=/dev/shm wanted='' wanted_stores='' side_by_side=''
child='' load='' server='' mounted='' no_power='' left_out='' given_up='' groups='' work='' disk=''
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
