#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Measures a whole DHCP server with its lease store: kea-dhcp4, kea-dhcp6 or ISC's
# dhcpd on one side of a pair of network interfaces, perfdhcp on the other.
#
# All processes, the database servers' too, are in network and process namespaces of
# this script's own, which end with it, even after kill -9.  So nothing of the
# machine's own servers is met, and no port is taken.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=lib.sh
. "$here/lib.sh"
BIN=$(cd "${BIN:-$programs}" && pwd)

usage() {
    cat <<'END_OF_USAGE'
Usage: dhcp.sh COMMAND [OPTION]...
Measures a DHCP server with its lease store under the load of perfdhcp, in network
namespaces of its own.  Needs root.

  rate      the highest rate of new leases of which few are lost
  seconds   a long run at one rate, second by second
  storm     all clients ask at once, and again until they have a lease

      --server NAME     kea or dhcpd [kea]
      --store LIST      memfile, mysql, pgsql: Kea's lease databases [memfile]
  -s, --sync LIST       yes, no: whether an acknowledged lease survives a power cut
                        [no for memfile, which cannot, else yes]
  -6, --ipv6            DHCPv6
  -t, --threads LIST    of Kea; 1 is without multi-threading [1]
      --queue LIST      packets that may wait for Kea's threads [64]
      --delayed-ack N   of dhcpd: answers that wait for one sync [0]
      --pool N          addresses [4000000; of dhcpd, which keeps each in memory:
                        20000]
      --classes N       client classes, each with a test [0]
      --lost PERCENT    of the clients at most [2.5]
      --within SECONDS  that a client waits for an answer [2]
  -r, --runs N          runs, each on an empty database [9; storm, seconds: 1]
      --rate N          rate: where the search begins [500]; seconds: clients a
                        second
      --seconds N       that a trial sends [4; of seconds: 60]
      --clients N       of storm [10000]
      --server-cpus L   processors of server and database [all but the last]
      --load-cpus L     processors of perfdhcp [the last]
      --quick           one run, trials of 2 s
  -O, --output FILE     appends a line of JSON for each run; runs that FILE has
                        already are not repeated [build/dhcp/results.jsonl]
  -h, --help            print this and exit

UBENCH_DHCP names another folder than build/dhcp for configurations and leases.
Exit status: 0 done, 1 a run failed, 2 usage, 77 it cannot run here, 130 or 143
interrupted.
END_OF_USAGE
}

# ---- The command line

number() {
    case $2 in
    '' | *[!0-9.]* | *.*.* | .) misuse "$1: '$2' is not a number" ;;
    esac
}

whole() {
    case $2 in
    '' | *[!0-9]* | 0?*) misuse "$1: '$2' is not a whole number" ;;
    esac
}

positive() {
    whole "$1" "$2"
    [ "$2" -gt 0 ] || misuse "$1: '$2' is not above 0"
}

# each_of OPTION LIST WORDS: every word of LIST must be among WORDS.
each_of() {
    for word in $(echo "$2" | tr ',' ' '); do
        is_among "$word" "$3" || misuse "$1: '$word' is not one of $3"
    done
}

positive_list() {
    for word in $(echo "$2" | tr ',' ' '); do positive "$1" "$word"; done
}

read_options() {
    command=
    server=kea stores='' syncs='' family=4 thread_list=1 queues=64
    delayed_ack=0 pool='' classes=0 lost=2.5 within=2 runs=''
    start_rate='' seconds='' clients=10000 server_cpus='' load_cpus='' quick=''
    output=${UBENCH_DHCP:-$writable/dhcp}/results.jsonl
    while [ $# -gt 0 ]; do
        option=$1
        case $option in
        -h | --help)
            usage
            exit 0
            ;;
        -6 | --ipv6) family=6 ;;
        --quick) quick=yes ;;
        -*=*)
            take_option "${option%%=*}" 2 "${option#*=}"
            ;;
        -*)
            take_option "$option" "$#" "${2-}"
            shift
            ;;
        *)
            [ -z "$command" ] || misuse "'$option' after '$command': one command"
            command=$option
            ;;
        esac
        shift
    done
    is_among "$command" 'rate seconds storm' ||
        misuse "'$command' is no command: rate, seconds or storm"
    check_options
}

# take_option OPTION WORDS VALUE: WORDS is 1 if there is no value.
take_option() {
    is_among "$1" '--server --store -s --sync -t --threads --queue --delayed-ack
        --pool --classes --lost --within -r --runs --rate --seconds --clients
        --server-cpus --load-cpus -O --output' ||
        misuse "'$1' is no option; --help lists them"
    [ "$2" -gt 1 ] || misuse "$1 needs a value; --help lists the options"
    set -- "$1" "$3"
    case $1 in
    --server) each_of "$1" "$2" 'kea dhcpd' && server=$2 ;;
    --store) each_of "$1" "$2" 'memfile mysql pgsql' && stores=$2 ;;
    -s | --sync) each_of "$1" "$2" 'yes no' && syncs=$2 ;;
    -t | --threads) positive_list "$1" "$2" && thread_list=$2 ;;
    --queue) positive_list "$1" "$2" && queues=$2 ;;
    --delayed-ack) whole "$1" "$2" && delayed_ack=$2 ;;
    --pool) positive "$1" "$2" && pool=$2 ;;
    --classes) whole "$1" "$2" && classes=$2 ;;
    --lost) number "$1" "$2" && lost=$2 ;;
    --within) number "$1" "$2" && within=$2 ;;
    -r | --runs) positive "$1" "$2" && runs=$2 ;;
    --rate) positive "$1" "$2" && start_rate=$2 ;;
    --seconds) positive "$1" "$2" && seconds=$2 ;;
    --clients) positive "$1" "$2" && clients=$2 ;;
    --server-cpus) server_cpus=$2 ;;
    --load-cpus) load_cpus=$2 ;;
    -O | --output) output=$2 ;;
    esac
}

check_options() {
    [ "$server" = kea ] || : "${pool:=20000}"
    : "${pool:=4000000}"
    [ "$pool" -le 8000000 ] || misuse "--pool: $pool is more than 8000000"
    [ "$classes" -le 256 ] || misuse "--classes: $classes is more than 256"
    [ "$server" = kea ] || [ "$family" = 4 ] ||
        misuse "--server dhcpd: only IPv4 is measured"
    if [ "$server" = dhcpd ]; then
        [ -z "$stores" ] || misuse "--store $stores: dhcpd has its lease file alone"
        [ "$thread_list" = 1 ] || misuse "--threads $thread_list: dhcpd has one"
        stores=dhcpd
    fi
    : "${stores:=memfile}"
    case $stores,$syncs in
    *memfile*yes*)
        misuse "--sync yes: Kea never syncs the file of memfile; leave memfile out"
        ;;
    *dhcpd*no*) misuse "--sync no: dhcpd always syncs its file" ;;
    esac
    case $command in
    rate)
        : "${runs:=${quick:+1}}" "${runs:=9}" "${start_rate:=500}"
        : "${seconds:=${quick:+2}}" "${seconds:=4}"
        ;;
    seconds)
        [ -n "$start_rate" ] || misuse "seconds: --rate is missing"
        : "${runs:=1}" "${seconds:=60}"
        ;;
    storm) : "${runs:=1}" "${seconds:=0}" "${start_rate:=0}" ;;
    esac
    case $output in
    /*) ;;
    *) output=$PWD/$output ;;
    esac
}

# ---- The namespaces

# can_run: that what is needed is there; exit 77 says why not.
cannot() {
    say "skipped: $*"
    exit 77
}

check_machine() {
    [ "$(id -u)" = 0 ] || cannot "only root can make network namespaces"
    unshare --net --pid --fork true 2>/dev/null ||
        cannot "this system lets nobody make network namespaces"
    need_jq
    set -- perfdhcp ip taskset nsenter
    case $server$family in
    kea4) set -- "$@" kea-dhcp4 ;;
    kea6) set -- "$@" kea-dhcp6 ;;
    *) set -- "$@" dhcpd ;;
    esac
    for program in "$@"; do
        command -v "$program" >/dev/null || cannot "$program is not installed"
    done
    for store in $(echo "$stores" | tr ',' ' '); do
        # Its class is what this store's runner reads from the same server.
        case $store in
        mysql | pgsql)
            command -v kea-admin >/dev/null || cannot "kea-admin is not installed"
            [ -x "$BIN/${store}_ubench" ] ||
                die "$BIN has no ${store}_ubench: make it first"
            ;;
        esac
    done
}

# enter ARGUMENT...: this script again, in namespaces of its own.  If this process
# ends, unshare does, with it the first process inside, and with that all others.
enter() {
    export UBENCH_DHCP_INSIDE=yes
    setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child \
        --mount-proc -- "$0" "$@" &
    unshare=$!
    status=1
    # What a shell starts in the background ignores INT, so inside all is TERM.
    interrupted=
    trap 'interrupted=130; end_inside' INT
    trap 'interrupted=143; end_inside' TERM HUP
    while kill -0 "$unshare" 2>/dev/null; do
        status=0
        wait "$unshare" || status=$?
    done
    exit "${interrupted:-$status}"
}

end_inside() {
    # shellcheck disable=SC2046 # a list of numbers
    kill $(cat "/proc/$unshare/task/$unshare/children") 2>/dev/null || :
}

# The load's side is a network namespace that a sleeping process keeps.
make_network() {
    unshare --net sleep infinity &
    load_side=$!
    ip link set lo up
    ip link add dhcp0 type veth peer name load0
    until ip link set load0 netns "$load_side" 2>/dev/null &&
        [ "$(readlink "/proc/$load_side/ns/net")" != \
            "$(readlink /proc/self/ns/net)" ]; do
        sleep 0.05
    done
    echo 0 >/proc/sys/net/ipv6/conf/dhcp0/accept_dad
    ip addr add 10.0.0.1/8 dev dhcp0
    ip addr add 2001:db8:1::1/64 dev dhcp0
    ip link set dhcp0 up
    on_load_side sh -c 'echo 0 >/proc/sys/net/ipv6/conf/load0/accept_dad
        ip link set lo up
        ip addr add 10.0.0.2/8 dev load0
        ip addr add 2001:db8:1::2/64 dev load0
        ip link set load0 up'
}

on_load_side() { nsenter --net="/proc/$load_side/ns/net" -- "$@"; }

choose_processors() {
    all=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' | while IFS=- read -r a b; do
        seq "$a" "${b:-$a}"
    done)
    last=$(echo "$all" | tail -n 1)
    : "${load_cpus:=$last}"
    if [ -z "$server_cpus" ]; then
        server_cpus=$(echo "$all" | grep -vxF "$last" | paste -sd , -)
        : "${server_cpus:=$last}"
    fi
    for list in "$load_cpus" "$server_cpus"; do
        taskset -c "$list" true 2>/dev/null ||
            misuse "'$list': these are no processors of this machine"
    done
}

# ---- The database

# start_database: with the settings that $sync stands for, on the server's processors.
start_database() {
    stop_database
    [ "$store" = mysql ] || [ "$store" = pgsql ] || return 0
    case $store$sync in
    mysqlyes) set -- --innodb-flush-log-at-trx-commit=1 --sync-binlog=1 ;;
    mysqlno) set -- --innodb-flush-log-at-trx-commit=2 --sync-binlog=0 ;;
    pgsqlyes) set -- -c synchronous_commit=on ;;
    pgsqlno) set -- -c synchronous_commit=off ;;
    esac
    taskset -c "$server_cpus" "$here/servers.sh" start "$store" -- "$@" ||
        die "$store does not start"
    eval "$("$here/servers.sh" env "$store")"
    "set_up_$store" >"$work/database.log" 2>&1 || {
        tail -n 5 "$work/database.log" >&2
        die "kea-admin cannot make Kea's tables in $store"
    }
}

stop_database() {
    "$here/servers.sh" stop >/dev/null 2>&1 || :
}

mysql_admin() { mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B "$@"; }

set_up_mysql() {
    database_type=mysql database_port=$UBENCH_MYSQL_PORT
    database_user=$UBENCH_MYSQL_USER database_password=$UBENCH_MYSQL_PASSWORD
    store_name=$(mysql_admin -e 'SELECT VERSION()')
    case $store_name in
    *MariaDB*) store_name="MariaDB ${store_name%%-*}" ;;
    *) store_name="MySQL $store_name" ;;
    esac
    [ -z "$(mysql_admin -e "SHOW TABLES IN kea LIKE 'lease4'" 2>/dev/null)" ] || return 0
    mysql_admin -e "DROP DATABASE IF EXISTS kea; CREATE DATABASE kea;
        GRANT ALL ON kea.* TO $database_user@'%';
        SET GLOBAL log_bin_trust_function_creators = 1"
    # kea-admin 2.2 passes the port to some of its calls only.
    kea-admin db-init mysql -u "$database_user" -p "$database_password" -n kea \
        -h 127.0.0.1 -P "$database_port" -x --port="$database_port"
}

set_up_pgsql() {
    database_type=postgresql database_port=$UBENCH_PGSQL_PORT
    database_user=$UBENCH_PGSQL_USER database_password=$UBENCH_PGSQL_PASSWORD
    store_name="PostgreSQL $(psql "$UBENCH_PGSQL_ADMIN" -Atc 'SHOW server_version' |
        sed 's/ .*//')"
    kea_tables=$(PGPASSWORD=$database_password pgsql_kea -c \
        "SELECT to_regclass('lease4')" 2>/dev/null || :)
    [ -z "$kea_tables" ] || return 0
    psql "$UBENCH_PGSQL_ADMIN" -c 'DROP DATABASE IF EXISTS kea' \
        -c "CREATE DATABASE kea OWNER $database_user"
    kea-admin db-init pgsql -u "$database_user" -p "$database_password" -n kea \
        -h 127.0.0.1 -P "$database_port"
}

pgsql_kea() {
    PGPASSWORD=$database_password psql -q -h 127.0.0.1 -p "$database_port" \
        -U "$database_user" -d kea -At "$@"
}

# empty_store: no leases, as in a server's first minute.
empty_store() {
    rm -f "$work"/leases*
    case $store in
    mysql)
        for table in lease4 lease6 lease4_stat lease6_stat lease4_pool_stat \
            lease6_pool_stat; do
            mysql_admin -e "TRUNCATE TABLE kea.$table" 2>/dev/null || :
        done
        ;;
    pgsql)
        for table in lease4 lease6 lease4_stat lease6_stat lease4_pool_stat \
            lease6_pool_stat; do
            pgsql_kea -c "TRUNCATE TABLE $table" 2>/dev/null || :
        done
        ;;
    esac
}

# Prints the durability of the store as JSON: that of a runner on the same server,
# computed from the settings that it reads, or what is known of the server's file.
durability() {
    case $store$sync in
    memfileno)
        echo '{"class": "process-safe",
            "from": "Kea writes each lease to its file, but never syncs it"}'
        ;;
    memfilevolatile)
        echo '{"class": "volatile", "from": "Kea writes no file: persist is false"}'
        ;;
    dhcpdyes)
        echo '{"class": "power-safe",
            "from": "dhcpd syncs its file before it answers"}'
        ;;
    *)
        rm -f "$work/runner.json"
        "$BIN/${store}_ubench" -s server -n 10 -v no -O "$work/runner.json" \
            >/dev/null || die "${store}_ubench cannot read the settings of $store"
        jq -c .durability "$work/runner.json"
        ;;
    esac
}

# ---- The server

start_server() {
    rm -f "$work"/server.*pid "$work/server.log"
    : >"$work/leases"
    case $server in
    kea)
        ask kea "$work/server.json" >"$work/server.conf"
        export KEA_LOCKFILE_DIR="$work" KEA_PIDFILE_DIR="$work" \
            KEA_DHCP_DATA_DIR="$work" KEA_LOG_FILE_DIR="$work"
        set -- "kea-dhcp$family" -c "$work/server.conf"
        ;;
    dhcpd)
        ask dhcpd "$work/server.json" >"$work/server.conf"
        set -- dhcpd -f -4 -q --no-pid -cf "$work/server.conf" -lf "$work/leases" dhcp0
        ;;
    esac
    taskset -c "$server_cpus" "$@" >"$work/server.out" 2>&1 &
    server_pid=$!
    tries=0
    until answers; do
        tries=$((tries + 1))
        if ! kill -0 "$server_pid" 2>/dev/null || [ "$tries" -ge 50 ]; then
            cat "$work/server.out" "$work/server.log" 2>/dev/null | tail -n 5 >&2
            die "$1 does not start: see above and $work/server.conf"
        fi
        sleep 0.1
    done
}

# answers: that the server answers one client.
answers() {
    on_load_side perfdhcp "-$family" -l load0 -n 1 -r 10 -R 1 \
        -b mac=0e:00:00:00:00:01 -W 200000 >"$work/probe.out" 2>&1 || :
    grep -q '^received packets: 1$' "$work/probe.out"
}

stop_server() {
    [ -n "${server_pid:-}" ] || return 0
    kill "$server_pid" 2>/dev/null || :
    wait "$server_pid" 2>/dev/null || :
    server_pid=
}

# ask FILTER [ARGUMENT...]: jq, with what dhcp.jq defines.
ask() {
    filter=$1
    shift
    jq -r -L "$here" "include \"dhcp\"; $filter" "$@"
}

# configure: $work/run.json says what is run, and server.json also how its server
# reaches the database.
configure() {
    jq -n --arg command "$command" --arg server "$server" --arg store "$store" \
        --arg sync "$sync" --argjson family "$family" --argjson threads "$threads" \
        --argjson queue "$queue" --argjson delayed_ack "$delayed_ack" \
        --argjson pool "$pool" --argjson classes "$classes" \
        --argjson seconds "$seconds" --argjson clients "$clients" \
        --argjson lost "$lost" --argjson within "$within" \
        --argjson start_rate "$start_rate" --arg server_cpus "$server_cpus" \
        --arg load_cpus "$load_cpus" --arg server_version "$(server_version)" \
        --arg host "$(uname -nsrm)" \
        '{$command, $host, $server, $server_version, $store, $sync, $family,
            $threads, $queue, $delayed_ack, $pool, $classes, $seconds,
            $clients, max_lost: ($lost / 100), within_s: $within, $start_rate,
            processors: {server: $server_cpus, load: $load_cpus}}' >"$work/run.json"
}

configure_server() {
    jq --arg folder "$work" --arg type "${database_type:-}" \
        --argjson port "${database_port:-0}" --arg user "${database_user:-}" \
        --arg password "${database_password:-}" '. + {$folder,
            database: {$type, $port, $user, $password}}' "$work/run.json" \
        >"$work/server.json"
}

# ---- A trial

# Prints the processor time in seconds that has been used until now: of the server,
# of the database, of the load, and of all that ran.
processor_times() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v ticks="$(getconf CLK_TCK)" -v shell=$$ '
        FILENAME == "/proc/stat" {
            if ($1 == "cpu")
                all = $2 + $3 + $4 + $7 + $8
            else if ($1 ~ /^cpu/)
                cores++
            next
        }
        FILENAME == "/proc/uptime" { uptime = $1; next }
        { pid = $1; name = $0; sub(/^[^(]*\(/, "", name); sub(/\).*$/, "", name)
          sub(/^.*\) /, ""); used = $12 + $13 }
        name ~ /^(kea-dhcp|dhcpd)/ { server += used }
        name ~ /^(mariadbd|mysqld|postgres)$/ { store += used }
        pid == shell { load = $14 + $15 }
        END {
            printf "{\"server\": %f, \"store\": %f, \"load\": %f, \"all\": %f, " \
                "\"at\": %f, \"cores\": %d}\n", server / ticks, store / ticks,
                load / ticks, all / ticks, uptime, cores
        }' - /proc/stat /proc/uptime
}

# load OPTION...: perfdhcp, and the processor time before and after it.  The clients
# of a trial are other ones than those of the trials before.
load() {
    trial=$((trial + 1))
    processor_times >"$work/before.json"
    on_load_side taskset -c "$load_cpus" perfdhcp "-$family" -l load0 -g single \
        -b "mac=$(printf '0c:%02x:%02x:00:00:00' $((trial / 256)) $((trial % 256)))" \
        "$@" >"$work/load.out" 2>&1 || :
    processor_times >"$work/after.json"
    kill -0 "$server_pid" 2>/dev/null || {
        tail -n 5 "$work/server.log" "$work/server.out" >&2 2>/dev/null || :
        die "the server ended during the load"
    }
}

microseconds() { awk -v s="$1" 'BEGIN { printf "%d", s * 1000000 }'; }

# read_load FILTER: what the load printed, as JSON by that filter.
read_load() {
    ask "$1" -c -R -s --argjson rate "$rate" --slurpfile run "$work/run.json" \
        --slurpfile before "$work/before.json" --slurpfile after "$work/after.json" \
        "$work/load.out" || {
        tail -n 5 "$work/load.out" >&2
        die "perfdhcp failed, see above"
    }
}

run_rate() {
    : >"$work/trials"
    while :; do
        rate=$(ask "next_rate($start_rate)" -s "$work/trials") || exit 1
        [ "$rate" != null ] || break
        load -r "$rate" -R "$(awk -v n="$rate" -v s="$seconds" \
            'BEGIN { printf "%d", n * s * 1.2 + 10 }')" -p "$seconds" -d "$within" \
            -W "$(microseconds "$within")"
        read_load trial >>"$work/trials"
        ask trial_text "$work/trials" | tail -n 1 >&3
    done
    ask search_result -s --slurpfile run "$work/run.json" "$work/trials" \
        >"$work/result.json"
}

run_seconds() {
    rate=$start_rate
    load -r "$rate" -R "$((rate * seconds * 2))" -p "$seconds" -d "$within" \
        -W "$(microseconds "$within")" -t 1 -C ,
    read_load series >"$work/result.json"
}

run_storm() {
    rate=0
    load --scenario avalanche -R "$clients"
    read_load storm >"$work/result.json"
}

# ---- Runs

# done_runs: of this configuration, in the file.
done_runs() {
    [ -s "$output" ] || {
        echo 0
        return
    }
    ask "runs_like(\$run[0]) | length" -s --slurpfile run "$work/run.json" "$output"
}

run_configuration() {
    configure
    count=$(done_runs)
    [ "$count" -lt "$runs" ] || return 0
    store_name=$store
    start_database
    configure_server
    durability >"$work/durability.json"
    while [ "$count" -lt "$runs" ]; do
        count=$((count + 1))
        echo "run $count of $runs: $server, $store, sync $sync, threads $threads" >&3
        stop_server
        empty_store
        started_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
        start_server
        "run_$command"
        stop_server
        verify
        write_line
    done
}

# Prints how many leases the store has.
leases_in_store() {
    case $store in
    memfile) tail -n +2 "$work/leases.csv" 2>/dev/null | cut -d , -f 1 | sort -u | wc -l ;;
    dhcpd) grep '^lease ' "$work/leases" | sort -u | wc -l ;;
    mysql) mysql_admin -e "SELECT COUNT(*) FROM kea.lease$family" ;;
    pgsql) pgsql_kea -c "SELECT COUNT(*) FROM lease$family" ;;
    esac
}

# verify: each lease that was granted is another one, and is in the store, which has
# more if answers came too late.
verify() {
    granted=$(jq '(.trials // [.trial]) | map(.granted) | add' "$work/result.json")
    stored=$(leases_in_store)
    [ "$stored" -ge "$granted" ] ||
        die "$granted leases were granted, and the store has $stored: no figures"
}

write_line() {
    jq -c --slurpfile run "$work/run.json" --slurpfile durability \
        "$work/durability.json" --arg started_at "$started_at" --arg store_name \
        "$store_name" --argjson stored "$stored" '{format: "ubench-kea/1",
            $started_at} + $run[0] + {$store_name, durability: $durability[0],
            $stored} + .' \
        "$work/result.json" >"$work/line"
    cat "$work/line" >>"$output"
    sync "$output"
}

server_version() {
    case $server in
    kea) "kea-dhcp$family" -v ;;
    dhcpd) dhcpd --version 2>&1 | sed 's/^isc-dhcpd-//' ;;
    esac
}

each_configuration() {
    for store in $(echo "$stores" | tr ',' ' '); do
        default=yes
        [ "$store" != memfile ] || default=no
        for sync in $(echo "${syncs:-$default}" | tr ',' ' '); do
            for threads in $(echo "$thread_list" | tr ',' ' '); do
                for queue in $(echo "$queues" | tr ',' ' '); do
                    "$@"
                done
            done
        done
    done
}

show() {
    configure
    ask "runs_like(\$run[0]) | ${command}_text" -s --slurpfile run "$work/run.json" \
        "$output"
    echo
}

finish() {
    stop_server
    stop_database
}

read_options "$@"
check_machine
[ -n "${UBENCH_DHCP_INSIDE:-}" ] || enter "$@"

work=${UBENCH_DHCP:-$writable/dhcp}
export UBENCH_SERVERS="$work/servers"
mkdir -p "$work"
[ -d "$(dirname "$output")" ] || misuse "--output: $output: there is no such folder"
exec 9>"$work/lock" 3>&1
flock -n 9 || die "another dhcp.sh is running here"
trial=0
on_exit finish
choose_processors
make_network
each_configuration run_configuration
each_configuration show
