# shellcheck shell=sh source=lib-sweep.sh
# Interrupted, killed, torn: each run is there in the end, and once.
. "$CLI/lib-sweep.sh"

lines() {
    find . -name out.jsonl -exec cat {} + | wc -l
}

one_more() {
    [ "$(lines)" -gt "$before" ]
}

# interrupt SIGNAL: the command in the background, and the signal when one more run
# is done.
interrupt() {
    before=$(lines)
    "$CLI/../../../scripts/sweep.sh" -n 500 -r 4 -s yes,no --store memfile \
        --reference 'null -n 10' --campaign mine -O out.jsonl \
        >"$SCRATCH/out" 2>"$SCRATCH/err" &
    pid=$!
    await one_more
    kill -s "$1" "$pid"
    wait "$pid" 2>/dev/null
    echo "exit $?"
    grep -v waiting "$SCRATCH/err"
}

interrupt TERM
interrupt KILL
# As if the machine had stopped within a write; and the run that was done, but
# not written down.
flock out.jsonl.sweep/runner.lock true
head -n 1 out.jsonl >out.jsonl.sweep/run.jsonl
cp out.jsonl.sweep/run.jsonl "$SCRATCH/first"
tail -n +2 out.jsonl >"$SCRATCH/rest"
cat "$SCRATCH/rest" >out.jsonl
printf '{"format":"ubench-result/1","program":"memf' >>out.jsonl
sweep --resume out.jsonl.sweep | tail -n 6 | sed '/^  .*ubench_report/d'
runs out.jsonl | cut -d ' ' -f 1,2 | uniq -c | awk '{ print $1, $2 "." $3 }' | tr '\n' ' '
echo
runs out.jsonl | cut -d ' ' -f 3- | sort | uniq -c
"$HELPERS/json_get" out.jsonl
# That very run, and not another one in its place.
grep -cxFf "$SCRATCH/first" out.jsonl
left
