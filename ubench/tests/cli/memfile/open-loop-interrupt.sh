# shellcheck shell=sh source=lib.sh
# An open loop that is interrupted ends within a second with what was measured,
# be it busy or waiting.
. "$CLI/lib.sh"
need memfile_ubench json_get
in_trial() {
    grep -q 'single \|coarse ' "$SCRATCH/err" || ! kill -0 "$pid" 2>/dev/null
}
for load in "--rate 200" "--rate 0.01" "--find-rate" \
    "--rate 5 --hook-delay 1m"; do
    # shellcheck disable=SC2086 # words
    begin memfile_ubench -s no -w dora --duration 10m -O out.jsonl $load
    await in_trial
    kill -s INT "$pid"
    finish >"$SCRATCH/finished"
    echo "$load: $(tail -n 1 "$SCRATCH/finished")"
done
begin memfile_ubench -s no -w dora --duration 10m -O cut.jsonl --rate 200
await in_trial
kill -s INT "$pid"
finish >/dev/null
"$HELPERS/json_get" cut.jsonl incomplete error runs.0.trials.0.incomplete
