# shellcheck shell=sh source=lib.sh
# Figures of others against the schemas.
. "$CLI/lib.sh"
python3 -c 'import jsonschema' 2>/dev/null ||
    skip "python3-jsonschema is not installed"
results=$CLI/../../../results

# check FILE [SCHEMA]
check() {
    python3 -B -c '
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for line in open(sys.argv[2]):
    valid = jsonschema.Draft7Validator(schema).is_valid(json.loads(line))
    print("right" if valid else "wrong")' \
        "$results/${2:-published}.schema.json" "$1"
}
check "$results/guide-2012.jsonl"
sed -n '1s/"class":null/"class":"bounded"/p' "$results/guide-2012.jsonl" >spoilt
check spoilt
sed -n '1s/"elapsed_ns"/"elapsed"/p' "$results/guide-2012.jsonl" >spoilt
check spoilt
check "$results/kea-2.0-isc.jsonl" kea
sed -n '1s/"granted"/"given"/;1s/"rate":/"speed":/p' "$results/kea-2.0-isc.jsonl" >spoilt
check spoilt kea
