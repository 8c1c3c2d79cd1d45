#!/bin/sh
# SPDX-License-Identifier: ISC
# statements.sh: what reaches a server in each exchange, from the server's own
# log: Kea's statements in Kea's order, with its conditions, and none that opens
# or ends a transaction.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"

# As Kea 2.2 has been seen to ask, and 3.3 by its source; "2 x" and "100 x": as
# often, one after the other.
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
    sed -n 's/.*[0-9] \(Prepare\|Query\|Execute\)	/\1 /p' \
        "$work/servers/mysql/data/general.log" | LC_ALL=C awk '
        /^Prepare/ { twice = last; next }
        $0 != twice { print substr($0, index($0, " ") + 1) }
        { last = $0; twice = "" }'
}

pgsql_log() {
    sed -n 's/.*LOG:  \(statement\|execute [a-z_]*\): //p' \
        "$work/servers/pgsql/log"
}

# What is behind the last COMMIT, that of the preload, and before the counting
# at the end, but for what looks each second whether the class is what it was; what
# differs from lease to lease becomes a question mark.
statements() {
    awk '
        /^SHOW|FROM pg_settings/ { next }
        /^COMMIT/ { n = 0; counting = 0; next }
        /^SELECT (COUNT|count)/ { counting = 1 }
        !counting { line[++n] = $0 }
        END { for (i = 1; i <= n; i++) print line[i] }' |
        LC_ALL=C sed "s/^SELECT .* FROM/SELECT/; s/^DELETE FROM/DELETE/
            s/^INSERT INTO \(lease.\).*/INSERT \1/
            s/^\(UPDATE lease.\) SET .* WHERE/\1 WHERE/
            s/TIMESTAMP'[^']*'/?/g; s/\([=<] \)'.*' AND/\1? AND/
            s/'.*'/?/g; s/ [0-9][0-9]*/ ?/g; s/\$[0-9][0-9]*/?/g" |
        uniq -c | sed 's/^ *1 /    /; s/^ *\([0-9][0-9]*\) \([A-Z]\)/    \1 x \2/'
}

check_store() { # STORE SERVER-OPTION...
    name=$1
    shift
    need_server "$name" -- "$@" || return
    grep -v '^ ' "$work/expected" | while read -r exchange; do
        set -- -w "$exchange"
        [ "$exchange" = "${exchange#-6 }" ] || set -- -6 -w "${exchange#-6 }"
        "$runner" -n 1 --preload 2 -S kea -v no "$@" >/dev/null ||
            exit
        echo "$exchange"
        "${store}_log" | statements
    done >"$work/got"
    if diff "$work/expected" "$work/got"; then
        ok "$store"
    else
        not_ok "$store" "it was asked something else"
    fi
}

check_store mysql --general-log --general-log-file=general.log
check_store pgsql -c log_statement=all
summary
