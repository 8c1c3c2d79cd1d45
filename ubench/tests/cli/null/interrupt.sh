# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench json_get
for signal in INT TERM QUIT; do
    start null_ubench -n 100M -L guide -O out.jsonl
    kill -s $signal "$pid"
    finish
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.phases.0.name \
        runs.0.phases.3.incomplete
done
"$HELPERS/json_get" out.jsonl
# The terminal goes away; under nohup that is no reason to end.
start null_ubench -n 100M -L guide
kill -s HUP "$pid"
finish >"$SCRATCH/finished"
tail -n 1 "$SCRATCH/finished"
trap '' HUP
start null_ubench -n 100M -L guide
kill -s HUP "$pid"
sleep 0.6
kill -s TERM "$pid"
finish >"$SCRATCH/finished"
tail -n 1 "$SCRATCH/finished"
trap - HUP
left
