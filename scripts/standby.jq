# What a create costs that waits for a standby, beside one server's time and a round trip:
# jq -rs -f scripts/standby.jq FILE...; of results of the sweep @standby, a row for each
# --campaign, in milliseconds: what a quarter of a run's creates was faster than, which
# other work on the machine disturbs less than their mean, and of that the runs' median.
def median: sort | .[length / 2 | floor] / 1e6;
def quartile: (.count / 4) as $rank | reduce .buckets[] as [$low, $count] ([0, null];
    if .[0] < $rank then [.[0] + $count, $low] else . end) | .[1];
def create($commit): map(select(.parameters.set == "synchronous_commit=" + $commit)
    | .runs[].phases[0].latency | quartile) | median;
def cell: if type == "number" then . * 100 | round / 100 else . end
    | tostring | . + " " * (14 - length);
def row: map(cell) | add | sub(" +$"; "");
(["delay", "one server", "round trip", "both", "remote_write", "of both", "on", "of both"] | row),
(map(select(.labels.role == "cell")) | group_by(.labels.campaign)
    | sort_by(.[0].started_at)[]
    | create("local") as $one | (map(.floors.round_trip_ns) | median) as $trip
    | create("remote_write") as $written | create("on") as $on
    | [.[0].labels.campaign, $one, $trip, $one + $trip,
        $written, $written / ($one + $trip), $on, $on / ($one + $trip)]
    | row)
