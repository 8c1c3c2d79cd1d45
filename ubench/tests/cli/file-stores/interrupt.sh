# shellcheck shell=sh source=lib-stores.sh
. "$CLI/lib-stores.sh"
need json_get
for signal in INT TERM; do
    start "$runner" -s no -n 100M -O out.jsonl
    kill -s $signal "$pid"
    finish
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.phases.0.incomplete \
        runs.0.phases.3.operations
done
# What was left behind is emptied by the next run.
try "$runner" -s no -v no -n 10 | tail -n 3
left
