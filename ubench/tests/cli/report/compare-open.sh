# shellcheck shell=sh source=lib-compare.sh
# Open loops: rates that were searched for are compared with their like, never
# with a phase, and responses where the same rate was asked for.
. "$CLI/lib-compare.sh"

# search LOW HIGH [VERIFIED [INVALID [OTHER_HIGH]]]: a run that searched; the second limit has
# ten times the rates.
search() {
    printf '{"trials":[],"goals":['
    printf '{"goal":"1 %% in 3 s","low_per_s":%s,"high_per_s":%s,' "$1" "$2"
    printf '"verified":%s,"invalid":%s},' "${3:-true}" "${4:-false}"
    printf '{"goal":"2.5 %% in 2 s","low_per_s":%s,"high_per_s":%s,' "${1}0" "${5:-${2}0}"
    printf '"verified":true,"invalid":false}],"phases":[{"name":"renew","operations":9,"elapsed_ns":9}]}'
}

# trial RATE P99 DROPPED INVALID: a run at a rate; half of 2,000 responses took P99 ns.
trial() {
    width=1
    while [ $(($2 / width)) -ge 256 ]; do
        width=$((2 * width))
    done
    printf '{"trials":[{"stage":"single","rate_per_s":%s,"elapsed_ns":9,' "$1"
    printf '"deadline_ns":9,"offered":9,"late":1,"dropped":%s,"failed":0,' "$3"
    printf '"unanswered":0,"in_time_per_s":%s,"bad_share":0.1,' "$1"
    printf '"grew":false,"invalid":%s,"response":{"count":2000,"sum_ns":%s,' "$4" \
        $((1000 + 1000 * $2))
    printf '"min_ns":1,"max_ns":%s,"buckets":[[1,1000],[%s,1000]]}}],' "$2" $(($2 / width * width))
    printf '"phases":[{"name":"renew","operations":9,"elapsed_ns":9}]}'
}

# open RUN...: a line with these runs; STORE and MORE parameters are variables.
STORE=mysql MORE=''
open() {
    runs=
    for run; do
        runs="$runs${runs:+,}$run"
    done
    result "$STORE" power-safe "$MORE" '' 100 |
        awk -v runs="$runs" '{ print substr($0, 1, index($0, "\"runs\":[") + 7) runs "]}" }'
}

# One search each: no more than whether the brackets overlap.
open "$(search 100 105)" >one.jsonl
open "$(search 103 108)" >overlaps.jsonl
open "$(search 120 126)" >apart.jsonl
try ubench_report compare one.jsonl overlaps.jsonl
try ubench_report compare --fail-on-regression one.jsonl apart.jsonl
try ubench_report compare --format=csv apart.jsonl one.jsonl

# Several: as with phases, but a difference within a bracket is none.
six() {
    open "$(search "$1" "$2")" "$(search "$3" "$4")" "$(search "$1" "$2")" \
        "$(search "$3" "$4")" "$(search "$1" "$2")" "$(search "$3" "$4")"
}
six 100 105 101 106 >six.jsonl
six 104 109 105 110 >near.jsonl
six 80 84 81 85 >worse.jsonl
try ubench_report compare --phases='1 % in 3 s' six.jsonl near.jsonl
try ubench_report compare --fail-on-regression --format=markdown six.jsonl worse.jsonl

# Phases are beside them, and never mixed; what was not confirmed, or was the
# machine's limit, is left out.
{
    result mysql power-safe '' '' 100
    cat one.jsonl
    open "$(search 50 55 false)" "$(search 50 55 true true)" \
        "$(search 50 55 false false null)"
} >both.jsonl
{
    cat apart.jsonl
    result mysql power-safe '' '' 110
} >other.jsonl
try ubench_report compare both.jsonl other.jsonl

# At a rate: responses, where all had one and the rate is the same.
{
    open "$(trial 100 2000 0 null)" "$(trial 100 9000 1 null)" "$(trial 100 9000 0 '"slow"')"
} >at.jsonl
open "$(trial 100 3000 0 null)" >at-same.jsonl
open "$(trial 200 3000 0 null)" >at-other.jsonl
try ubench_report compare --figure=p99 at.jsonl at-same.jsonl
try ubench_report compare --figure=p99 at.jsonl at-other.jsonl
try ubench_report compare at.jsonl at-same.jsonl
try ubench_report compare --figure=p99 one.jsonl apart.jsonl
try ubench_report compare one.jsonl one.jsonl

# Exchanges of a closed loop are no operations; where some cases are these and
# others those, the table's unit is neither's.
open '{"together":true,"phases":[{"name":"renew","operations":9,"elapsed_ns":9}]}' >exchanges.jsonl
result mysql power-safe ',"threads":"4"' '' 100 | cat exchanges.jsonl - >both.jsonl
sed 's/T03:/T04:/' exchanges.jsonl >later.jsonl
sed 's/T03:/T04:/' both.jsonl >both-later.jsonl
try ubench_report compare exchanges.jsonl later.jsonl | grep 'renew\|baseline \['
try ubench_report compare both.jsonl both-later.jsonl | grep 'renew\|create\|baseline \['
