# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: ISC
# MariaDB or MySQL for servers.sh, which calls these functions by the name of the kind, with all
# that its choose has set.

mysql_choose() {
    account=$(existing_user mysql)
    stop_signal=TERM
    socket=$sockets/mysql.sock
    admin_file=$home/admin.cnf
}

mysql_find() {
    mysql_server=${UBENCH_MYSQLD:-$(command -v mariadbd || command -v mysqld)} ||
        die "mysql: there is no mariadbd or mysqld; $install"
    [ -x "$mysql_server" ] || die "UBENCH_MYSQLD: $mysql_server is no program"
    case $("$mysql_server" --no-defaults --version) in
    *MariaDB*) mysql_is_mariadb=yes ;;
    *) mysql_is_mariadb=no ;;
    esac
    mysql_galera=/usr/lib/galera/libgalera_smm.so
    [ "$cluster" != nodes ] || { [ -e "$mysql_galera" ] && command -v rsync >/dev/null; } ||
        die "mysql: no $mysql_galera, or no rsync; $install galera-4 rsync"
    # Where its messages and the like are: PREFIX of PREFIX/sbin/mysqld.
    mysql_prefix=$(dirname "$(dirname "$mysql_server")")
    mysql_client=$(command -v mariadb || command -v mysql) ||
        die "mysql: there is no client program; $install mariadb-client"
}

# AppArmor may allow mysqld its customary folders alone; a profile belongs to a
# path, so a copy of the program is free of it.
mysql_escape_profile() {
    if [ "$mysql_is_mariadb" = no ] &&
        grep -qs "^$mysql_server " /sys/kernel/security/apparmor/profiles; then
        cp "$mysql_server" "$work/mysqld"
        chmod 755 "$work/mysqld"
        mysql_server=$work/mysqld
    fi
}

mysql_initialise() {
    # The first one's data comes by wsrep_sst_rsync.
    [ -z "$member" ] || [ "$cluster" = group ] || return 0
    mysql_escape_profile
    if [ "$mysql_is_mariadb" = yes ]; then
        # A mariadbd that starts removes others' tables from a common folder.
        as_server env TMPDIR="$1" mariadb-install-db --no-defaults \
            --basedir="$mysql_prefix" --datadir="$1" --skip-test-db --force \
            --auth-root-authentication-method=normal
    else
        as_server "$mysql_server" --no-defaults --basedir="$mysql_prefix" \
            --datadir="$1" --secure-file-priv=NULL --initialize-insecure
    fi
}

# The init file runs before the first connection is taken, so that no root
# without a password is ever reachable.
mysql_configure() {
    password=$(cat "$home/password")
    admin_password=$(cat "$home/admin_password")
    if [ "$mysql_is_mariadb" = yes ]; then
        rights='SUPER, BINLOG ADMIN'
        # Users of other hosts have no password.
        drop_roots="DELETE FROM mysql.global_priv WHERE user = 'root' AND host != 'localhost'"
    else
        rights=SYSTEM_VARIABLES_ADMIN
        drop_roots='SET sql_log_bin = 0' # each member of a group makes its own users
    fi
    cat >"$work/init.sql" <<END
$drop_roots;
FLUSH PRIVILEGES;
ALTER USER root@localhost IDENTIFIED BY '$admin_password';
CREATE DATABASE IF NOT EXISTS ubench;
CREATE USER IF NOT EXISTS ubench@'%' IDENTIFIED BY '$password';
CREATE USER IF NOT EXISTS ubench_plain@'%' IDENTIFIED BY '$password';
GRANT ALL ON ubench.* TO ubench@'%';
GRANT $rights ON *.* TO ubench@'%';
GRANT SELECT ON performance_schema.table_io_waits_summary_by_index_usage TO ubench@'%';
GRANT ALL ON ubench.* TO ubench_plain@'%';
END
    case $cluster,$member in
    group,*) cat >>"$work/init.sql" <<END ;;
CREATE USER IF NOT EXISTS ubench_member@'%' IDENTIFIED BY '$admin_password';
GRANT REPLICATION SLAVE, CONNECTION_ADMIN ON *.* TO ubench_member@'%';
GRANT SELECT ON performance_schema.* TO ubench@'%';
END
    *,?) : >"$work/init.sql" ;; # all that comes from the first one
    esac
    give "$work/init.sql"
    cat >"$admin_file" <<END
[client]
user=root
password=$admin_password
socket=$socket
END
}

# peer PORT: that for other nodes, where that of clients is so; the next two are for a
# new node of Galera's data.
peer() { echo $(($1 - 10000)); }

mysql_launch() {
    own=$(peer "$port")
    first=$(peer "$(cat "$base/mysql/port")")
    if [ "$cluster" = group ]; then
        set -- --plugin-load-add=group_replication.so --server-id="${member:-1}" \
            --gtid-mode=ON --enforce-gtid-consistency=ON --log-bin=binlog \
            --report-host="$host" --report-port="$port" \
            --group-replication-group-name=75626e63-6800-4000-8000-000000000000 \
            --group-replication-start-on-boot=OFF \
            --group-replication-local-address="$host:$own" \
            --group-replication-group-seeds="$first_host:$first" \
            --group-replication-ip-allowlist="$host/24" \
            --group-replication-recovery-get-public-key=ON "$@"
    fi
    if [ "$cluster" = nodes ]; then
        rm -f "$data/grastate.dat" # a new cluster each time
        received=ist.recv_addr=$host:$((own + 1))
        [ -n "$member" ] || set -- --wsrep-new-cluster "$@"
        set -- --wsrep-on=ON --wsrep-provider="$mysql_galera" \
            --wsrep-cluster-address="gcomm://$first_host:$first" \
            --wsrep-node-address="$host:$own" --wsrep-sst-method=rsync \
            --wsrep-sst-receive-address="$host:$((own + 2))" \
            --wsrep-provider-options="gmcast.listen_addr=tcp://$host:$own;$received" \
            --binlog-format=ROW --innodb-autoinc-lock-mode=2 "$@"
    fi
    set -- "$mysql_server" --no-defaults --basedir="$mysql_prefix" \
        --datadir="$data" --bind-address="$host" --port="$port" --socket="$socket" \
        --pid-file="$data/server.pid" --tmpdir="$data" --skip-name-resolve \
        --init-file="$work/init.sql" "$@"
    if [ "$mysql_is_mariadb" = no ]; then
        mysql_escape_profile
        # Without the last, a user with all rights on a database alone cannot
        # make a trigger while the binary log is on (error 1419).
        set -- "$@" --mysqlx=OFF --secure-file-priv=NULL \
            --log-bin-trust-function-creators=ON
    fi
    launch "$@"
}

mysql_sql() { "$mysql_client" --defaults-file="$admin_file" -N -e "$@"; }

# A node of Galera that has no data yet answers what needs no table.
mysql_ready() { mysql_sql 'SELECT 1 FROM mysql.user LIMIT 1'; }

mysql_set_up() {
    [ "$cluster" != group ] || mysql_join || return 1
    [ "$(mysql_sql "SELECT COUNT(*) FROM mysql.user
         WHERE user IN ('ubench', 'ubench_plain')")" = 2 ] || return 1
    # MySQL takes a password without TLS once it has seen it by the socket.
    [ -n "$member" ] ||
        MYSQL_PWD=$password "$mysql_client" --no-defaults -S "$socket" -u ubench -e 'DO 0'
}

# The first one begins a group, which knows nothing of earlier ones; what it has from
# then the others get by a dump.
mysql_join() {
    [ -z "$member" ] ||
        mysqldump --defaults-file="$base/mysql/admin.cnf" --databases ubench \
            --set-gtid-purged=OFF --single-transaction |
        "$mysql_client" --defaults-file="$admin_file" \
            --init-command='SET sql_log_bin = 0' || return 1
    mysql_sql "RESET BINARY LOGS AND GTIDS;
        SET GLOBAL group_replication_bootstrap_group = ${member:-1} = 1;
        START GROUP_REPLICATION USER = 'ubench_member', PASSWORD = '$admin_password';
        SET GLOBAL group_replication_bootstrap_group = OFF" || return 1
    await mysql_is_online
}

mysql_is_online() {
    [ "$(mysql_sql 'SELECT member_state FROM
        performance_schema.replication_group_members
        WHERE member_id = @@server_uuid')" = ONLINE ]
}

mysql_kea() { # STATEMENT
    mysql_sql "DROP DATABASE IF EXISTS $kea_name; CREATE DATABASE $kea_name;
        GRANT ALL ON $kea_name.* TO ubench@'%'" &&
        "$mysql_client" --defaults-file="$admin_file" "$kea_name" <"$kea_tables" &&
        mysql_sql "USE $kea_name; $1"
}

mysql_env() {
    # The same password, without the right to change global settings.
    print_export PLAIN_USER ubench_plain
    # mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE"
    print_export ADMIN_FILE "$admin_file"
}
