#!/bin/sh
# SPDX-License-Identifier: ISC
# ownership.sh: what may be in a database, by one table of cases for the three SQL
# stores: what is not ubench's is refused, and is afterwards what it was, byte for
# byte.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd)

# dialect: what the stores' SQL differs in: the type of lease4's address, a trigger on
# it, and what a name that is not in lower case is quoted with.
dialect() {
    # shellcheck disable=SC2016 # a quotation of PostgreSQL's
    case $store in
    sqlite)
        type=INTEGER quote=''
        trigger='CREATE TRIGGER audit AFTER DELETE ON lease4
            BEGIN DELETE FROM notes; END'
        ;;
    mysql)
        type='INT UNSIGNED' quote=''
        trigger='CREATE TRIGGER audit AFTER DELETE ON lease4
            FOR EACH ROW DELETE FROM notes'
        ;;
    pgsql)
        type=BIGINT quote='"'
        trigger='CREATE FUNCTION audit() RETURNS TRIGGER AS
            $$BEGIN DELETE FROM notes; RETURN NULL; END$$ LANGUAGE plpgsql;
            CREATE TRIGGER audit AFTER DELETE ON lease4 EXECUTE FUNCTION audit()'
        ;;
    esac
}

# STORE_empty; STORE_make SQL; STORE_dump: the database that a case is about, with
# nothing in it; what another has in it; all that is in it.
sqlite_empty() {
    database=$work/own.db
    rm -f "$database" "$database"-*
}
sqlite_make() {
    "$helpers/sqlite_exec" "$database" "$1"
}
sqlite_dump() {
    cat "$database"
}

mysql_empty() {
    database=own
    mysql_sql "DROP DATABASE IF EXISTS own; CREATE DATABASE own;
        GRANT ALL ON own.* TO ubench@'%'"
}
mysql_make() {
    mysql_sql "$1" own
}
mysql_dump() {
    mysqldump --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" --skip-dump-date \
        --skip-comments --routines --triggers own
}

pgsql_empty() {
    database=own
    pgsql_sql 'CREATE DATABASE own OWNER ubench' postgres 2>/dev/null
    pgsql_sql 'DROP SCHEMA IF EXISTS public CASCADE;
        CREATE SCHEMA public AUTHORIZATION ubench' own 2>/dev/null
}
pgsql_make() { # all is the runner's own user's: no right is what saves it
    pgsql_sql "SET ROLE ubench; $1" own
}
pgsql_dump() { # without the key that newer ones put around it
    pg_dump -d "$UBENCH_PGSQL_ADMIN dbname=own" | grep -v '^\\.*restrict'
}

# A case: its name; "made", if ubench has made lease4 before; what another did; what
# must be said of it, or "ok".  LEASES, TYPE, TRIGGER and @ stand for what the stores
# differ in.
cat >"$work/cases" <<'END'
other tables||CREATE TABLE notes (note VARCHAR(9))|has tables \(1, .*notes is one\) and no table .*ubench_marker
leases||LEASES|(lease4 is there, with 2 leases,|has tables).* and no table .*ubench_marker
a marker of another shape||LEASES; CREATE TABLE ubench_marker (note VARCHAR(9))|ubench_marker with other columns than
with a column more||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16), note VARCHAR(9)); INSERT INTO ubench_marker (lease4) VALUES ('lean')|ubench_marker with other columns than
of a key alone||LEASES; CREATE TABLE ubench_marker (row_id INT PRIMARY KEY, my_row_id INT); INSERT INTO ubench_marker VALUES (1, 1)|ubench_marker with other columns than
with a key more||LEASES; CREATE TABLE ubench_marker (row_id INT PRIMARY KEY, lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES (1, 'lean2')|this ubench did not write \(.lean2. in a row\)
empty||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16))|an empty table .*ubench_marker
empty, beside another||CREATE TABLE notes (note VARCHAR(9)); CREATE TABLE ubench_marker (lease4 VARCHAR(16))|an empty table .*ubench_marker
empty, beside nothing||CREATE TABLE ubench_marker (lease4 VARCHAR(16))|ok
of another schema version||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean2')|this ubench did not write \(.lean2. in a row\)
of both versions||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean'), ('lean2')|this ubench did not write
a view||LEASES; CREATE VIEW ubench_marker AS SELECT 'lean' AS lease4|a view .*ubench_marker, which is no table
alone||CREATE TABLE ubench_marker (note VARCHAR(9))|has a table .*ubench_marker with other columns
of lease6||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16), lease6 VARCHAR(16)); INSERT INTO ubench_marker VALUES (NULL, 'kea')|ubench_marker that does not have lease4
in upper case||LEASES; CREATE TABLE @UBENCH_MARKER@ (lease4 VARCHAR(16)); INSERT INTO @UBENCH_MARKER@ VALUES ('lean')|has .*UBENCH_MARKER, a name of ubench.s in other case
Lease4||CREATE TABLE @Lease4@ (address TYPE)|has .*Lease4, a name of ubench.s in other case
Lease4, marked||CREATE TABLE @Lease4@ (address TYPE); CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')|has .*Lease4, a name of ubench.s in other case
lean by its marker alone||LEASES; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')|lease4.* column (pool_id|note)[ )]
a view of leases||CREATE TABLE notes (address TYPE); CREATE VIEW lease4 AS SELECT * FROM notes; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')|lease4 is a view, not a table
another column|made|ALTER TABLE lease4 ADD color INT|lease4.* column color
a trigger|made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); TRIGGER|lease4 has the trigger audit, which ubench did not make
a foreign key|made|INSERT INTO lease4 (address) VALUES (1); CREATE TABLE notes (address TYPE, FOREIGN KEY (address) REFERENCES lease4 (address) ON DELETE CASCADE); INSERT INTO notes VALUES (1)|lease4 has the foreign key .*notes, which
other tables beside ours|made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a')|ok
END
leases="CREATE TABLE lease4 (address TYPE PRIMARY KEY, note VARCHAR(9));
    INSERT INTO lease4 VALUES (1, 'a'), (2, 'b')"

# translate SQL: for the store.
translate() {
    dialect
    printf '%s' "$1" | LEASES=$leases TRIGGER=$trigger awk -v type="$type" \
        -v quote="$quote" '{
            i = index($0, "TRIGGER")
            if (i > 0)
                $0 = substr($0, 1, i - 1) ENVIRON["TRIGGER"]
            sub(/LEASES/, ENVIRON["LEASES"])
            gsub(/TYPE/, type); gsub(/@/, quote)
            print
        }'
}

try_case() { # NAME MADE SQL WANTED
    "${store}_empty"
    if [ -n "$2" ] && ! "$runner" -f "$database" -v no >"$work/log" 2>&1; then
        not_ok "$store: $1" "$(cat "$work/log")"
        return
    fi
    if ! "${store}_make" "$(translate "$3")" >"$work/log" 2>&1; then
        not_ok "$store: $1" "$(cat "$work/log")"
        return
    fi
    "${store}_dump" >"$work/before"
    for schema in lean kea; do
        try -f "$database" -S $schema
        if [ "$4" = ok ]; then
            expect "$store: $1, --schema $schema" 0 ""
            continue
        fi
        expect "$store: $1, --schema $schema" 1 "$4"
        "${store}_dump" >"$work/after"
        cmp -s "$work/before" "$work/after" ||
            not_ok "$store: $1, --schema $schema" "something was changed"
    done
}

try_store() {
    while IFS='|' read -r name made sql wanted; do
        try_case "$name" "$made" "$sql" "$wanted" </dev/null
    done <"$work/cases"
}

# A server that knows no upper case makes a lease4 of Lease4.  MySQL is so from the
# making of its data on, or not.
one_case() {
    is_mariadb || return 0
    stop_server
    start_server -- --lower-case-table-names=1
    try_case "Lease4, lower_case_table_names=1" "" \
        "$(echo "$leases" | sed 's/lease4/Lease4/g')" "lease4 is there, with 2"
}

if need_server mysql; then
    try_store
    one_case
    stop_server
fi
if need_server pgsql; then
    try_store
    stop_server
fi
store=sqlite runner=$bin/sqlite_ubench
if [ -x "$runner" ] && [ -x "$helpers/sqlite_exec" ]; then
    try_store
    for script in lean lean6 kea kea6; do
        try_case "a stranger's leases, then schema/sqlite-$script.sql" "" \
            "CREATE TABLE lease4 (address INTEGER PRIMARY KEY, hwaddr BLOB,
            client_id BLOB, valid_lifetime INTEGER, expire INTEGER,
            subnet_id INTEGER, hostname TEXT, state INTEGER, relay_id BLOB,
            remote_id BLOB); INSERT INTO lease4 (address) VALUES (1), (2);
            $(cat "$top/schema/sqlite-$script.sql")" \
            "lease4 is there, with 2 leases, and an empty table ubench_marker"
    done
else
    skip sqlite "it is not built"
fi
summary
