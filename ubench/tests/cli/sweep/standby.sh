# shellcheck shell=sh source=lib.sh
# What standby.jq makes of results of the sweep @standby: a row for each campaign, in the
# order of time; references and other settings are left alone.
. "$CLI/lib.sh"
command -v jq >/dev/null || skip "there is no jq"

# run CAMPAIGN TIME ROLE COMMIT TRIP LATENCY: a line; times in microseconds.
run() {
    printf '{"labels":{"role":"%s","campaign":"%s"},"started_at":"%s","parameters":{"set":
        "synchronous_commit=%s"},"floors":{"round_trip_ns":%s000},"runs":[{"phases":[{"latency":
        {"count":4,"buckets":[[%s000,2],[99000000,2]]}}]}]}' "$3" "$1" "$2" "$4" "$5" "$6"
}
{
    run 2ms 11:00 cell local 4000 5000
    run 2ms 11:01 cell remote_write 4100 9000
    run 2ms 11:02 cell on 4200 10010
    run 2ms 11:03 cell on 4000 9120
    run 2ms 11:04 cell on 4000 9100
    run 2ms 11:05 reference on 1 1
} >late.jsonl
for commit in local remote_write on remote_apply; do
    run 0 10:00 cell $commit 100 1000
done >early.jsonl
jq -rs -f "$CLI/../../../scripts/standby.jq" late.jsonl early.jsonl
