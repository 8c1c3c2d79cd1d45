# shellcheck shell=sh disable=SC2034,SC2154 # crash.sh has the other half
# SPDX-License-Identifier: ISC
# Stores that are servers.

# servers ACTION STORE [OPTION...]: the pair whose data are on the disk.
servers() {
    UBENCH_SERVERS=$disk/servers "$top/scripts/servers.sh" "$@"
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
    attend servers start "$store" -- "$@" >"$work/server.err" 2>&1 || return 1
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

# A server's folder of data that was made once, for each crash to begin with.
make_base() {
    case $store in
    memfile | sqlite) return ;;
    esac
    [ ! -f "$work/base-$store" ] || return 0
    say "making the $store server's folder of data"
    unmount
    make_image 1G || die "no image can be mounted at $disk"
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
    unmount
    cp --sparse=always "$work/image" "$work/base-$store"
}

# The server does not start.  On a sound file system, and if it says why, that is
# the store's doing; one that is merely slow says that it is starting.
judge_dead_server() {
    words=$(grep -E 'PANIC|FATAL|ERROR|got signal' "$disk/servers/$store/log" |
        grep -v 'the database system is' | tail -n 1)
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
