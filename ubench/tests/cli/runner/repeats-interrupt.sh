# shellcheck shell=sh source=lib.sh
# Somebody loses patience in the second of three runs: the first one counts.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench json_get

# enough RUNNER: prints how many operations a phase take a second a run.
enough() {
    "$BIN/$1" -s no -v no -n 10k |
        awk '/^overall/ { gsub(",", ""); printf "%d\n", $3 / 4 }'
}

# interrupt TOO-LATE RUNNER OPTION...: as soon as the bar on standard error tells
# that it is the second run; again if what has TOO-LATE for its place in the
# result was begun before the signal came, as on a machine that stood still.
interrupt() {
    too_late=$1 runner=$2
    shift 2
    for _ in 1 2 3 4 5; do
        begin "$runner" -s no -R 3 -O out.jsonl "$@"
        await grep -q 'run 2/3' "$SCRATCH/err"
        kill -s INT "$pid"
        finish >"$SCRATCH/finished"
        "$HELPERS/json_get" out.jsonl "$too_late" >"$SCRATCH/late" 2>&1 || break
    done
    cat "$SCRATCH/finished"
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.incomplete
    cat "$SCRATCH/late"
}

for runner in memfile_ubench sqlite_ubench; do
    interrupt runs.2 $runner -n "$(enough $runner)"
    "$HELPERS/json_get" out.jsonl runs.1.incomplete runs.1.phases.3.incomplete
done
# While it warms up for the second.
interrupt runs.1 memfile_ubench -n 1k --warmup="$(enough memfile_ubench)"
left
