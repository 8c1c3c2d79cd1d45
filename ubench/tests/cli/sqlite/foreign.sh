# shellcheck shell=sh source=lib-stores.sh
# A real database of somebody else, Kea's tables or not, with rows in it.
runner=sqlite_ubench
. "$CLI/lib-stores.sh"
need sqlite_exec
db() {
    "$HELPERS/sqlite_exec" "$@"
}
db notes.db 'CREATE TABLE notes (text); INSERT INTO notes VALUES (1), (2)'
try_foreign notes.db
db notes.db 'SELECT COUNT(*) FROM notes'
db kea.db 'CREATE TABLE lease4 (address INTEGER PRIMARY KEY);
           INSERT INTO lease4 VALUES (1), (2)'
try_foreign kea.db
db kea.db 'SELECT COUNT(*) FROM lease4'
db kea6.db 'CREATE TABLE lease6 (address BLOB PRIMARY KEY);
            INSERT INTO lease6 VALUES (1), (2)'
try_foreign kea6.db
try sqlite_ubench -6 -f kea6.db
unchanged kea6.db
# A table called ubench_marker is not yet a marker: another shape, empty, a row of
# another, or a view.
for marker in '(note)' '(schema, made_at, made_with)'; do
    rm -f marked.db
    db marked.db "CREATE TABLE lease4 (address INTEGER PRIMARY KEY);
                  INSERT INTO lease4 VALUES (1), (2);
                  CREATE TABLE ubench_marker $marker"
    try_foreign marked.db
done
db marked.db "INSERT INTO ubench_marker VALUES ('mine', 'x', 'y')"
try_foreign marked.db
db marked.db "DROP TABLE ubench_marker;
              CREATE VIEW ubench_marker AS SELECT 'kea' schema, 1 made_at, 1 made_with"
try_foreign marked.db
# In use, in WAL mode, with its rows not yet in the database itself.
mkfifo "$SCRATCH/stop"
db wal.db 'PRAGMA journal_mode = WAL; CREATE TABLE notes (text);
           INSERT INTO notes VALUES (1)' hold <"$SCRATCH/stop" >"$SCRATCH/held" &
exec 9>"$SCRATCH/stop"
await grep -qs holding "$SCRATCH/held"
cp wal.db-wal "$SCRATCH"
try_foreign wal.db
cmp wal.db-wal "$SCRATCH/wal.db-wal" && echo "its log is unchanged"
exec 9>&-
wait
db wal.db 'SELECT COUNT(*) FROM notes'
# What SQLite would take for a journal or log of a database, and remove.
for ending in journal shm wal; do
    echo 'a shopping list' >new.db-$ending
    remember new.db-$ending
    try sqlite_ubench -f new.db
    unchanged new.db-$ending
    "$BIN/sqlite_ubench" -f own.db -n 10 >/dev/null
    echo 'a shopping list' >own.db-$ending
    try sqlite_ubench -f own.db
    unchanged own.db-$ending
    rm new.db-$ending own.db-$ending
done
printf '\331\325\005\371\040\241\143\327 of another' >new.db-journal
try sqlite_ubench -f new.db
rm new.db-journal own.db
# No table at all, but a number of his.
db number.db 'PRAGMA user_version = 5'
try_foreign number.db
runner=memfile_ubench
need memfile_ubench
try_foreign notes.db
left
