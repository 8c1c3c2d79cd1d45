# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench json_get
for signal in INT TERM; do
    start null_ubench -n 100M -O out.jsonl
    kill -s $signal "$pid"
    finish
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.phases.0.name \
        runs.0.phases.3.incomplete
done
"$HELPERS/json_get" out.jsonl
left
