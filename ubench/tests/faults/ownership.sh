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
%lease4_trigger% CREATE TRIGGER lease4_AINS AFTER INSERT ON lease4 FOR EACH ROW SET @a = 1
%instead% DROP TRIGGER ubench_lease4_deleted; CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 FOR EACH ROW SET @a = 1
%marker_trigger% CREATE TRIGGER audit AFTER DELETE ON ubench_marker FOR EACH ROW SET @a = 1
%routine% CREATE PROCEDURE ubench_lease4_count() SELECT 1
%other_routine% DROP PROCEDURE ubench_lease4_count; CREATE PROCEDURE ubench_lease4_count() SELECT 1
%notes_routine% CREATE PROCEDURE notes() SELECT 1
%primary_key% PRIMARY KEY
%scratch% DROP TABLE ubench_marker; CREATE TABLE ubench_marker (row_id INT AUTO_INCREMENT PRIMARY KEY) AS SELECT "scratch copy" AS lease4'
pgsql_dialect='%lease_type% BIGINT
@ "
%trigger% %function% CREATE TRIGGER audit AFTER DELETE ON lease4 EXECUTE FUNCTION audit()
%evil% %function% CREATE TRIGGER ubench_lease4_evil AFTER DELETE ON lease4 EXECUTE FUNCTION audit()
%namesake% %function% CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 FOR EACH ROW EXECUTE FUNCTION audit()
%marker_trigger% %function% CREATE TRIGGER audit AFTER DELETE ON ubench_marker EXECUTE FUNCTION audit()
%function% CREATE FUNCTION audit() RETURNS TRIGGER AS $$BEGIN DELETE FROM notes; RETURN NULL; END$$ LANGUAGE plpgsql;
%routine% CREATE FUNCTION ubench_lease4_count() RETURNS INT AS $$SELECT 1$$ LANGUAGE sql
%lease4_trigger% CREATE FUNCTION audit() RETURNS TRIGGER AS $$BEGIN RETURN NULL; END$$ LANGUAGE plpgsql; CREATE TRIGGER lease4_AINS AFTER INSERT ON lease4 EXECUTE FUNCTION audit()
%instead% DROP TRIGGER ubench_lease4_deleted ON lease4; CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 EXECUTE FUNCTION ubench_lease4_deleted()
%other_routine% CREATE OR REPLACE FUNCTION ubench_lease4_deleted() RETURNS TRIGGER AS $$BEGIN RETURN NULL; END$$ LANGUAGE plpgsql
%notes_routine% CREATE FUNCTION notes() RETURNS INT AS $$SELECT 1$$ LANGUAGE sql
%primary_key% CONSTRAINT lease4_pkey
%scratch% DROP TABLE ubench_marker; CREATE TABLE ubench_marker AS SELECT $$scratch copy$$ AS lease4
%no_triggers% RESET ROLE; CREATE FUNCTION aside.refuse() RETURNS event_trigger AS $$BEGIN RAISE EXCEPTION $e$no triggers here$e$; END$$ LANGUAGE plpgsql; CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ($$CREATE TRIGGER$$) EXECUTE FUNCTION aside.refuse()'

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
        DROP SCHEMA IF EXISTS public, shop, aside CASCADE;
        CREATE SCHEMA public AUTHORIZATION ubench; CREATE SCHEMA aside;
        GRANT CREATE ON DATABASE own TO ubench' own 2>/dev/null
}
pgsql_make() { # all is the runner's own user's: no right is what saves it
    pgsql_sql "SET ROLE ubench; $1" own
}
pgsql_dump() { # without the key that newer ones put around it
    pg_dump -d "$UBENCH_PGSQL_ADMIN dbname=own" | grep -v '^\\.*restrict'
}

# A case: its name; its stores, if not all; "made" and options, if ubench has created its
# tables before; what another did; the options of the run, if not -S lean and then -S kea;
# what must be said of it, or "ok", and then, as SQL and its answer, what must be there.
# After a refusal all is what it was.
cat >"$work/cases" <<'END'
other tables|||CREATE TABLE notes (note VARCHAR(9))||notes and no table .*ubench_marker
a view|||CREATE VIEW notes AS SELECT 1||notes and no table .*ubench_marker
a view of our name|||CREATE VIEW lease4 AS SELECT 1||lease4 and no table .*ubench_marker
a routine|mysql pgsql||%notes_routine%||notes.* and no table .*ubench_marker
leases|||%leases%||lease4 and no table .*ubench_marker; ubench changed nothing: name another database with -f
leases, and how their owner marks them|mysql pgsql||%leases%||, or, to let ubench delete its leases, run: CREATE TABLE ubench_marker.* AS SELECT 'scratch copy' AS lease4$
a marker of another shape|||%leases%; CREATE TABLE ubench_marker (note VARCHAR(9))||somebody else, created .*ubench_marker
with a column more|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16), note VARCHAR(9)); INSERT INTO ubench_marker (lease4) VALUES ('lean')||created .*ubench_marker \(it has 'lean'\)
with a key more|||%leases%; CREATE TABLE ubench_marker (row_id INT PRIMARY KEY, lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES (1, 'lean2')||created .*ubench_marker \(it has 'lean2'\)
empty|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16))||created .*ubench_marker;
empty, beside another|||CREATE TABLE notes (note VARCHAR(9)); CREATE TABLE ubench_marker (lease4 VARCHAR(16))||created .*ubench_marker;
empty, beside nothing|||CREATE TABLE ubench_marker (lease4 VARCHAR(16))||created .*ubench_marker;
of another word, beside nothing|||CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('mine')||created .*ubench_marker \(it has 'mine'\)
of nothing|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES (NULL)||created .*ubench_marker;
of both versions|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean'), ('lean2')||created .*ubench_marker \(it has 'lean'\)
a view as the marker|||%leases%; CREATE VIEW ubench_marker AS SELECT 'lean' AS lease4||created .*ubench_marker
a view as our marker|||%leases%; CREATE VIEW ubench_marker AS SELECT 'table' AS kind, 'a' AS name, 'b' AS definition||(ubench did not create the (view|table)|somebody else, created public.ubench_marker)
alone|||CREATE TABLE ubench_marker (note VARCHAR(9))||created .*ubench_marker;
of lease6|||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16), lease6 VARCHAR(16)); INSERT INTO ubench_marker VALUES (NULL, 'kea')||created .*ubench_marker \(it has 'kea'\)
in upper case|||%leases%; CREATE TABLE @UBENCH_MARKER@ (lease4 VARCHAR(16)); INSERT INTO @UBENCH_MARKER@ VALUES ('lean')||and no table .*ubench_marker
of an earlier version|mysql pgsql||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||an earlier version of ubench, or .*ubench_marker \(it has 'lean'\).* create it again: DROP (DATABASE|SCHEMA)
of an earlier version, in a file|sqlite||%leases%; CREATE TABLE ubench_marker (schema TEXT, made_at TEXT, made_with TEXT); INSERT INTO ubench_marker VALUES ('lean', 'a', 'b')||an earlier version of ubench, or .*ubench_marker; .* create it again: rm .*own.db$
our marker, of others' tables|||%leases%; CREATE TABLE ubench_marker (kind TEXT, name TEXT, definition TEXT); INSERT INTO ubench_marker VALUES ('table', 'lease4', '11 columns')||ubench did not create
our marker, of nothing|||%leases%; CREATE TABLE ubench_marker (kind TEXT, name TEXT, definition TEXT)||ubench did not create
Lease4, marked|||CREATE TABLE @Lease4@ (address %lease_type%); CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||created .*ubench_marker \(it has 'lean'\)
Lease4||made|DROP TABLE lease4; CREATE TABLE @Lease4@ (address %lease_type%)||ubench did not create the table .*Lease4
a name but for its case||made|CREATE TABLE @Ubench_Hosts@ (note VARCHAR(9))||ubench did not create the table .*Ubench_Hosts
a view of leases|||CREATE TABLE notes (address %lease_type%); CREATE VIEW lease4 AS SELECT * FROM notes; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean')||created .*ubench_marker \(it has 'lean'\)
a view in the place of the leases||made|DROP TABLE lease4; CREATE TABLE notes (address %lease_type%); CREATE VIEW lease4 AS SELECT * FROM notes||ubench did not create the view .*lease4
another table in the place of the leases||made|DROP TABLE lease4; %leases%||ubench did not create the (column|index) .*lease4.*(note|PRIMARY)|the table lease4 was changed
another column||made|ALTER TABLE lease4 ADD color INT||(ubench did not create the column .*lease4.color|the table lease4 was changed)
a column is missing|mysql pgsql|made|ALTER TABLE lease4 DROP COLUMN hostname||the table .*lease4 was changed to 10 columns from 11 columns
a column of another type|mysql|made|ALTER TABLE lease4 MODIFY expire DATETIME||the column lease4.expire was changed to datetime .*from timestamp
a column of another type|pgsql|made|ALTER TABLE lease4 ALTER hostname TYPE TEXT||the column public.lease4.hostname was changed to text from character varying\(255\)
the columns in another order|pgsql|made|ALTER TABLE lease4 DROP hostname, ADD hostname VARCHAR(255)||ok
no lease table||made|DROP TABLE lease4||ok
no marker||made|DROP TABLE ubench_marker||lease4 and no table
a column more in the marker|mysql pgsql|made|ALTER TABLE ubench_marker ADD note VARCHAR(9)||ubench did not create the column .*ubench_marker.note
a marker of an owner, beside others|mysql pgsql||CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4||it has no table .*lease4
a marker of an owner, in a file|sqlite||%leases%; CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4||created ubench_marker \(it has 'scratch copy'\)
a marker of an owner and of us|mysql pgsql||%leases%; CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('scratch copy'), ('kea')||created .*ubench_marker \(it has 'kea'\)
a scratch copy|mysql pgsql|made -S kea|%scratch%|-S kea;-w dora --hosts 10;-w dora --hosts 5;-S kea|ok
and another schema|mysql pgsql|made -S kea|%scratch%|-S lean;-S kea+stats|lease4 was not created by ubench; it can only be used with --schema kea
and its own triggers, states and tables|mysql pgsql|made -S kea|%scratch%; CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); %lease4_trigger%; ALTER TABLE lease_state ADD note VARCHAR(9); CREATE TABLE lease6_relay_id (address %lease_type%, FOREIGN KEY (address) REFERENCES lease4 (address))|-S kea;-w dora --hosts 10|ok|SELECT note FROM notes|a
and a foreign key to the leases|mysql pgsql|made -S kea|%scratch%; INSERT INTO lease4 (address) VALUES (1); CREATE TABLE notes (address %lease_type%, FOREIGN KEY (address) REFERENCES lease4 (address) ON DELETE CASCADE); INSERT INTO notes VALUES (1)|-S kea;-w dora --hosts 10|ubench did not create the (foreign key|constraint) .*notes
and a child of the leases|pgsql|made -S kea|%scratch%; CREATE TABLE notes () INHERITS (lease4); INSERT INTO notes (address) VALUES (1)|-S kea|ubench did not create the child table notes
and no key|mysql pgsql|made -S lean|%scratch%; ALTER TABLE lease4 DROP %primary_key%|-S kea -s server|the column address is not the primary key
and a view of leases|mysql pgsql|made -S kea|%scratch%; DROP TABLE lease4; CREATE VIEW lease4 AS SELECT 1 AS address|-S kea|it has no table .*lease4
and reservations of another's|mysql pgsql|made -S kea|%scratch%; CREATE TABLE ubench_hosts (note VARCHAR(9)); INSERT INTO ubench_hosts VALUES ('a')|-S kea;-w dora --hosts 10|ubench did not create the table .*ubench_hosts
and a routine of our name|mysql pgsql|made -S kea|%scratch%; %routine%|-S kea|ubench did not create the (procedure|function) .*ubench_lease4_count
a trigger||made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a'); %trigger%||ubench did not create the trigger .*audit
with a name like ours|mysql pgsql|made|CREATE TABLE notes (note VARCHAR(9)); %evil%||ubench did not create the trigger .*lease4.ubench_lease4_evil
with a name of ours|mysql pgsql|made|CREATE TABLE notes (note VARCHAR(9)); %namesake%||ubench did not create the trigger .*lease4.ubench_lease4_deleted
in the place of ours|mysql pgsql|made -S kea+stats|%instead%|-S lean;-S kea+stats|the trigger .*lease4.ubench_lease4_deleted was changed
on the marker|mysql pgsql|made|%marker_trigger%||ubench did not create the trigger .*ubench_marker.audit
that a limit on rows hides|mysql|made|CREATE TABLE notes (note VARCHAR(9)); %trigger%; SET GLOBAL sql_select_limit = 16||ubench did not create the trigger lease4.audit
a limit on rows|mysql||SET GLOBAL sql_select_limit = 1||ok
a rule|pgsql|made|CREATE RULE audit AS ON DELETE TO lease4 DO INSTEAD NOTHING||ubench did not create the rule public.lease4.audit
a foreign key||made|INSERT INTO lease4 (address) VALUES (1); CREATE TABLE notes (address %lease_type%, FOREIGN KEY (address) REFERENCES lease4 (address) ON DELETE CASCADE); INSERT INTO notes VALUES (1)||ubench did not create the table .*notes
other tables beside ours||made|CREATE TABLE notes (note VARCHAR(9)); INSERT INTO notes VALUES ('a')||ubench did not create the table .*notes
in another schema|pgsql|made|CREATE SCHEMA shop; CREATE TABLE shop.orders (note VARCHAR(9))||ubench did not create the table shop.orders
in another schema, not marked|pgsql||CREATE SCHEMA shop; CREATE TABLE shop.orders (note VARCHAR(9))||it has shop.orders and no table public.ubench_marker
a type of our name|pgsql||CREATE TYPE lease4 AS ENUM ('a')||lease4 and no table
a domain, a sequence, an aggregate|pgsql|made|CREATE DOMAIN d AS INT; CREATE SEQUENCE s; CREATE AGGREGATE a (INT) (SFUNC = int4pl, STYPE = INT)||ubench did not create the sequence public.s
an event|mysql|made|CREATE EVENT remove_all ON SCHEDULE EVERY 1 DAY DO DELETE FROM lease4||ubench did not create the event remove_all
what an extension creates|pgsql|made|RESET ROLE; CREATE EXTENSION amcheck||ok
a routine of our name|mysql pgsql||%routine%|-S lean;-S kea+stats|ubench_lease4_count.* and no table
and beside our tables|mysql pgsql|made|%routine%|-S lean;-S kea+stats|ubench did not create the (procedure|function) .*ubench_lease4_count
and another of its arguments|pgsql|made -S kea+stats|CREATE FUNCTION ubench_lease4_count(a INT) RETURNS INT AS $$SELECT 1$$ LANGUAGE sql|-S lean;-S kea+stats|ubench did not create the function public.ubench_lease4_count\(a integer\)
and in the place of ours|mysql pgsql|made -S kea+stats|%other_routine%|-S lean;-S kea+stats|the (procedure|function) .*ubench_lease4_.* was changed
reservations||made|CREATE TABLE ubench_hosts (note VARCHAR(9)); INSERT INTO ubench_hosts VALUES ('a')|-S lean;-w dora --hosts 10|ubench did not create the table .*ubench_hosts
counters|mysql pgsql|made|CREATE TABLE ubench_lease4_stat (note VARCHAR(9)); INSERT INTO ubench_lease4_stat VALUES ('a')|-S lean;-S kea+stats|ubench did not create the table .*ubench_lease4_stat
a function and counters|pgsql|made|%routine%; CREATE TABLE ubench_lease4_stat (a TEXT)|-S kea+stats|ubench did not create the table public.ubench_lease4_stat
states of leases|mysql pgsql|made|CREATE TABLE lease_state (note VARCHAR(9)); INSERT INTO lease_state VALUES ('a')|-S lean;-S kea;-6|ubench did not create the table .*lease_state
leases of the other version||made|CREATE TABLE lease6 (address %lease_type%); INSERT INTO lease6 VALUES (1)|-S lean;-6|ubench did not create the table .*lease6
a trigger of our name on another table|mysql|made|CREATE TABLE notes (note VARCHAR(9)); CREATE TRIGGER ubench_lease4_inserted AFTER INSERT ON notes FOR EACH ROW DELETE FROM lease4|-S lean;-S kea+stats|ubench did not create the trigger notes.ubench_lease4_inserted
an index of our name|sqlite pgsql|made|CREATE TABLE notes (note VARCHAR(9)); CREATE INDEX lease4_by_hostname ON notes (note)|-S kea|ubench did not create the table .*notes
states that another has filled|mysql pgsql||CREATE TABLE ubench_marker (lease4 VARCHAR(16)); INSERT INTO ubench_marker VALUES ('lean'); CREATE TABLE lease_state (state %lease_type% NOT NULL PRIMARY KEY, name VARCHAR(64)); INSERT INTO lease_state VALUES (0, 'a'), (1, 'b')|-S kea|created .*ubench_marker \(it has 'lean'\)
what fails half made|pgsql|made|INSERT INTO lease4 (address) VALUES (1); %no_triggers%|-S kea+stats|no triggers here
more indexes|mysql pgsql|made|CREATE INDEX a1 ON lease4 (hostname)||ubench did not create the index .*lease4.a1
a run that was killed before it wrote the list|mysql|made -S kea+stats|DELETE FROM ubench_marker WHERE kind IS NOT NULL; DROP TRIGGER ubench_lease4_deleted|-S kea+stats;-S lean;-6 -S kea+stats|ok
and had changed a setting|mysql|made -S kea+stats|DELETE FROM ubench_marker; INSERT INTO ubench_marker (restore) VALUES ('1 SET GLOBAL innodb_io_capacity = 200; ')|-S kea+stats|ok
and another's table|mysql|made -S kea+stats|DELETE FROM ubench_marker WHERE kind IS NOT NULL; CREATE TABLE notes (note VARCHAR(9))|-S kea+stats|ubench did not create the table notes; .*a run was killed while it created its tables.* create it again: DROP DATABASE .own.; CREATE DATABASE .own.
and a copy of ours|mysql|made -S lean|DELETE FROM ubench_marker WHERE kind IS NOT NULL; CREATE TABLE notes LIKE lease4; INSERT INTO notes (address) VALUES (1)|-S lean|ubench did not create the table notes
a run that was killed before it dropped all|mysql|made -S kea+stats|DROP TABLE lease4; DROP TABLE ubench_lease4_stat|-S kea+stats;-S lean|ok
another version of the server|mysql pgsql|made|UPDATE ubench_marker SET definition = '0.1' WHERE kind = 'server'||ok
that lists differently|mysql pgsql|made|UPDATE ubench_marker SET definition = CASE kind WHEN 'server' THEN '0.1' ELSE 'as it was' END WHERE kind = 'server' OR name LIKE '%lease4.address'||the column .*lease4.address was changed to .* from as it was; .*the server was upgraded from version 0.1 to [0-9.]+.*create it again: DROP (DATABASE|SCHEMA)
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
    # shellcheck disable=SC2086 # words
    if [ -n "$2" ] &&
        ! "$runner" -f "$database" -n 20 -s no -v no ${2#made} >"$work/log" 2>&1; then
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
    for script in lean kea; do
        sqlite_empty
        sqlite_make "CREATE TABLE lease4 (address INTEGER); INSERT INTO lease4 VALUES (1)"
        sqlite_dump >"$work/before"
        sqlite_make "$(cat "$top/schema/sqlite-$script.sql")" 2>"$work/log" ||
            cmp "$work/before" "$database" >>"$work/log"
        check "schema/sqlite-$script.sql beside a stranger's leases" \
            "$(sed 's/.*: //' "$work/log")" "table lease4 already exists"
    done
    for script in lean6 kea6; do
        try_case "a stranger's leases, then schema/sqlite-$script.sql" "" \
            "CREATE TABLE lease4 (address INTEGER PRIMARY KEY, hwaddr BLOB,
            client_id BLOB, valid_lifetime INTEGER, expire INTEGER,
            subnet_id INTEGER, hostname TEXT, state INTEGER, relay_id BLOB,
            remote_id BLOB); INSERT INTO lease4 (address) VALUES (1), (2);
            $(cat "$top/schema/sqlite-$script.sql")" "" \
            "lease4 and no table ubench_marker"
    done
else
    skip sqlite "it is not built"
fi
summary
