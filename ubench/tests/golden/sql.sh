# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What sql-sqlite.sh, sql-mysql.sh and sql-pgsql.sh share: every SQL text that a
# runner sends, and the order of what is executed, against sql/STORE-*.txt.  A
# library that is preloaded sees them.  The including script defines `fresh`, which
# leaves the store without any table, $store, and counters=no if it has no kea+stats.
. "$(dirname "$0")/lib.sh"
counters=yes
as_golden() { cat; } # a log as the files were made from

# begin OPTION...: a file of runs that all have these options begins.
begin() {
    options=$*
    : >"$work/log"
    fresh
}

# run OPTION...: on the store as the last run left it.
run() {
    # shellcheck disable=SC2086 # words
    set -- $options "$@"
    echo "${mark:-==} $*" >>"$work/log"
    UBENCH_SQL_LOG=$work/log LD_PRELOAD=$helpers/sql_log.so \
        "$bin/${store:?}_ubench" -v no "$@" >"$work/out" 2>"$work/err" ||
        printf 'failed\t%s\n' "$(sed 's/.*_ubench: //' "$work/err")" >>"$work/log"
}

# schemas: what is in the store's files of schema/, as sql_log.so would log it: a line
# each, with its name.  A file of counters is sent behind the one that it belongs to.
schemas() {
    for file in "$top/schema/${store:?}"-*.sql; do
        name=${file##*/}
        printf 'schema\tschema/%s\t' "$name"
        [ "${name%-stats.sql}" = "$name" ] || plain_sql <"${file%-stats.sql}.sql"
        plain_sql <"$file"
        echo
    done
}

# Without comments, and without what only mysql(1) needs; blanks are single.
plain_sql() {
    case $store in
    mysql) ends='s/\$\$/;/' ;;
    *) ends= ;;
    esac
    sed "s/--.*//; /^DELIMITER/d; $ends" | tr -s '\n\t ' ' ' | sed 's/^ //'
}

end() { # NAME
    { schemas && as_golden <"$work/log"; } | awk -f "$here/sql.awk" >"$work/texts"
    compare "sql/$store-$1.txt" "$work/texts"
}

# phases: what every schema has: on an empty store, on what the first run left, with
# leases before, in groups.
phases() {
    run -n 3
    run -n 3
    run -n 2 --preload 3
    run -n 4 --batch 2
    run -n 6 --preload 2 -w churn
}

# exchanges EXCHANGE...
exchanges() {
    for exchange; do
        run -n 2 --preload 3 -w "$exchange"
    done
}

# keys: by which leases are found, where they have indexes.
keys() {
    run -n 3 --search-by hwaddr
    run -n 3 --search-by client-id
    run -n 3 --search-by client-id --subnets 2
}

# v4 SCHEMA; v6 SCHEMA
v4() {
    begin -S "$1" -s no
    phases
    keys
    exchanges dora dora-known renew init-reboot release release-delete decline \
        reclaim purge steady guests
    run -n 2 --preload 3 -w dora --hosts 3
    run -n 2 --preload 3 -w dora --probes 3
    mark='=~' run -n 2 -w fill --pool 100
    mark='=~' run -w storm --clients 3 --preload 3
    end "$1"
}

v6() {
    begin -6 -S "$1" -s no
    phases
    keys
    exchanges sarr renew release release-delete decline reclaim purge steady guests
    end "$1-v6"
}

# lean: one key, the address.
lean() {
    begin -S lean -s no
    phases
    exchanges renew release
    end lean
    begin -6 -S lean -s no
    phases
    exchanges renew release
    end lean-v6
}

# text SCHEMA: statements as text, values and all.
text() {
    begin -S "$1" -s no -c no
    run -n 3
    run -n 4 --batch 2
    [ "$1" = lean ] || {
        keys
        run -n 2 --preload 3 -w dora --hosts 3
        exchanges dora renew release-delete
        mark='=~' exchanges reclaim purge
    }
    run -n 2 --lease guide
    end "$1-text"
    begin -6 -S "$1" -s no -c no
    run -n 3
    run -n 4 --batch 2
    [ "$1" = lean ] || {
        keys
        exchanges sarr renew release-delete
        mark='=~' exchanges reclaim purge
    }
    end "$1-v6-text"
}

# settings LEVEL...: how durability and settings are applied, read back and put back,
# and how tables of another schema or family make place.
settings() {
    begin
    for level; do
        run -n 1 -s "$level"
    done
    run -n 1 -s no -R 2 --warmup 1
    run -n 2 -s no -t 2
    for change in '-S kea' '-S lean' '-6' '-6 -S kea' '-S kea+stats' '-S kea' \
        '-6 -S kea+stats' '-S lean'; do
        case $change in
        *kea+stats*) [ "$counters" = yes ] || continue ;;
        esac
        # shellcheck disable=SC2086 # words
        run -n 1 -s no $change
    done
}

try_store() { # LEVEL...
    lean
    for schema in kea kea+stats; do
        [ "$schema" = kea ] || [ "$counters" = yes ] || continue
        v4 "$schema"
        v6 "$schema"
    done
    text lean
    text kea
    settings "$@"
    more_settings
    end settings
}
