# shellcheck shell=sh source=lib.sh
# An open loop that is interrupted ends within a second with what was measured,
# be it busy or waiting.
. "$CLI/lib.sh"
need memfile_ubench json_get
for load in "--rate 200" "--rate 0.1" "--find-rate" \
    "--rate 5 --hook-delay 20s"; do
    # shellcheck disable=SC2086 # words
    start memfile_ubench -s no -w dora --duration 10m -O out.jsonl \
        --progress none $load
    sleep 2.5
    kill -s INT "$pid"
    finish >"$SCRATCH/finished"
    echo "$load: $(tail -n 1 "$SCRATCH/finished")"
done
start memfile_ubench -s no -w dora --duration 10m -O cut.jsonl --rate 200
sleep 2.5
kill -s INT "$pid"
finish >/dev/null
"$HELPERS/json_get" cut.jsonl incomplete error runs.0.trials.0.incomplete
