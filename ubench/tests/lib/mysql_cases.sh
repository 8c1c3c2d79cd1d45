# shellcheck shell=sh disable=SC2034,SC2154 # variables of the including scripts
# SPDX-License-Identifier: ISC
# Shared by the scripts of faults/ for MySQL and MariaDB; it reads cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

admin() {
    mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -N -B "$@"
}

sql() {
    mysql_sql "$1"
}

flush_log() {
    sql 'SELECT @@GLOBAL.innodb_flush_log_at_trx_commit'
}

# These show that a run works.
counted=Com_stmt_execute
executions() {
    sql "SHOW GLOBAL STATUS LIKE '$counted'" | cut -f 2
}

before_launch() {
    executed=$(executions)
}

works() {
    [ $(($(executions) - executed)) -ge 20 ]
}

# processes CONDITION: ids of connections, by user and state.  MySQL's table of all
# columns fails on a statement with bytes that are no text.
processes() {
    if [ "$product" = MariaDB ]; then
        sql "SELECT id FROM information_schema.processlist WHERE $1"
    else
        sql "SELECT id FROM (SELECT processlist_id id, processlist_user user,
             processlist_state state FROM performance_schema.threads) t WHERE $1"
    fi
}

# hold SECONDS [TABLE]; let_go: no other session can use the table meanwhile.
hold() {
    admin -e "LOCK TABLES ubench.${2:-lease4} WRITE; SELECT SLEEP($1)" \
        >"$work/lock" 2>&1 &
    await is_held
}

is_held() {
    [ -n "$(processes "state = 'User sleep'")" ]
}

# waits_for_a_lock: a session of the runner does.
waits_for_a_lock() {
    [ -n "$(processes "user = 'ubench' AND state LIKE 'Waiting for %lock'")" ]
}

is_free() {
    ! is_held
}

let_go() {
    for id in $(processes "state = 'User sleep'"); do
        sql "KILL $id" 2>/dev/null
    done
    await is_free
}

# stand_still: stops the server's threads, every one.
stand_still() {
    kill -STOP "$server_pid"
    while grep -L '^State:.T' "/proc/$server_pid"/task/*/status | grep -q .; do
        sleep 0.05
    done
}

# begin_server OPTION...: starts it and sets product and the rights that its settings
# need; ends the script where it cannot be had.
begin_server() {
    need_server mysql -- "$@" || {
        summary
        exit
    }
    if is_mariadb; then
        product=MariaDB right=SUPER binlog_right='BINLOG ADMIN'
    else
        product=MySQL right=SYSTEM_VARIABLES_ADMIN binlog_right=$right
    fi
}
