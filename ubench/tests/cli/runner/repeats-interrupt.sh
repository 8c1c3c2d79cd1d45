# shellcheck shell=sh source=lib.sh
# Somebody loses patience in the second of three runs: the first one counts.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench json_get

# interrupt TOO-LATE N RUNNER OPTION...: as soon as the bar on standard error tells
# that it is the second run; again, and N four times as large, if it never told, or if
# what has TOO-LATE for its place in the result was begun before the signal came.  %N
# in an option stands for N.  Between the second and the third is too late, too.
interrupt() {
    too_late=$1 n=$2 runner=$3
    shift 3
    for _ in 1 2 3 4 5 6 7 8; do
        # shellcheck disable=SC2046 # words
        begin "$runner" -s no -R 3 -O out.jsonl $(printf "%s " "$@" | sed "s/%N/$n/")
        await in_second
        kill -s INT "$pid" 2>/dev/null
        finish >"$SCRATCH/finished"
        "$HELPERS/json_get" out.jsonl "$too_late" >"$SCRATCH/late" 2>&1 ||
            [ "$("$HELPERS/json_get" out.jsonl runs.1.incomplete 2>&1)" = false ] ||
            break
        n=$((n * 4))
    done
    cat "$SCRATCH/finished"
    "$HELPERS/json_get" out.jsonl incomplete error runs.0.incomplete
    cat "$SCRATCH/late"
}
in_second() {
    grep -q 'run 2/3' "$SCRATCH/err" || ! kill -0 "$pid" 2>/dev/null
}

for runner in memfile_ubench sqlite_ubench; do
    interrupt runs.2 10000 $runner -n %N
    "$HELPERS/json_get" out.jsonl runs.1.incomplete runs.1.phases.3.incomplete
done
# While it warms up for the second.
interrupt runs.1 20000 memfile_ubench -n 1k --warmup=%N
left
