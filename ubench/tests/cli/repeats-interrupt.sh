# shellcheck shell=sh source=lib.sh
# Somebody loses patience in the second of three runs: the first one counts.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench json_get

# enough RUNNER: prints how many operations a phase take two seconds a run.
enough() {
    "$BIN/$1" -s no -v no -n 10k |
        awk '/^overall/ { gsub(",", ""); printf "%d\n", $4 / 2 }'
}

# interrupt RUNNER OPTION...: as soon as the bar on standard error tells that
# it is the second run.
interrupt() {
    runner=$1
    shift
    : >"$SCRATCH/err"
    "$BIN/$runner" -s no -R 3 --progress=bar -O out.jsonl "$@" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" &
    pid=$!
    while ! grep -q 'run 2 of 3' "$SCRATCH/err"; do
        sleep 0.1
    done
    kill -s INT "$pid"
    finish >"$SCRATCH/finished"
    sed 's/^2> .*\r.*K//' "$SCRATCH/finished" # the bar, which ends no line
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.incomplete
}

for runner in memfile_ubench sqlite_ubench; do
    interrupt $runner -n "$(enough $runner)"
    "$HELPERS/json_get" out.jsonl runs.1.incomplete runs.1.phases.3.incomplete
    "$HELPERS/json_get" out.jsonl runs.2 2>&1
done
# While it warms up for the second.
interrupt memfile_ubench -n 1k --warmup="$(enough memfile_ubench)"
"$HELPERS/json_get" out.jsonl runs.1 2>&1
left
