# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: ISC
# PostgreSQL for servers.sh, which calls these functions by the name of the kind, with all
# that its choose has set.

pgsql_choose() {
    account=$(existing_user postgres)
    stop_signal=INT
    socket=$sockets
    admin_file=$home/admin.pgpass
}

pgsql_find() {
    pgsql_bin=${UBENCH_PGBIN:-}
    # The newest: names sort by version from 10 on.
    [ -n "$pgsql_bin" ] ||
        for found in "$(command -v postgres)" /usr/lib/postgresql/*/bin/postgres; do
            [ ! -x "$found" ] || pgsql_bin=${found%/*}
        done
    [ -n "$pgsql_bin" ] ||
        die "pgsql: no postgres in /usr/lib/postgresql/*/bin; $install"
    [ -x "$pgsql_bin/postgres" ] || die "UBENCH_PGBIN: there is no postgres in $pgsql_bin"
}

pgsql_initialise() {
    if [ -n "$member" ]; then
        cp "$base/pgsql/admin.pgpass" "$work/replication.pgpass"
        give "$work/replication.pgpass"
        as_server "$pgsql_bin/pg_basebackup" --pgdata="$1" --write-recovery-conf \
            --checkpoint=fast --dbname="host=$first_host user=postgres
            port=$(cat "$base/pgsql/port") passfile=$(pgsql_quote "$work/replication.pgpass")"
        return
    fi
    cp "$home/admin_password" "$1.password"
    give "$1.password"
    as_server "$pgsql_bin/initdb" --pgdata="$1" --username=postgres \
        --auth=scram-sha-256 --pwfile="$1.password" --encoding=UTF8 \
        --no-locale
    rm -f "$1.password"
}

pgsql_configure() {
    echo "*:*:*:postgres:$(cat "$home/admin_password")" >"$admin_file"
    printf '%s all,replication all%s scram-sha-256\n' local '' host ' samenet' \
        >"$work/pg_hba.conf"
    give "$work/pg_hba.conf"
}

pgsql_launch() {
    [ "$cluster,$member" != standbys, ] ||
        set -- -c synchronous_standby_names="FIRST $((total - 1)) (*)" "$@"
    launch "$pgsql_bin/postgres" -D "$data" \
        -c listen_addresses="$host" -c port="$port" -c hba_file="$work/pg_hba.conf" \
        -c unix_socket_directories="$sockets" -c logging_collector=off "$@"
}

# pgsql_quote PATH: as libpq wants it.
pgsql_quote() { echo "'$(echo "$1" | sed "s/[\\\\']/\\\\&/g")'"; }

# How psql connects as the superuser.
pgsql_admin() {
    echo "host=$(pgsql_quote "$sockets") port=$port user=postgres dbname=postgres" \
        "passfile=$(pgsql_quote "$admin_file")"
}

pgsql_sql() {
    "$pgsql_bin/psql" -XqAt -v ON_ERROR_STOP=1 "$(pgsql_admin)" "$@"
}

pgsql_ready() { pgsql_sql -c 'SELECT 1'; }

pgsql_set_up() {
    [ -z "$member" ] || return 0
    export PGOPTIONS='-c synchronous_commit=local' # its standbys come later
    # Through stdin: a command line can be read by everybody.
    pgsql_sql <<END
SELECT 'CREATE ROLE ubench LOGIN PASSWORD ''$(cat "$home/password")'''
    WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ubench') \gexec
SELECT 'CREATE DATABASE ubench OWNER ubench'
    WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'ubench') \gexec
END
}

pgsql_kea() { # STATEMENT
    pgsql_sql -c "DROP DATABASE IF EXISTS $kea_name" \
        -c "CREATE DATABASE $kea_name OWNER ubench" &&
        PGPASSWORD=$(cat "$home/password") "$pgsql_bin/psql" -Xq -v ON_ERROR_STOP=1 \
            -h "$sockets" -p "$port" -U ubench -d "$kea_name" -f "$kea_tables" -c "$1"
}

pgsql_env() {
    # psql "$UBENCH_PGSQL_ADMIN"
    print_export ADMIN "$(pgsql_admin)"
}
