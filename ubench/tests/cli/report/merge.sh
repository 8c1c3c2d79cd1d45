# shellcheck shell=sh source=lib.sh
# The parts of a run become one line, which all commands read, or are refused.
. "$CLI/lib.sh"

# part NUMBER: of two; 20 renewals in 2 s, the second one begun a tenth later.
part() {
    printf '{"format":"ubench-result/1","program":"mysql_ubench","version":"0.1.0",'
    printf '"store":"mysql","started_at":"2026-01-02T03:04:0%sZ","incomplete":false,' "$1"
    printf '"error":"","warning":"","durability":{"class":"bounded","from":"x=1"},'
    printf '"parameters":{"count":"40","threads":"2","part":"%s/2",' "$1"
    printf '"workload":"renew","seed":"1"},"labels":{"agent":"host-%s"},' "$1"
    printf '"facts":{"MariaDB":"10.11","connection":"from host-%s"},' "$1"
    printf '"host":{"cpu":"a processor","kernel":"%s"},"parts":[{"number":%s,' "$1" "$1"
    printf '"of":2,"host":"host-%s","begun_us":1700000000%s01500,' "$1" "$1"
    printf '"common_us":1700000000%s00000,"error_us":120}],' "$1"
    printf '"runs":[{"together":true,%s"phases":[{"name":"renew",' "${2:-}"
    printf '"operations":20,"hits":20,"misses":0,"begun_ns":0,'
    printf '"elapsed_ns":2000000000,"latency":{"count":20,"sum_ns":2000,"min_ns":100,'
    printf '"max_ns":100,"mean_ns":100,"sd_ns":0,"buckets":[[100,20]]},"series":[]}],'
    printf '"verified":true,"leases_left":0,"digest":"%s000000000000001"}]}\n' "$1"
}

part 1 >one.jsonl
part 2 >two.jsonl
try ubench_report merge two.jsonl one.jsonl
"$BIN/ubench_report" merge two.jsonl one.jsonl >whole.jsonl
try ubench_report show whole.jsonl
try ubench_report tables whole.jsonl
try ubench_report answer whole.jsonl
try ubench_report compare whole.jsonl one.jsonl
"$BIN/ubench_report" page whole.jsonl | grep -c 'mysql'

echo "== a part is no result of the options that it has"
try ubench_report show one.jsonl
try ubench_report tables one.jsonl whole.jsonl

# refuse SED-EXPRESSION: what becomes of the second part by that.
refuse() {
    echo "== $1"
    sed "$1" two.jsonl >other.jsonl
    try ubench_report merge one.jsonl other.jsonl
}
echo "== what only one host says, and only one part is"
sed 's/"kernel":"1"/"kernel":"16"/; s/"warning":""/"warning":"noisy"/' one.jsonl >a.jsonl
sed 's/"kernel":"2"/"kernel":"6"/; s/"warning":""/"warning":"noise"/
    s/"verified":true/"verified":false/' two.jsonl >b.jsonl
"$BIN/ubench_report" merge a.jsonl b.jsonl |
    grep -o '"kernel":"[^"]*"\|"verified":[a-z]*\|"warning":"[^"]*"'

echo "== appended to a file whose last line was cut off"
{
    cat whole.jsonl
    printf '{"format":'
} >all.jsonl
try ubench_report merge -O all.jsonl one.jsonl two.jsonl
try ubench_report merge --output=/dev/full one.jsonl two.jsonl
wc -l <all.jsonl
tail -n 1 all.jsonl | cmp - whole.jsonl

echo "== what is refused"
try ubench_report merge
try ubench_report merge missing.jsonl
try ubench_report merge one.jsonl
try ubench_report merge two.jsonl
try ubench_report merge one.jsonl one.jsonl two.jsonl whole.jsonl
refuse 's/"parts":.*"runs"/"runs"/'
refuse 's/"number":2/"number":1/'
refuse 's/"of":2/"of":3/'
refuse 's/"number":2/"number":3/'
refuse 's/"threads":"2"/"threads":"4"/'
refuse 's/"seed":"1"/"seed":"2"/'
refuse 's/"10.11"/"11.4"/'
refuse 's/"x=1"/"x=2"/'
refuse 's/"0.1.0"/"0.2.0"/'
refuse 's/"incomplete":false,"error":""/"incomplete":true,"error":"it ended"/'
refuse 's/"name":"renew"/"name":"release"/'
refuse 's/"common_us":1700000000/"common_us":1700000009/'
refuse 's/"elapsed_ns":2000000000/"elapsed_ns":4000000000/'
refuse 's/"error_us":120//; s/,}/}/'

trial() {
    printf '"trials":[{"stage":"single","rate_per_s":10,"duration_ns":2000000000,'
    printf '"deadline_ns":1000000000,"queue":8,"elapsed_ns":2000000000,"offered":20,'
    printf '"answered":20,"late":0,"dropped":0,"failed":0,"unanswered":0,'
    printf '"in_time_per_s":10,"invalid":%s}],"closed_loop":{"rate_per_s":90},' "$1"
}
echo "== an open loop that did not keep its schedule"
part 1 "$(trial null)" >one.jsonl
part 2 "$(trial null)" >two.jsonl
"$BIN/ubench_report" merge one.jsonl two.jsonl | grep -o '"rate_per_s":[0-9.]*' # both
part 2 "$(trial '"it was too slow"')" >two.jsonl
try ubench_report merge one.jsonl two.jsonl
