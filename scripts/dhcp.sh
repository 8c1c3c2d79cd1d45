#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Measures a whole DHCP server with its lease store: kea-dhcp4, kea-dhcp6 or ISC's
# dhcpd, one or a pair, on one side of a network bridge, perfdhcp on the other.
#
# All processes, the database servers' too, are in network and process namespaces of
# this script's own, which end with it, even after kill -9.  So nothing of the
# machine's own servers is met, and no port is taken.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
BIN=$(cd "${BIN:-$programs}" && pwd)

usage() {
    cat <<'END_OF_USAGE'
Usage: dhcp.sh COMMAND [OPTION]...
Measures a DHCP server with its lease store under the load of perfdhcp, in network
namespaces of its own.  Needs root.

  rate          the highest rate of new leases of which few are lost
  seconds       a long run at one rate, second by second
  storm         all clients ask at once, and again until they have a lease

These are the commands above with certain options, to which others can be added:
  hook          a hook library that waits 80 ms for a backend: in line, with threads,
                parked, with a cache
  ha            a pair of servers beside one; the first one killed in mid-run
  reservations  14,404 in 829 subnets, in the configuration and in databases
  pool          clients that find a half, 90, 99 and 100 % of the pool taken
  classes       0 to 256 client classes
  threads       1 to 8 threads, with three queues
  campaign      both families, all stores, 1 to 8 threads, pairs; with --quick about
                25 minutes, else 85

LIST is one or more values with commas between; each combination is measured.
      --server LIST     kea or dhcpd [kea]
      --store LIST      memfile, mysql, pgsql: Kea's lease databases [memfile]
  -s, --sync LIST       yes, no: whether an acknowledged lease survives a power cut
                        [no for memfile, which cannot, else yes]; volatile: memfile
                        without a file
  -6, --ipv6            DHCPv6; --family 4,6: both
  -t, --threads LIST    of Kea; 1 is without multi-threading [1]
      --queue LIST      packets that may wait for Kea's threads [64]
      --delayed-ack LIST  of dhcpd: answers that wait for one sync [0]
      --pool LIST       addresses [4000000; of dhcpd, which keeps each in memory:
                        20000]
      --full LIST       percent of them that others have [0]
      --classes LIST    client classes, each with a test [0]
      --subnets LIST    with relays from which the clients come [1]
      --reservations LIST  of other clients, spread over the subnets [0]
      --hosts LIST      where these are: config, mysql, pgsql [config]
      --hook LIST       none, block, park, cache: how Kea waits for a backend [none]
      --hook-ms LIST    that the backend takes [80]
      --ha LIST         none, hot-standby, load-balancing: a pair of servers [none]
      --ha-delay LIST   seconds until a silent partner is taken for dead [10]
      --kill LIST       seconds, with --ha: the second in which the first server is
                        killed [0: not]
      --lost LIST       percent of the clients at most [2.5]
      --within LIST     seconds that a client waits for an answer [2]
  -r, --runs N          runs, each on an empty database [9; storm, seconds: 1]
      --rate LIST       rate: where the search begins [500]; seconds: clients a
                        second
      --seconds LIST    that a trial sends [4; of seconds: 60]
      --clients LIST    of storm [10000]
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

# ask FILTER [ARGUMENT...]: jq, with what dhcp.jq defines.
ask() {
    filter=$1
    shift
    jq -r -L "$here" "include \"dhcp\"; $filter" "$@"
}

# read_options WORD...: $configurations has a line for each of them.
read_options() {
    for word; do
        case $word in
        -h | --help)
            usage
            exit 0
            ;;
        esac
    done
    need_jq
    configurations=$(for word; do printf '%s\n' "$word"; done |
        ask 'split("\n")[:-1] | configurations' -c -R -s --arg output \
            "${UBENCH_DHCP:-$writable/dhcp}/results.jsonl") || exit "$?"
    server_cpus='' load_cpus='' output=''
    eval "$(echo "$configurations" | ask '{server_cpus, load_cpus, output} | variables' |
        head -n 3)"
    output=$(absolute "$output")
}

# set_variables CONFIGURATION: those that this script uses.
set_variables() {
    command='' server='' store='' sync='' family='' runs='' start_rate='' seconds=''
    clients='' within_s='' subnets='' hosts='' ha='' kill_s='' full='' pool=''
    eval "$(echo "$1" | ask 'run + {runs} | variables')"
}

# ---- The namespaces

# check_machine: that what is needed is there; exit 77 says why not.
cannot() {
    say "skipped: $*"
    exit 77
}

# any FILTER: whether it is true of one of the configurations.
any() { echo "$configurations" | ask "[inputs] | any(.[]; $1)" -n -e >/dev/null; }

check_machine() {
    [ "$(id -u)" = 0 ] || cannot "only root can make network namespaces"
    unshare --net --pid --fork true 2>/dev/null ||
        cannot "this system lets nobody make network namespaces"
    set -- perfdhcp ip taskset nsenter
    ! any '.server == "kea" and .family == 4' || set -- "$@" kea-dhcp4
    ! any '.family == 6' || set -- "$@" kea-dhcp6
    ! any '.server == "dhcpd"' || set -- "$@" dhcpd
    ! any 'has_database' || set -- "$@" kea-admin
    for program in "$@"; do
        command -v "$program" >/dev/null || cannot "$program is not installed"
    done
    unshare --net ip link add load0 type bridge 2>/dev/null ||
        cannot "this system cannot make a network bridge"
    # The class of a store is what its runner reads from the same server.
    for word in mysql pgsql; do
        ! any ".store == \"$word\"" || [ -x "$BIN/${word}_ubench" ] ||
            die "$BIN has no ${word}_ubench: make it first"
    done
    hook_library=$BIN/ubench_hook.so
    [ -e "$hook_library" ] || hook_library=$here/ubench_hook.so
    ! any '.hook != "none"' || [ -e "$hook_library" ] ||
        cannot "ubench_hook.so is not there: make needs kea-dev for it"
    ! any '.ha != "none"' || kea_hook ha >/dev/null ||
        cannot "Kea's libdhcp_ha.so is not installed"
}

# kea_hook NAME: prints where Kea's hook library is.
kea_hook() {
    for library in /usr/lib/*/kea/hooks/"libdhcp_$1.so" \
        /usr/lib*/kea/hooks/"libdhcp_$1.so" /usr/local/lib/kea/hooks/"libdhcp_$1.so"; do
        [ ! -e "$library" ] || { echo "$library" && return; }
    done
    return 1
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

# The load's side is a network namespace that a sleeping process keeps, and in it a
# bridge to an interface for each server.
make_network() {
    unshare --net sleep infinity &
    load_side=$!
    until [ "$(readlink "/proc/$load_side/ns/net")" != \
        "$(readlink /proc/self/ns/net)" ]; do
        sleep 0.05
    done
    ip link set lo up
    on_load_side sh -c 'ip link set lo up
        ip link add load0 type bridge mcast_snooping 0
        echo 0 >/proc/sys/net/ipv6/conf/load0/accept_dad'
    for number in 1 2; do
        ip link add "dhcp$number" type veth peer name "port$number"
        ip link set "port$number" netns "$load_side"
        on_load_side ip link set "port$number" master load0 up
        echo 0 >"/proc/sys/net/ipv6/conf/dhcp$number/accept_dad"
        ip addr add "10.0.0.$number/8" dev "dhcp$number"
        ip addr add "2001:db8:1::$number/64" dev "dhcp$number"
        ip link set "dhcp$number" up
        # The kernel takes a moment; Kea would open no socket before.
        until ip link show "dhcp$number" | grep -q 'state UP'; do sleep 0.05; done
    done
    on_load_side sh -c 'ip addr add 10.0.0.9/8 dev load0
        ip addr add 2001:db8:1::9/64 dev load0
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

# start_databases: that of the leases, with the settings that $sync stands for, and
# that of the reservations, on the server's processors.  The second of a pair has
# leases of its own.
start_databases() {
    "$here/servers.sh" stop >/dev/null 2>&1 || :
    store_name=$store names=kea
    [ "$ha" = none ] || names='kea kea2'
    for kind in mysql pgsql; do
        is_among "$kind" "$store $hosts" || continue
        case $kind$sync in
        mysqlyes) set -- --innodb-flush-log-at-trx-commit=1 --sync-binlog=1 ;;
        mysql*) set -- --innodb-flush-log-at-trx-commit=2 --sync-binlog=0 ;;
        pgsqlyes) set -- -c synchronous_commit=on ;;
        *) set -- -c synchronous_commit=off ;;
        esac
        taskset -c "$server_cpus" "$here/servers.sh" start "$kind" -- "$@" >/dev/null ||
            die "$kind does not start"
        eval "$("$here/servers.sh" env "$kind")"
        for name in $names; do
            make_tables >"$work/database.log" 2>&1 || {
                tail -n 5 "$work/database.log" >&2
                die "kea-admin cannot make Kea's tables in $kind"
            }
        done
        [ "$kind" != "$store" ] || store_name=$("name_of_$kind")
        [ "$kind" != "$hosts" ] || ask hosts_sql "$work/run.json" | "sql_of_$kind" kea ||
            die "the reservations cannot be stored in $kind"
    done
}

# make_tables: Kea's, in database $name of $kind, unless they are there.
make_tables() {
    echo 'SELECT COUNT(*) FROM hosts;' | "sql_of_$kind" "$name" && return
    echo "DROP DATABASE IF EXISTS $name;" | "admin_of_$kind"
    # kea-admin 2.2 passes the port to some of its calls only.
    case $kind in
    mysql)
        echo "CREATE DATABASE $name; GRANT ALL ON $name.* TO $UBENCH_MYSQL_USER@'%';
            SET GLOBAL log_bin_trust_function_creators = 1;" | admin_of_mysql
        set -- -u "$UBENCH_MYSQL_USER" -p "$UBENCH_MYSQL_PASSWORD" \
            -P "$UBENCH_MYSQL_PORT" -x --port="$UBENCH_MYSQL_PORT"
        ;;
    pgsql)
        echo "CREATE DATABASE $name OWNER $UBENCH_PGSQL_USER;" | admin_of_pgsql
        set -- -u "$UBENCH_PGSQL_USER" -p "$UBENCH_PGSQL_PASSWORD" \
            -P "$UBENCH_PGSQL_PORT"
        ;;
    esac
    kea-admin db-init "$kind" -n "$name" -h 127.0.0.1 "$@"
}

# sql_of_KIND DATABASE, admin_of_KIND: run the statements of stdin.
admin_of_mysql() { mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B "$@"; }
sql_of_mysql() { admin_of_mysql "$1"; }
admin_of_pgsql() { psql -X -q -At "$UBENCH_PGSQL_ADMIN"; }

sql_of_pgsql() {
    PGPASSWORD=$UBENCH_PGSQL_PASSWORD psql -X -q -h 127.0.0.1 -p "$UBENCH_PGSQL_PORT" \
        -U "$UBENCH_PGSQL_USER" -d "$1" -At -F ' ' -v ON_ERROR_STOP=1
}

name_of_mysql() {
    echo 'SELECT VERSION()' | admin_of_mysql |
        sed -e 's/^\([^-]*\)-MariaDB.*/MariaDB \1/' -e t -e 's/^/MySQL /'
}

name_of_pgsql() {
    echo 'SHOW server_version' | admin_of_pgsql | sed 's/^\([^ ]*\).*/PostgreSQL \1/'
}

# empty_store: the leases of others alone, as in a server's first minute.
empty_store() {
    rm -rf "$work"/server[12]
    mkdir "$work/server1" "$work/server2"
    case $store in
    mysql | pgsql)
        for name in $names; do
            for table in lease4 lease6 lease4_stat lease6_stat lease4_pool_stat \
                lease6_pool_stat; do
                echo "TRUNCATE TABLE $table;" | "sql_of_$store" "$name" 2>/dev/null || :
            done
        done
        [ "$full" = 0 ] || taken | "sql_of_$store" kea
        ;;
    memfile) [ "$full" = 0 ] || taken >"$work/server1/leases.csv" ;;
    esac
}

# taken: $full percent of the pool, here and there, as leases that others have; the
# first is that of the client which asks whether the server serves.
taken() {
    columns=address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state
    insert="INSERT INTO lease4 ($columns) VALUES"
    case $store in
    memfile) set -- "$columns,user_context" '%s,%s,01:%s,86400,%d,1,0,0,,0,' '' ;;
    mysql)
        set -- 'BEGIN;' "$insert (INET_ATON('%s'), x'%s', x'01%s', 86400,
            FROM_UNIXTIME(%d), 1, 0, 0, '', 0);" 'COMMIT;'
        ;;
    pgsql)
        set -- 'BEGIN;' "$insert ('%s'::inet - '0.0.0.0'::inet, '\\x%s', '\\x01%s',
            86400, to_timestamp(%d), 1, false, false, '', 0);" 'COMMIT;'
        ;;
    esac
    echo "$1"
    row=$2 awk -v pool="$pool" -v full="$full" -v store="$store" \
        -v expire="$(($(date +%s) + 86400))" 'BEGIN {
        srand(1)
        client = "0e:00:00:00:00:01"
        for (n = 0; n < pool; n++) {
            if (rand() * 100 >= full)
                continue
            last = sprintf("%d.%d", int(n / 256) % 256, n % 256)
            if (store != "memfile")
                gsub(":", "", client)
            print sprintf(ENVIRON["row"], "10." 1 + int(n / 65536) "." last, client,
                client, expire)
            client = sprintf("0b:00:00:%02x:%02x:%02x", n / 65536, n / 256 % 256, n % 256)
        }
    }'
    [ -z "$3" ] || echo "$3"
}

# leases NUMBER: prints address and client of each that this server has.
leases() {
    case $store in
    memfile)
        cat "$work/server$1"/leases.csv.2 "$work/server$1"/leases.csv.1 \
            "$work/server$1"/leases.csv 2>/dev/null |
            awk -F , -v valid=$((family == 4 ? 4 : 3)) '$1 != "address" {
                client[$1] = $2
                ended[$1] = $valid == 0
            }
            END { for (a in client) if (!ended[a]) print a, client[a] }'
        ;;
    dhcpd) grep '^lease ' "$work/server1/leases" ;;
    *)
        [ "$family" = 4 ] && column=hwaddr || column=duid
        [ "$1" = 1 ] && name=kea || name=kea2
        case $store in
        mysql) column="HEX($column)" ;;
        pgsql) column="ENCODE($column, 'hex')" ;;
        esac
        echo "SELECT address, $column FROM lease$family;" | "sql_of_$store" "$name" |
            tr '\t' ' '
        ;;
    esac | sort -u
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

# ---- The servers

# configure: $work/run.json says what is run.
configure() {
    case $server in
    kea) version=$("kea-dhcp$family" -v 2>&1) || : ;;
    dhcpd) version=$(dhcpd --version 2>&1 | sed 's/^isc-dhcpd-//') ;;
    esac
    # shellcheck disable=SC2016 # variables of jq
    echo "$configuration" | ask 'run + {server_version: $version,
            host: {$cpu, $cores, $kernel},
            processors: {server: $server_cpus, load: $load_cpus}}' \
        --arg version "$version" --arg server_cpus "$server_cpus" \
        --arg load_cpus "$load_cpus" --arg kernel "$(uname -srm)" \
        --arg cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
        --arg cores "$(getconf _NPROCESSORS_CONF)" >"$work/run.json"
    # Kea 2.6.3 and later take hook libraries of one folder alone.
    mkdir -p "$work/hooks"
    for library in "$hook_library" "$(kea_hook ha)" "$(kea_hook lease_cmds)"; do
        [ ! -e "$library" ] || ln -sf "$library" "$work/hooks"
    done
}

# launch NUMBER: starts that server, whose folder may have leases; $began is when the
# first one was.
launch() {
    home=$work/server$1
    ask "$server" --argjson number "$1" --arg folder "$home" \
        --arg hooks "$work/hooks" "$work/run.json" >"$home/server.conf"
    case $server in
    kea)
        set -- "$1" "kea-dhcp$family" -c "$home/server.conf"
        ;;
    dhcpd)
        : >"$home/leases"
        set -- "$1" dhcpd -f -4 -q --no-pid -cf "$home/server.conf" \
            -lf "$home/leases" dhcp1
        ;;
    esac
    number=$1
    shift
    [ "$number" = 2 ] || began=$(uptime)
    # Relays that perfdhcp plays have no addresses of their own.
    unset KEA_TEST_SEND_RESPONSES_TO_SOURCE
    [ "$subnets" = 1 ] || export KEA_TEST_SEND_RESPONSES_TO_SOURCE=ENABLE
    KEA_LOCKFILE_DIR="$home" KEA_PIDFILE_DIR="$home" KEA_DHCP_DATA_DIR="$home" \
        KEA_LOG_FILE_DIR="$home" KEA_HOOKS_PATH="$work/hooks" \
        taskset -c "$server_cpus" "$@" >"$home/server.out" 2>&1 &
    eval "server_pid$number=$!"
}

# clients OPTION...: perfdhcp, behind the relays if there are any.
clients() {
    if [ "$subnets" -gt 1 ]; then
        ask relays "$work/run.json" >"$work/relays"
        set -- "$@" -J "$work/relays"
        [ "$family" = 4 ] || set -- "$@" -A 1
    fi
    on_load_side taskset -c "$load_cpus" perfdhcp "-$family" -l load0 -g single "$@"
}

# serves: that the server answers one client, or both of a pair work together.
serves() {
    if [ "$ha" != none ]; then
        for number in 1 2; do
            grep HA_STATE_TRANSITION "$work/server$number/server.log" 2>/dev/null |
                tail -n 1 | grep -iq "to $ha state" || return 1
        done
    fi
    clients -n 1 -r 10 -R 1 -b mac=0e:00:00:00:00:01 -W 100000 >"$work/probe.out" \
        2>&1 || :
    grep -q '^received packets: 1$' "$work/probe.out"
}

# await_service: a minute at most, in which no server may end.
await_service() {
    deadline=$(($(date +%s) + 60))
    until serves; do
        for number in 1 2; do
            eval "pid=\${server_pid$number:-}"
            [ -n "$pid" ] || continue
            if ! kill -0 "$pid" 2>/dev/null || [ "$(date +%s)" -gt "$deadline" ]; then
                home=$work/server$number
                cat "$home/server.out" "$home/server.log" 2>/dev/null | tail -n 5 >&2
                name=$server
                [ "$name" = dhcpd ] || name=kea-dhcp$family
                die "$name does not start: see above and $home/server.conf"
            fi
        done
        sleep 0.1
    done
}

uptime() { cut -d ' ' -f 1 /proc/uptime; }

start_servers() {
    empty_store
    launch 1
    [ "$ha" = none ] || launch 2
    await_service
    start_s=$(awk -v from="$began" -v to="$(uptime)" 'BEGIN { print to - from }')
}

stop_servers() {
    for pid in ${server_pid1:-} ${server_pid2:-}; do
        kill "$pid" 2>/dev/null || :
        wait "$pid" 2>/dev/null || :
    done
    server_pid1='' server_pid2=''
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
    if [ "$kill_s" -gt 0 ]; then
        { sleep "$kill_s" && kill -KILL "$server_pid1"; } &
    fi
    clients -b "mac=$(printf '0c:%02x:%02x:00:00:00' $((trial / 256)) $((trial % 256)))" \
        "$@" >"$work/load.out" 2>&1 &
    # A signal ends this wait, but not that for a process in the foreground.
    wait "$!" || :
    processor_times >"$work/after.json"
    [ "$kill_s" -gt 0 ] || kill -0 "$server_pid1" 2>/dev/null || {
        tail -n 5 "$work"/server1/server.log "$work"/server1/server.out >&2 2>/dev/null
        die "the server ended during the load"
    }
}

# trial FILTER OPTION...: from empty servers that have just been started, what that
# filter reads from what perfdhcp prints.
trial() {
    reading=$1
    shift
    start_servers
    load "$@"
    memory=$(cat "/proc/$server_pid1/status" "/proc/${server_pid2:-self}/status" \
        2>/dev/null | awk -v mine="$(grep VmHWM /proc/self/status)" '/VmHWM/ && $0 != mine {
            kib += $2 } END { print kib / 1024 }')
    again={}
    [ "$kill_s" = 0 ] || start_again
    stop_servers
    stored=null
    if [ "$sync" != volatile ]; then
        { leases 1 && { [ "$ha" = none ] || leases 2; }; } | sort -u >"$work/stored"
        stored=$(wc -l <"$work/stored")
    fi
    ask "$reading" -c -R -s --argjson rate "$rate" --slurpfile run "$work/run.json" \
        --slurpfile before "$work/before.json" --slurpfile after "$work/after.json" \
        --argjson stored "$stored" --argjson start_s "$start_s" \
        --argjson memory "$memory" --argjson again "$again" "$work/load.out" \
        >"$work/result.json" || {
        tail -n 5 "$work/load.out" >&2
        die "perfdhcp failed, see above"
    }
    verify
}

# verify: each lease that was granted is another one, and is in the store, which has
# more if answers came too late.
verify() {
    granted=$(jq '.trials[0].granted' "$work/result.json")
    [ "$stored" = null ] || [ "$stored" -ge "$granted" ] ||
        die "$granted leases were granted, and the store has $stored: no figures"
}

# start_again: the server that was killed, beside the one that was not; $again says
# how their leases differ before and after, and how long it took.
start_again() {
    wait "$server_pid1" 2>/dev/null || :
    leases 1 >"$work/leases1"
    leases 2 >"$work/leases2"
    only_killed=$(comm -23 "$work/leases1" "$work/leases2" | wc -l)
    only_survivor=$(comm -13 "$work/leases1" "$work/leases2" | wc -l)
    rm -f "$work/server1/server.log"
    launch 1
    await_service
    ended=$(uptime)
    leases 1 >"$work/leases1"
    leases 2 >"$work/leases2"
    again=$(awk -v from="$began" -v to="$ended" -v killed="$only_killed" \
        -v survivor="$only_survivor" -v differ="$(comm -3 "$work/leases1" \
            "$work/leases2" | wc -l)" 'BEGIN {
        printf "{\"only_killed\": %d, \"only_survivor\": %d, \"again_s\": %.1f, " \
            "\"differ\": %d}", killed, survivor, to - from, differ }')
}

microseconds() { awk -v s="$1" 'BEGIN { printf "%d", s * 1000000 }'; }

run_rate() {
    : >"$work/trials"
    steps=$(of_results steps)
    while :; do
        rate=$(ask "next_rate($steps)" -s "$work/trials") || exit 1
        [ "$rate" != null ] || break
        trial '{trials: [trial]}' -r "$rate" -R "$(awk -v n="$rate" -v s="$seconds" \
            'BEGIN { printf "%d", n * s * 1.2 + 10 }')" -p "$seconds" -d "$within_s" \
            -W "$(microseconds "$within_s")"
        jq -c '.trials[]' "$work/result.json" >>"$work/trials"
        ask trial_text "$work/trials" | tail -n 1 >&3
    done
    ask search_result -s --slurpfile run "$work/run.json" "$work/trials" \
        >"$work/result.json"
}

run_seconds() {
    rate=$start_rate
    trial series -r "$rate" -R "$((rate * seconds * 2))" -p "$seconds" -d "$within_s" \
        -W "$(microseconds "$within_s")" -t 1 -C ,
}

run_storm() {
    rate=0
    trial storm --scenario avalanche -R "$clients"
}

# ---- Runs

# of_results FILTER: of the runs of this configuration that are in the file.
of_results() {
    ask "[inputs | fromjson?] | runs_like(\$run[0]) | $1" -n -R \
        --slurpfile run "$work/run.json" "$output"
}

run_configuration() {
    count=$(of_results length)
    [ "$count" -lt "$runs" ] || return 0
    start_databases
    durability >"$work/durability.json"
    while [ "$count" -lt "$runs" ]; do
        count=$((count + 1))
        echo "run $count of $runs: $(ask short_title "$work/run.json")" >&3
        started_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
        "run_$command"
        jq -c --slurpfile run "$work/run.json" --slurpfile durability \
            "$work/durability.json" --arg started_at "$started_at" --arg store_name \
            "$store_name" '{format: "ubench-kea/1", $started_at} + $run[0]
                + {$store_name, durability: $durability[0],
                   stored: (.trials | map(.stored) | add)} + .' \
            "$work/result.json" >"$work/line"
        cat "$work/line" >>"$output"
        sync "$output"
    done
}

show() {
    of_results "${command}_text"
    echo
}

# each FUNCTION: of the configurations.
each() {
    while read -r configuration <&4; do
        set_variables "$configuration"
        configure
        "$1"
    done 4<<END
$configurations
END
}

finish() {
    stop_servers
    "$here/servers.sh" stop >/dev/null 2>&1 || :
}

# The first process of a namespace ignores what it has no trap for.
[ -z "${UBENCH_DHCP_INSIDE:-}" ] || trap 'exit 143' TERM
read_options "$@"
check_machine
[ -n "${UBENCH_DHCP_INSIDE:-}" ] || enter "$@"

work=${UBENCH_DHCP:-$writable/dhcp}
export UBENCH_SERVERS="$work/servers"
mkdir -p "$work"
[ -d "$(dirname "$output")" ] || misuse "--output: $output: there is no such folder"
check_output --output "$output"
exec 9>"$work/lock" 3>&1
flock -n 9 || die "another dhcp.sh is running here"
: >>"$output"
end_last_line "$output"
trial=0
on_exit finish
choose_processors
make_network
each run_configuration
each show
