# shellcheck shell=sh source=lib.sh
# Lines of crashes against results/crash.schema.json.
. "$CLI/lib.sh"
need memfile_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
python3 -c 'import jsonschema' 2>/dev/null ||
    skip "python3-jsonschema is not installed"

# check FILE: how many lines are right, how many wrong.
check() {
    python3 -B -c '
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
lines = [json.loads(line) for line in open(sys.argv[2])]
right = sum(validator.is_valid(line) for line in lines)
print(right, "right,", len(lines) - right, "wrong")' \
        "$CLI/../../../results/crash.schema.json" "$1"
}
"$CLI/../../../scripts/crash.sh" -o out.jsonl -n 2 -l 1 'memfile kea*' \
    >/dev/null 2>&1
grep -c ubench-result/1 out.jsonl
grep ubench-crash/1 out.jsonl | grep -v '"verdict":"invalid"' >crashes
check crashes
sed 's/"verdict":"[a-z]*"/"verdict":"safe"/' crashes >spoilt
check spoilt
sed 's/"window_ns":[0-9]*,//' crashes >spoilt
check spoilt
echo '{"format":"ubench-crash/1","store":"pgsql","labels":{},"verdict":"invalid","why":"x"}' >spoilt
check spoilt
