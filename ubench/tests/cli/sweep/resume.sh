# shellcheck shell=sh source=lib-sweep.sh
# Interrupted, killed, torn: each run is there in the end, and once.
. "$CLI/lib-sweep.sh"
slow_down memfile_ubench

interrupt_it() {
    interrupt "$1" -n 500 -r 4 -s yes,no --store memfile \
        --reference 'null -n 10' --campaign mine
}

interrupt_it TERM
interrupt_it KILL
# As if the machine had stopped within a write; and the run that was done, but
# not written down.  The order of a line's members is nothing to rely on.
flock out.jsonl.sweep/runner.lock true
head -n 1 out.jsonl >out.jsonl.sweep/run.jsonl
cp out.jsonl.sweep/run.jsonl "$SCRATCH/first"
tail -n +2 out.jsonl >"$SCRATCH/rest"
jq -cS . "$SCRATCH/rest" >out.jsonl
printf '{"format":"ubench-result/1","program":"memf' >>out.jsonl
sweep --resume out.jsonl.sweep | sed '/^  .*ubench_report/d' | tail -n 4
runs out.jsonl | cut -d ' ' -f 1,2 | uniq -c | awk '{ print $1, $2 "." $3 }' | tr '\n' ' '
echo
runs out.jsonl | cut -d ' ' -f 3- | sort | uniq -c
"$HELPERS/json_get" out.jsonl
# That very run, and not another one in its place.
grep -cxFf "$SCRATCH/first" out.jsonl
# What runs before the interruptions took is remembered.
jq '[.cells[].seconds[]?] | length > 0' out.jsonl.sweep/sweep.json
left
