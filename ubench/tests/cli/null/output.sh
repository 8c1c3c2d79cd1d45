# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
quietly() {
    try null_ubench -v no "$@" | grep "^[\$2e]"
}
quietly -n 100 -O out.jsonl
quietly -n 200 --seed=7 --output=out.jsonl
json_get out.jsonl
json_get out.jsonl format program store incomplete error \
    parameters.count parameters.seed parameters.output runs.0.phases.3.name \
    runs.0.phases.3.operations runs.0.phases.3.incomplete durability.class runs.0.verified
# Found out after it: nothing may be lost without a word.
quietly -O /dev/full
json_get out.jsonl
left
