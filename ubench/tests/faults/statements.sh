#!/bin/sh
# SPDX-License-Identifier: ISC
# statements.sh: what reaches a server in each exchange, from the server's own
# log: Kea's statements in Kea's order, with its conditions, and none that opens
# or ends a transaction.  The kea-dhcp4 that is installed asks the same.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# "2 x" and "100 x": as often, one after the other.
cat >"$work/expected" <<'END'
dora
    SELECT lease4 WHERE client_id = ?
    SELECT lease4 WHERE hwaddr = ?
    SELECT lease4 WHERE address = ?
    SELECT lease4 WHERE client_id = ?
    SELECT lease4 WHERE hwaddr = ?
    2 x SELECT lease4 WHERE address = ?
    INSERT lease4
dora-known
    2 x SELECT lease4 WHERE client_id = ?
    SELECT lease4 WHERE address = ?
    UPDATE lease4 WHERE address = ? AND expire = ?
renew
    SELECT lease4 WHERE client_id = ?
    SELECT lease4 WHERE address = ?
    UPDATE lease4 WHERE address = ? AND expire = ?
init-reboot
    2 x SELECT lease4 WHERE client_id = ?
    SELECT lease4 WHERE address = ?
    UPDATE lease4 WHERE address = ? AND expire = ?
release
    SELECT lease4 WHERE address = ?
    UPDATE lease4 WHERE address = ? AND expire = ?
release-delete
    SELECT lease4 WHERE address = ?
    DELETE lease4 WHERE address = ? AND expire = ?
decline
    SELECT lease4 WHERE address = ?
    UPDATE lease4 WHERE address = ? AND expire = ?
reclaim
    SELECT lease4 WHERE state != ? AND valid_lifetime != ? AND expire < ? ORDER BY expire LIMIT ?
    100 x UPDATE lease4 WHERE address = ? AND expire = ?
purge
    DELETE lease4 WHERE state = ? AND expire < ?
-6 sarr
    SELECT lease6 WHERE duid = ? AND iaid = ? AND lease_type = ?
    SELECT lease6 WHERE address = ? AND lease_type = ?
    SELECT lease6 WHERE duid = ? AND iaid = ? AND lease_type = ?
    SELECT lease6 WHERE address = ? AND lease_type = ?
    INSERT lease6
-6 renew
    SELECT lease6 WHERE duid = ? AND iaid = ? AND lease_type = ? AND subnet_id = ?
    UPDATE lease6 WHERE address = ? AND expire = ?
-6 release
    SELECT lease6 WHERE address = ? AND lease_type = ?
    UPDATE lease6 WHERE address = ? AND expire = ?
-6 release-delete
    SELECT lease6 WHERE address = ? AND lease_type = ?
    DELETE lease6 WHERE address = ? AND expire = ?
-6 decline
    SELECT lease6 WHERE address = ? AND lease_type = ?
    UPDATE lease6 WHERE address = ? AND expire = ?
-6 reclaim
    SELECT lease6 WHERE state != ? AND valid_lifetime != ? AND expire < ? ORDER BY expire LIMIT ?
    100 x UPDATE lease6 WHERE address = ? AND expire = ?
-6 purge
    DELETE lease6 WHERE state = ? AND expire < ?
END

# MySQL prepares a statement anew at its first execution, when it sees the types of
# the values, and then its log has this execution twice.
mysql_log() {
    sed -n 's/.*[0-9] \(Prepare\|Query\|Execute\)	/\1 /p' "$1" | LC_ALL=C awk '
        /^Prepare/ { twice = last; next }
        $0 != twice { print substr($0, index($0, " ") + 1) }
        { last = $0; twice = "" }'
}

pgsql_log() {
    sed -n 's/.*LOG:  \(statement\|execute [a-z0-9_]*\): //p' "$1"
}

# The statements behind the last COMMIT and the ANALYZE, those of the preload, and before the
# counting at the end, but for what looks each second whether the class is what it was,
# for what reads what the server did, and for what triggers do; what differs from lease
# to lease becomes a question mark.
statements() {
    awk '
        /^SHOW|^ANALYZE|FROM (pg_settings|information_schema|performance_schema)|pg_stat|^CALL|^SELECT (isJson|JSON)/ { next }
        /unnest|pg_class|pg_conf_load_time/ { next }
        /^COMMIT/ { n = 0; counting = 0; next }
        /^SELECT (COUNT|count)/ { counting = 1 }
        !counting { line[++n] = $0 }
        END { for (i = 1; i <= n; i++) print line[i] }' |
        LC_ALL=C sed "s/^SELECT .* FROM/SELECT/; s/^DELETE FROM/DELETE/
            s/^INSERT INTO \(lease.\).*/INSERT \1/
            s/^\(UPDATE lease.\) SET .* WHERE/\1 WHERE/
            s/ ASC LIMIT/ LIMIT/; s/TIMESTAMP'[^']*'/?/g; s/\([=<] \)'.*' AND/\1? AND/
            s/'.*'/?/g; s/ [0-9][0-9]*/ ?/g; s/\$[0-9][0-9]*/?/g" |
        uniq -c | sed 's/^ *1 /    /; s/^ *\([0-9][0-9]*\) \([A-Z]\)/    \1 x \2/'
}

# columns: those of a lease that is inserted, one a line.
columns() {
    LC_ALL=C sed -n 's/^INSERT INTO lease4 *(\([^)]*\)).*/\1/p' | sed 1q | tr -d ' ' | tr , '\n'
}

# as_kea VERSION: what is expected of that kea-dhcp4.  Kea 2.2 keeps no lease that was
# released, and its tables have fewer columns.
as_kea() {
    change=
    case $1 in 2.2.*) change='/^release$/,/^release-/s/UPDATE/DELETE/; /^[a-z]*_id$/{
        /relay/d; /remote/d; /pool/d; }' ;; esac
    { sed '/^-6/,$d' "$work/expected" && columns <"$work/inserted"; } | sed "$change"
}

# check_kea LOG: of that server, with 100 leases that have expired, as many as a cycle takes.
check_kea() {
    version=$(kea-dhcp4 -v)
    type=postgresql password=${password:?} client=pgsql_sql
    [ "$store" = pgsql ] || type=mysql client=mysql_sql
    rows=$(seq 100 | sed "s/.*/(&, 86400, '2001-01-01', 1, 0)/" | paste -sd ,)
    mkdir "$work/$store"
    "$servers" kea "$store"
    $client "INSERT INTO lease4 (address, valid_lifetime, expire, subnet_id, state)
        VALUES $rows" kea
    if ! python3 -B "$top/ubench/tests/lib/kea_clients.py" "$1" "$work/$store" "{
        \"type\": \"$type\", \"name\": \"kea\", \"host\": \"${host:?}\", \"port\": ${port:?},
        \"user\": \"ubench\", \"password\": \"$password\"}"; then
        not_ok "kea-dhcp4 $version, $store" "$(cat "$work/$store/kea.out")"
        return
    fi
    grep -v '^[- ]' "$work/expected" | while read -r exchange; do
        echo "$exchange"
        "${store}_log" "$work/$store/$exchange" | statements
    done >"$work/got"
    "${store}_log" "$work/$store/dora" | columns >>"$work/got"
    if as_kea "$version" | diff - "$work/got"; then
        ok "kea-dhcp4 $version, $store"
    else
        not_ok "kea-dhcp4 $version, $store" "it asks something else"
    fi
    [ -x "$bin/kea_ubench" ] || return 0
    "$servers" kea "$store"
    check "kea_ubench, Kea $version, $store" "$("$bin/kea_ubench" -o "type=$type" -f kea \
        -s server -w dora -n 50 -v no 2>&1 | grep -c '^verified')" 1
}

check_store() { # STORE LOG SERVER-OPTION...
    name=$1 log=$work/servers/$1/$2
    shift 2
    need_server "$name" -- "$@" || return
    grep -v '^ ' "$work/expected" | while read -r exchange; do
        set -- -w "$exchange"
        [ "$exchange" = "${exchange#-6 }" ] || set -- -6 -w "${exchange#-6 }"
        "$runner" -n 1 --preload 2 -S kea -v no "$@" >/dev/null ||
            exit
        echo "$exchange"
        "${store}_log" "$log" | statements
    done >"$work/got"
    if diff "$work/expected" "$work/got"; then
        ok "$store"
    else
        not_ok "$store" "it was asked something else"
    fi
    "${store}_log" "$log" | sed -n '/^INSERT INTO lease4 /p' >"$work/inserted"
    if command -v kea-dhcp4 kea-admin >/dev/null; then
        check_kea "$log"
    else
        skip "$store: what Kea asks" "kea-dhcp4 or kea-admin is not installed"
    fi
}

check_store mysql data/general.log --general-log --general-log-file=general.log
check_store pgsql log -c log_statement=all
summary
