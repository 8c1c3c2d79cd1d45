# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What the cases of ubench_report compare share: result lines made by hand.
. "$CLI/lib.sh"
need ubench_report
clock=0

# result STORE CLASS PARAMETERS LABELS MS...: a line with a run of 1000 creates
# for each MS that they take; 1000 deletes take half of it, and a millionth more
# in each run.  PARAMETERS and LABELS are members with a comma before each.
result() {
    store=$1 class=$2 parameters=$3 labels=$4
    shift 4
    clock=$((clock + 1))
    printf '{"format":"ubench-result/1","program":"%s_ubench",' "$store"
    printf '"version":"0.1.0","store":"%s","started_at":' "$store"
    printf '"2026-01-02T03:%02d:%02dZ","durability":{"class":"%s",' \
        $((clock / 60)) $((clock % 60)) "$class"
    printf '"from":"x=1"},"parameters":{"count":"1000"%s},' "$parameters"
    printf '"labels":{"note":"none"%s},"runs":[' "$labels"
    separator=
    for ms; do
        clock=$((clock + 1))
        printf '%s{"phases":[' "$separator"
        printf '{"name":"create","operations":1000,"elapsed_ns":%s},' \
            "${ms}000000"
        printf '{"name":"delete","operations":1000,"elapsed_ns":%s}]}' \
            "$((ms * 500000 + clock))"
        separator=,
    done
    printf ']}\n'
}

# block N THREADS MS_BASELINE MS_CANDIDATE: a block of a campaign, sync=yes and
# sync=server, which are of the same class here.
block() {
    result mysql power-safe ",\"threads\":\"$2\",\"sync\":\"yes\"" \
        ",\"campaign\":\"c\",\"block\":\"$1\"" "$3"
    result mysql power-safe ",\"threads\":\"$2\",\"sync\":\"server\"" \
        ",\"campaign\":\"c\",\"block\":\"$1\"" "$4"
}
