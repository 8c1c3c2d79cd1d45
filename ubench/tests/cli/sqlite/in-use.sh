# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need sqlite_ubench sqlite_exec
# hold SQL: somebody else does it to our database and keeps his locks.
hold() {
    mkfifo "$SCRATCH/stop"
    "$HELPERS/sqlite_exec" sqlite.db "PRAGMA busy_timeout = 60000; $1" hold \
        <"$SCRATCH/stop" >"$SCRATCH/held" &
    holder=$!
    exec 9>"$SCRATCH/stop"
    await grep -qs holding "$SCRATCH/held"
}
release() {
    exec 9>&-
    wait "$holder"
    rm "$SCRATCH/stop"
}
"$BIN/sqlite_ubench" -v no -n 10 >/dev/null
hold "BEGIN EXCLUSIVE"
try sqlite_ubench -n 10
release
# In mid-run it waits, and can be interrupted while it does.
start sqlite_ubench -s no -n 100M -o busy_timeout=600000 -O out.jsonl
hold "BEGIN IMMEDIATE"
sleep 0.5
kill -s INT "$pid"
finish >"$SCRATCH/finished"
tail -n 1 "$SCRATCH/finished"
release
json_get out.jsonl incomplete
