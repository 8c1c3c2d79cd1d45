#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: servers.sh start|stop|status|env|kea [mysql|pgsql] [-- SERVER-OPTION...]
#        servers.sh run 'mysql|pgsql [SERVER-OPTION...]' COMMAND [ARGUMENT]...
# Runs private MariaDB (or MySQL) and PostgreSQL servers in build/servers/, with
# ports and sockets of their own.  The machine's own servers are never touched.
#
#   start   start, and wait until connections are taken; nothing if it runs
#           already; the last line is to be typed and sets the environment
#   stop    stop, and wait; also cleans up after a crash
#   status  what runs; exit status 1 if one of them does not
#   env     print what the runners and tests need:
#           eval "$(scripts/servers.sh env)"
#   run     start a server for COMMAND alone; at the end stop it, and remove its
#           data
#   kea     make an empty database kea with Kea's own tables, for
#           kea_ubench -o type=mysql or -o type=postgresql
#
# Without a name both are meant.  Options after -- go to the server:
#   scripts/servers.sh start pgsql -- -c shared_buffers=1GB
#
# --help all has clusters, slow networks and other programs.
# --
#
#        servers.sh start pgsql [--standbys N] [LINK] [-- SERVER-OPTION...]
#        servers.sh start mysql [--nodes N | --group N] [LINK] [-- ...]
#
#   --standbys N  each commit waits until N standbys, pgsql2 and so on, have it
#                 (synchronous_standby_names)
#   --nodes N     a Galera cluster of mysql, mysql2 and so on (packages galera-4
#                 and rsync)
#   --group N     a replication group of MySQL, with one member that takes changes
#
# They are gone after stop.  LINK is --delay TIME, --loss SHARE or both, and needs
# root: each server is in a network namespace of its own, and each packet between
# two of them, or one and its clients, takes so long (--delay 0.5ms --loss 0.1%).
#
# UBENCH_SERVERS names another folder than build/servers, for one more pair.
# UBENCH_SERVERS_PRELOAD names a library that servers are started with, and
# UBENCH_KEA_DATABASE another database than kea.
# UBENCH_MYSQLD=/path/to/mysqld (or mariadbd) and UBENCH_PGBIN=/path/to/bin choose
# other programs than the newest that is installed.
#
# If root starts them, the servers run as their packages' users, or as nobody
# where a package makes none (mysql-server-core).  Where these cannot reach the
# checkout, data and sockets go to a folder made by mktemp, which stop removes;
# otherwise data stays for the next start.

# shellcheck disable=SC2317  # functions are called by names made from $name
set -eu
umask 077
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=servers.d/mysql.sh
. "$here/servers.d/mysql.sh"
# shellcheck source=servers.d/pgsql.sh
. "$here/servers.d/pgsql.sh"
base=${UBENCH_SERVERS:-$writable/servers}
install='run: scripts/deps.sh servers'

random_hex() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# print_export NAME VALUE: for eval; the name is ${prefix}_NAME.
print_export() {
    printf "export %s_%s='%s'\n" "$prefix" "$1" "$(printf '%s' "$2" | sed "s/'/'\\\\''/g")"
}

is_root() { [ "$(id -u)" = 0 ]; }

# as_server COMMAND...: as the user that the server runs as, in a clean environment
# (PGPORT or MYSQL_TCP_PORT would reach it otherwise), on its side of the link; ${exec}
# of it.
as_server() {
    set -- env -i PATH="$PATH" HOME="$work" LC_ALL=C "$@"
    ! is_root || set -- setpriv --reuid="$account" \
        --regid="$(id -g "$account")" --init-groups "$@"
    [ -z "$network" ] || set -- nsenter --net="$(namespace "${member:-1}")" "$@"
    ${exec-} "$@"
}

# give PATH...: to that user.
give() { ! is_root || chown "$account:" "$@"; }

# kept FILE DEFAULT: what an earlier start has noted.
kept() { cat "$home/$1" 2>/dev/null || echo "$2"; }

# fail TEXT: with the end of the server's log.
fail() {
    tail -n 20 "$log" >&2
    die "$name$1, see above and $log"
}

# existing_user NAME: it, or nobody.
existing_user() { id "$1" >/dev/null 2>&1 && echo "$1" || echo nobody; }

# choose NAME: sets what belongs to that server, for all functions below:
#   name, kind, member     mysql2, mysql, 2; the first of its kind has no number
#   home, log, port        its folder here, and what is in it
#   work, data, sockets    its files, in home or where its user can reach them
#   network, host,         the link's network, or nothing; its own address, and that of
#   first_host             the first of its kind
#   account, stop_signal,  by kind: its user, what stops it, where it listens, and what
#   socket, admin_file     its administrator connects with
choose() {
    name=$1
    kind=${name%%[0-9]*}
    member=${name#"$kind"}
    home=$base/$name
    work=$(kept work "$home")
    data=$work/data
    log=$home/log
    sockets=$(kept socket_folder "$work")
    port=$(kept port '')
    network=$(cat "$base/$kind/network" 2>/dev/null) || :
    host=127.0.0.1 first_host=127.0.0.1
    [ -z "$network" ] || host=$network.${member:-1} first_host=$network.1
    "${kind}_choose"
}

# Prints the pid of the running server.  Its folder of data, in its command line, tells it
# from a later process with the same number.
running_pid() {
    pid=$(kept pid '')
    [ -n "$pid" ] && { tr '\0' '\n' <"/proc/$pid/cmdline"; } 2>/dev/null |
        grep -qF "$data" || return 1
    echo "$pid"
}

is_gone() { ! running_pid >/dev/null; }

# Processes of the server that outlived its first one.
leftovers() {
    find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -lname "$data" 2>/dev/null |
        cut -d / -f 3
}

lock() {
    # The folder above, build/ say, is not for the servers alone.
    (umask 022 && mkdir -p "$(dirname "$base")") 2>/dev/null || :
    mkdir -p "$home" 2>/dev/null || die "cannot write to $home"
    [ -w "$home" ] || die "cannot write to $home; another user made it"
    exec 9>"$home/lock"
    flock -w 120 9 || die "another servers.sh has been busy for two minutes"
}

# Finds a place that the server's user can reach, and makes the sockets' folder.
choose_place() {
    ! is_root || chmod 711 "$base" "$home"
    # A folder made by mktemp may have been cleaned away since.
    if [ ! -d "$work" ]; then
        rm -f "$home/work"
        work=$home
    fi
    if ! (cd / && as_server test -x "$work/." 2>/dev/null); then
        # Not /tmp, which may be in memory: fsync would cost nothing there.
        work=$(mktemp -d "${TMPDIR:-/var/tmp}/ubench-$name.XXXXXX")
        echo "$work" >"$home/work"
        give "$work"
        as_server test -x "$work/." ||
            die "user $account cannot reach $work: set TMPDIR"
    fi
    data=$work/data
    ! is_root || [ ! -d "$data" ] || [ "$(stat -c %U "$data")" = "$account" ] ||
        die "$data belongs to $(stat -c %U "$data"), not to $account: remove it, or" \
            "set UBENCH_SERVERS to another folder"
    sockets=$work/sockets
    # A socket's path has at most 107 bytes.
    [ ${#sockets} -le 80 ] || sockets=$(mktemp -d /tmp/ubench.XXXXXX)
    echo "$sockets" >"$home/socket_folder"
    mkdir -p "$sockets"
    give "$sockets"
    "${kind}_choose"
}

# Makes the folder of data, whole or not at all.
initialise() {
    rm -rf "$work/data.new"
    mkdir "$work/data.new"
    give "$work/data.new"
    (cd "$work/data.new" && "${kind}_initialise" "$work/data.new") >"$log" 2>&1 || {
        rm -rf "$work/data.new"
        fail ": cannot make a folder of data"
    }
    mv "$work/data.new" "$data"
}

# namespace NUMBER: of that member of the cluster.
namespace() { echo "/proc/$(cat "$base/$kind/link_pid")/fd/$((100 + $1))"; }

# start_link KIND MEMBERS: makes their namespaces, and the link between them and here, in
# a network of the range for benchmarks (RFC 2544) that this machine has no route to.
start_link() {
    choose "$1"
    lock
    ! running_pid >/dev/null ||
        die "$name runs already; before --delay or --loss, run: $0 stop $kind"
    stop_link
    linked=yes
    network=
    while [ -z "$network" ] || [ -n "$(ip -4 route show to root "$network.0/24")" ]; do
        network=198.18.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')
    done
    setsid "${BIN:-$programs}/ubench_link" --network "$network" --nodes "$2" \
        --delay "${delay:-0}" --loss "${loss:-0}" >"$log" 2>&1 </dev/null 9>&- &
    link_pid=$!
    echo "$link_pid" >"$home/link_pid"
    until [ -e "$(namespace "$2")" ]; do
        if ! kill -0 "$link_pid" 2>/dev/null; then
            cat "$log" >&2
            wait "$link_pid" || exit
        fi
        sleep 0.05
    done
    echo "$network" >"$home/network"
}

is_unlinked() { ! kill -0 "$link_pid" 2>/dev/null; }

# Its namespaces end with the servers in them.
stop_link() {
    link_pid=$(cat "$base/$kind/link_pid" 2>/dev/null) || :
    if [ -n "$link_pid" ] && grep -qs ubench_link "/proc/$link_pid/cmdline"; then
        kill "$link_pid" || :
        wait "$link_pid" 2>/dev/null || :
        await is_unlinked # its devices are gone before it is
    fi
    rm -f "$base/$kind/link_pid" "$base/$kind/network"
    network='' host=127.0.0.1 first_host=127.0.0.1
}

# Undoes a start that did not come to its end.
abandon() {
    trap - EXIT INT TERM
    if [ -n "${started:-}" ]; then
        kill -9 "$started" 2>/dev/null || :
        rm -f "$home/pid"
    fi
    for name in ${member:+"$name"} $ours; do
        stop_one "$name"
    done
    [ -z "$linked" ] || stop_link
}

is_ready_or_gone() {
    "${kind}_ready" >/dev/null 2>&1 || ! kill -0 "$started" 2>/dev/null
}

# launch COMMAND...: starts the server; 2 if its port was taken.
launch() {
    : >"$log"
    # Not in our terminal's session, so ^C does not reach it, nor with our lock.
    (
        cd "$work" && exec 9>&- && exec='exec' && as_server setsid \
            env ${UBENCH_SERVERS_PRELOAD:+LD_PRELOAD="$UBENCH_SERVERS_PRELOAD"} "$@"
    ) >>"$log" 2>&1 </dev/null &
    started=$!
    echo "$started" >"$home/pid"
    ! await is_ready_or_gone || ! kill -0 "$started" 2>/dev/null || return 0
    kill -9 "$started" 2>/dev/null || :
    wait "$started" 2>/dev/null || :
    started=
    rm -f "$home/pid"
    ! grep -qiE 'address already in use|could not bind' "$log" || return 2
    return 1
}

start_one() {
    choose "$1"
    shift
    "${kind}_find"
    lock
    if running_pid >/dev/null; then
        [ -z "$*$cluster" ] ||
            die "$name runs already; so that options take effect, run: $0 stop $kind"
        return
    fi
    clean_up
    choose_place
    if [ -n "$member" ]; then
        cp "$base/$kind/password" "$base/$kind/admin_password" "$home"
        rm -rf "$data"
    fi
    [ -s "$home/password" ] || random_hex >"$home/password"
    [ -s "$home/admin_password" ] || random_hex >"$home/admin_password"
    [ -d "$data" ] || initialise
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        # The port of last time, or one below those that the kernel gives to clients.
        port=${port:-$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))}
        echo "$port" >"$home/port"
        "${kind}_configure"
        result=0
        "${kind}_launch" "$@" || result=$?
        [ "$result" -eq 2 ] || break
        port=
    done
    [ "$result" -eq 0 ] || fail " does not start"
    "${kind}_set_up" >>"$log" 2>&1 || fail ": cannot make the database and its users"
    started=
    ours="$name $ours"
}

# members KIND: all that were started, the first behind the others.
members() {
    for folder in "$base/$1"[0-9]*; do
        [ ! -d "$folder" ] || basename "$folder"
    done
    echo "$1"
}

# Removes what a server that is gone has left behind.
clean_up() {
    tries=0
    while left=$(leftovers) && [ -n "$left" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 50 ]; then
            # shellcheck disable=SC2086  # a list of numbers
            kill -9 $left 2>/dev/null || :
        fi
        sleep 0.1
    done
    [ -n "$member$linked" ] || stop_link
    rm -f "$home/pid" "$data/postmaster.pid" "$data/server.pid"
    [ ! -f "$home/socket_folder" ] || rm -rf "$sockets"
    rm -f "$home/socket_folder"
}

stop_one() {
    choose "$1"
    [ -d "$home" ] || return 0
    lock
    if pid=$(running_pid); then
        kill "-$stop_signal" "$pid"
        await is_gone || {
            say "$name did not stop in $await_s seconds, so it is killed"
            kill -9 "$pid"
            await is_gone
        }
    fi
    clean_up
    # A folder outside the checkout would stay there for ever.
    if [ -f "$home/work" ]; then
        rm -rf "$work"
        rm -f "$home/work"
    fi
    [ -z "$member" ] || rm -rf "$home"
}

status_one() {
    choose "$1"
    if pid=$(running_pid); then
        echo "$name: running, pid $pid, $host port $port, data in $data"
        return 0
    fi
    if [ -f "$home/pid" ]; then
        echo "$name: not running; it ended without stop, see $log"
    else
        echo "$name: not running"
    fi
    return 1
}

env_one() {
    choose "$1"
    pid=$(running_pid) || {
        say "$name is not running; run: $0 start $kind"
        return 1
    }
    prefix=$(echo "UBENCH_$name" | tr '[:lower:]' '[:upper:]')
    print_export HOST "$host"
    print_export PORT "$port"
    print_export USER ubench
    print_export PASSWORD "$(cat "$home/password")"
    print_export SOCKET "$socket"
    "${kind}_env"
    print_export PID "$pid"
}

# kea_one NAME: a new database with the tables that kea-admin makes, marked as ubench's.
kea_one() {
    choose "$1"
    kea_name=${UBENCH_KEA_DATABASE:-kea}
    running_pid >/dev/null || die "$name is not running; run: $0 start $kind"
    kea_tables=$(dirname "$(dirname "$(readlink -f "$(command -v kea-admin)")")")
    kea_tables=$kea_tables/share/kea/scripts/$kind/dhcpdb_create.$kind
    [ -e "$kea_tables" ] || die "there is no $kea_tables; $install"
    "${kind}_find"
    "${kind}_kea" "CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4" \
        >>"$log" 2>&1 || fail ": cannot make the database $kea_name"
}

# run_one 'KIND OPTION...' COMMAND...: with a server of its own, which a signal, too, stops.
run_one() {
    kind=${1%% *}
    options=${1#"$kind"}
    shift
    mkdir -p "$writable"
    UBENCH_SERVERS=$(mktemp -d "$writable/run-XXXXXX")
    export UBENCH_SERVERS
    on_exit end_run
    # shellcheck disable=SC2086 # words
    "$0" start "$kind" ${options:+--} $options >/dev/null
    case $* in
    *kea_ubench*) "$0" kea "$kind" >/dev/null ;;
    esac
    variables=$("$0" env "$kind") || exit
    eval "$variables"
    "$@"
}

end_run() {
    trap '' INT TERM HUP
    "$0" stop >/dev/null || :
    rm -rf "$UBENCH_SERVERS"
}

action=${1:-}
case $action in
run)
    shift
    case ${1:-} in
    mysql | pgsql | 'mysql '* | 'pgsql '*) ;;
    *) misuse "run: '${1:-}' is not 'mysql' or 'pgsql', with options behind a blank" ;;
    esac
    [ $# -ge 2 ] || misuse "run: COMMAND is missing"
    run_one "$@"
    exit
    ;;
start | stop | status | env | kea) shift ;;
*) misuse "'$action' is not start, stop, status, env, run or kea; --help says more" ;;
esac
servers='mysql pgsql'
case ${1:-} in
mysql | pgsql)
    servers=$1
    shift
    ;;
'' | -*) ;;
*) misuse "$action: '$1' is not mysql or pgsql; --help says more" ;;
esac
total=1 cluster='' delay='' loss='' linked=''
while [ "${1:---}" != -- ]; do
    case $action,$servers,$1 in
    start,pgsql,--standbys | start,mysql,--nodes | start,mysql,--group)
        [ -z "$cluster" ] || misuse "$1: --$cluster is given already; expected one of them"
        case ${2:-} in
        [1-9]) cluster=${1#--} total=$2 ;;
        *) misuse "$1: '${2:-}' is not a number from 1 to 9" ;;
        esac
        [ "$cluster" != standbys ] || total=$((total + 1))
        ;;
    start,?????,--delay) delay=${2:-} ;;
    start,?????,--loss) loss=${2:-} ;;
    *,--standbys) misuse "--standbys is for: start pgsql" ;;
    *,--nodes | *,--group) misuse "$1 is for: start mysql" ;;
    *,--delay | *,--loss) misuse "$1 is for: start mysql, or start pgsql" ;;
    *) misuse "'$1' is not an option of $action; --help lists them" ;;
    esac
    [ -n "${2:-}" ] || misuse "$1: '' is empty; expected a value, as in --help"
    shift 2
done
if [ "${1:-}" = -- ]; then
    shift
    case $action,$servers in
    start,mysql | start,pgsql) ;;
    *) misuse "options after -- are for: start mysql, or start pgsql" ;;
    esac
fi

ours=
member=
if [ "$action" = start ]; then
    on_exit abandon
    if [ -n "$delay$loss" ]; then
        said=$("${BIN:-$programs}/ubench_link" --delay "${delay:-0}" --loss "${loss:-0}" \
            --help 2>&1 >/dev/null) || misuse "${said#ubench_link: }"
        is_root || misuse "--delay, --loss: they need root"
        start_link "$servers" "$total"
    fi
    for server in $servers; do
        for number in '' $(seq 2 "$total"); do
            start_one "$server$number" "$@"
        done
    done
    trap - EXIT
    only=${servers#mysql pgsql}
    echo "now: eval \"\$($0 env${only:+ $only})\""
    exit
fi
status=0
for server in $servers; do
    for name in $(members "$server"); do
        "${action}_one" "$name" || status=1
    done
done
exit "$status"
