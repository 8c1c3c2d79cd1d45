#!/bin/sh
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2016,SC2034 # quotations of PostgreSQL's; names made from $store
# ownership.sh: what may be in a database, by one table of cases for the three SQL
# stores: what is not ubench's is refused, and is afterwards what it was, byte for
# byte.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd)

# Words of the cases that stand for SQL that is not the same on all stores: the word,
# a blank, and what it stands for.
sqlite_dialect='%lease_type% INTEGER
@
%trigger% CREATE TRIGGER audit AFTER DELETE ON lease4 BEGIN DELETE FROM notes; END'
mysql_dialect='%lease_type% INT UNSIGNED
@
%trigger% CREATE TRIGGER audit AFTER DELETE ON lease4 FOR EACH ROW DELETE FROM notes
%evil% CREATE TRIGGER ubench_lease4_evil AFTER DELETE ON lease4 FOR EACH ROW DELETE FROM notes
%namesake% CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 FOR EACH ROW DELETE FROM notes
%routine% CREATE PROCEDURE ubench_lease4_count() SELECT 1
%indexes% SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = "own" AND table_name = "lease4" AND index_name <> "PRIMARY"'
pgsql_dialect='%lease_type% BIGINT
@ "
%trigger% %function% CREATE TRIGGER audit AFTER DELETE ON lease4 EXECUTE FUNCTION audit()
%evil% %function% CREATE TRIGGER ubench_lease4_evil AFTER DELETE ON lease4 EXECUTE FUNCTION audit()
%namesake% %function% CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 FOR EACH ROW EXECUTE FUNCTION audit()
%function% CREATE FUNCTION audit() RETURNS TRIGGER AS $$BEGIN DELETE FROM notes; RETURN NULL; END$$ LANGUAGE plpgsql;
%routine% CREATE FUNCTION ubench_lease4_count() RETURNS INT AS $$SELECT 1$$ LANGUAGE sql
%indexes% SELECT count(*) FROM pg_index WHERE indrelid = $$lease4$$::regclass AND NOT indisprimary
%no_triggers% CREATE FUNCTION refuse() RETURNS event_trigger AS $$BEGIN RAISE EXCEPTION $e$no triggers here$e$; END$$ LANGUAGE plpgsql; RESET ROLE; CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ($$CREATE TRIGGER$$) EXECUTE FUNCTION refuse()'

# STORE_empty; STORE_make SQL; STORE_dump: the database that a case is about, with
# nothing in it; what another has in it, or an answer from it; all that is in it.
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
        GRANT ALL ON own.* TO ubench@'%'; SET GLOBAL sql_select_limit = DEFAULT"
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
    pgsql_sql 'DROP EVENT TRIGGER IF EXISTS refuse;
        DROP SCHEMA IF EXISTS public CASCADE;
        CREATE SCHEMA public AUTHORIZATION ubench' own 2>/dev/null
}
pgsql_make() { # all is the runner's own user's: no right is what saves it
    pgsql_sql "SET ROLE ubench; $1" own
}
pgsql_dump() { # without the key that newer ones put around it
    pg_dump -d "$UBENCH_PGSQL_ADMIN dbname=own" | grep -v '^\\.*restrict'
}

# A case: its name; its stores, if not all; "made", if ubench has made lease4 before;
# what another did; the options of the run, if not -S lean and then -S kea; what must
# be said of it, or "ok", and then, as SQL and its answer, what must be there.  After a
# refusal all is what it was.
cat >"$work/cases" <<'END'
other tables|||CREATE TABLE notes (note VARCHAR(9))||notes and no table .*ubench_marker
leases|||%leases%||lease4 and no table .*ubench_marker
a marker of another shape|||%leases%; CREATE TABLE ubench_marker (note VARCHAR(9))||ubench_marker that differs from ubench's
with a column more|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16), note VARCHAR(9)); INSERT INTO ubench_marker (lease4) VALUES ('lean')||ubench_marker that differs from ubench's
with a key more|||%leases%; CREATE TABLE ubench_marker (row_id INT PRIMARY KEY, lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES (1, 'lean2')||ubench_marker that (has lean2|differs from)
empty|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16))||ubench_marker that does not have lease4
empty, beside another|||CREATE TABLE notes (note VARCHAR(9)); CREATE TABLE ubench_marker (lease4 VARCHAR(16))||ubench_marker that does not have lease4
empty, beside nothing|||CREATE TABLE ubench_marker (lease4 VARCHAR(16))||ok
of both versions|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean'), ('lean2')||ubench_marker that has lean2
a view|||%leases%; CREATE VIEW ubench_marker AS SELECT 'lean' AS lease4||a view .*ubench_marker that differs from ubench's
alone|||CREATE TABLE ubench_marker (note VARCHAR(9))||a table .*ubench_marker that differs from ubench's
of lease6|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16), lease6 VARCHAR(16)); INSERT INTO ubench_marker VALUES (NULL, 'kea')||ubench_marker that does not have lease4
in upper case|||%leases%; CREATE TABLE @UBENCH_MARKER@ (lease4 VARCHAR(16)); INSERT INTO @UBENCH_MARKER@ VALUES ('lean')||and no table .*ubench_marker
Lease4, marked|||CREATE TABLE @Lease4@ (address %lease_type%); CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||Lease4 is a table; ubench did not create that
lean by its marker alone|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||lease4 differs in the column (pool_id|note)
a view of leases|||CREATE TABLE notes (address %lease_type%); CREATE VIEW lease4 AS SELECT * FROM notes; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||lease4 is a view; ubench did not create that
another column||made|ALTER TABLE lease4 ADD color INT||lease4 differs in the column color
a column is missing|mysql pgsql|made|ALTER TABLE lease4 DROP COLUMN hostname||lease4 differs in the column hostname
the columns in another order|pgsql|made|ALTER TABLE lease4 DROP hostname, ADD hostname VARCHAR(255)||ok
no lease table||made|DROP TABLE lease4||ok
no marker||made|DROP TABLE ubench_marker||lease4 and no table
a marker of an owner, beside others|mysql pgsql||CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4|-S lean|ok|SELECT note FROM notes|a
a marker of an owner, in a file|sqlite||%leases%; CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4||ubench_marker that has scratch copy
a trigger||made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); %trigger%||lease4 has the trigger audit; ubench did not create that
with a name like ours|mysql pgsql|made|CREATE TABLE notes (note VARCHAR(9)); %evil%||lease4 has the trigger ubench_lease4_evil; ubench did not create that
with a name of ours|mysql pgsql|made|CREATE TABLE notes (note VARCHAR(9)); %namesake%||lease4 has the trigger ubench_lease4_deleted; ubench did not create that
that a limit on rows hides|mysql|made|CREATE TABLE notes (note VARCHAR(9)); %trigger%; SET GLOBAL sql_select_limit = 16||lease4 has the trigger audit; ubench did not create that
a limit on rows|mysql||SET GLOBAL sql_select_limit = 1||ok
a foreign key||made|INSERT INTO lease4 (address) VALUES (1); CREATE TABLE notes (address %lease_type%, FOREIGN KEY (address) REFERENCES lease4 (address) ON DELETE CASCADE); INSERT INTO notes VALUES (1)||lease4 has the foreign key .*notes
other tables beside ours||made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a')||ok|SELECT note FROM notes|a
a routine of our name|mysql pgsql||%routine%|-S lean;-S kea+stats|ubench_lease4_count is a (function|procedure); ubench did not create that
and beside our tables|mysql pgsql|made|%routine%|-S lean;-S kea+stats|ubench_lease4_count is a (function|procedure); ubench did not create that
reservations||made|CREATE TABLE ubench_hosts (note VARCHAR(9)); INSERT INTO ubench_hosts VALUES ('a')|-S lean;-w dora --hosts 10|ubench_hosts differs in the column
counters|mysql pgsql|made|CREATE TABLE ubench_lease4_stat (note VARCHAR(9)); INSERT INTO ubench_lease4_stat VALUES ('a')|-S lean;-S kea+stats|ubench_lease4_stat differs in the column
a function and counters|pgsql|made|%routine%; CREATE TABLE ubench_lease4_stat (a TEXT)|-S kea+stats|ubench_lease4_(count|stat) is
states of leases|mysql pgsql|made|CREATE TABLE lease_state (note VARCHAR(9)); INSERT INTO lease_state VALUES ('a')|-S lean;-S kea;-6|lease_state differs in the column
leases of the other version||made|CREATE TABLE lease6 (address %lease_type%); INSERT INTO lease6 VALUES (1)|-S lean;-6|(has .*lease6|lease6 differs)
a trigger of our name on another table|mysql|made|CREATE TABLE notes (note VARCHAR(9)); CREATE TRIGGER ubench_lease4_inserted AFTER INSERT ON notes FOR EACH ROW DELETE FROM lease4|-S lean;-S kea+stats|notes has the trigger ubench_lease4_inserted; ubench did not create that
an index of our name|sqlite pgsql|made|CREATE TABLE notes (note VARCHAR(9)); CREATE INDEX lease4_by_hostname ON notes (note)|-S kea|lease4_by_hostname is an index; ubench did not create that
and used|mysql pgsql||CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean'); CREATE TABLE lease_state (state %lease_type% NOT NULL PRIMARY KEY, name VARCHAR(64)); INSERT INTO lease_state VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (7, 'e')|-S kea|ok|SELECT name FROM lease_state WHERE state = 7|e
what fails half made|pgsql|made|INSERT INTO lease4 (address) VALUES (1); %no_triggers%|-S kea+stats|no triggers here
more indexes|mysql pgsql|made|CREATE INDEX a1 ON lease4 (hostname); CREATE INDEX a2 ON lease4 (hwaddr)|-S lean|ok|%indexes%|0
END
leases="CREATE TABLE lease4 (address %lease_type% PRIMARY KEY, note VARCHAR(9)); \
INSERT INTO lease4 VALUES (1, 'a'), (2, 'b')"

# translate SQL: for the store; a word may stand for others of the lines below it.
translate() {
    eval "words=\$${store}_dialect"
    # shellcheck disable=SC2154 # words: by eval
    printf '%s' "$1" | WORDS="%leases% $leases
$words" awk '
    {
        count = split(ENVIRON["WORDS"], words, "\n")
        for (w = 1; w <= count; w++) {
            name = words[w]
            sub(/ .*/, "", name)
            for (i = index($0, name); i > 0; i = index($0, name))
                $0 = substr($0, 1, i - 1) substr(words[w], length(name) + 2) \
                    substr($0, i + length(name))
        }
        print
    }'
}

try_case() { # NAME MADE SQL OPTIONS WANTED KEPT ANSWER
    "${store}_empty"
    if [ -n "$2" ] && ! "$runner" -f "$database" -n 20 -s no -v no >"$work/log" 2>&1; then
        not_ok "$store: $1" "$(cat "$work/log")"
        return
    fi
    if ! "${store}_make" "$(translate "$3")" >"$work/log" 2>&1; then
        not_ok "$store: $1" "$(cat "$work/log")"
        return
    fi
    "${store}_dump" >"$work/before"
    left=${4:-"-S lean;-S kea"}
    while [ -n "$left" ]; do
        options=${left%%;*} left=${left#"${left%%;*}"} left=${left#;}
        # shellcheck disable=SC2086 # words
        try -f "$database" -n 20 -s no $options
        if [ "$5" = ok ]; then
            expect "$store: $1, $options" 0 ""
            [ -z "${6:-}" ] || check "$store: $1, $options, afterwards" \
                "$("${store}_make" "$(translate "$6")")" "$7"
            continue
        fi
        expect "$store: $1, $options" 1 "$5"
        "${store}_dump" >"$work/after"
        cmp -s "$work/before" "$work/after" ||
            not_ok "$store: $1, $options" "something was changed"
    done
}

try_store() {
    while IFS='|' read -r name stores made sql options rest; do
        wanted=$rest kept='' answer=''
        case $rest in
        'ok|'*) wanted=ok kept=${rest#*|} answer=${rest##*|} kept=${kept%|*} ;;
        esac
        case ${stores:-$store} in *"$store"*) ;; *) continue ;; esac
        try_case "$name" "$made" "$sql" "$options" "$wanted" "$kept" "$answer" \
            </dev/null
    done <"$work/cases"
}

# A server that knows no upper case makes a lease4 of Lease4.  MySQL is so from the
# making of its data on, or not.
one_case() {
    is_mariadb || return 0
    stop_server
    start_server -- --lower-case-table-names=1
    try_case "Lease4, lower_case_table_names=1" "" \
        "$(echo "$leases" | sed 's/lease4/Lease4/g')" "" "lease4 and"
}

# A damaged file of SQLite's has nothing beside it that was not there.
beside_sqlite() {
    for damage in "of=$database seek=1" "of=$database seek=1 count=0"; do
        sqlite_empty
        "$runner" -f "$database" -n 20 -s no -v no >"$work/log" 2>&1
        # shellcheck disable=SC2086 # words
        dd if=/dev/urandom bs=4000 count=1 $damage 2>"$work/log"
        try -f "$database"
        expect "sqlite: damaged, $damage" 1 "malformed|not a"
        check "sqlite: damaged, $damage, beside it" \
            "$(ls "$database"-* 2>/dev/null)" ""
    done
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
    beside_sqlite
    for script in lean lean6 kea kea6; do
        try_case "a stranger's leases, then schema/sqlite-$script.sql" "" \
            "CREATE TABLE lease4 (address INTEGER PRIMARY KEY, hwaddr BLOB,
            client_id BLOB, valid_lifetime INTEGER, expire INTEGER,
            subnet_id INTEGER, hostname TEXT, state INTEGER, relay_id BLOB,
            remote_id BLOB); INSERT INTO lease4 (address) VALUES (1), (2);
            $(cat "$top/schema/sqlite-$script.sql")" "" \
            "lease4 and a table ubench_marker that does not"
    done
else
    skip sqlite "it is not built"
fi
summary
