# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"
# shellcheck source=lib-page.sh
. "$CLI/lib-page.sh"
command -v python3 >/dev/null || skip "there is no python3"
command -v chromedriver >/dev/null || skip "there is no chromedriver"

# use FILE...: makes a page and uses it in a browser.
use() {
    page "$@"
    /usr/bin/python3 -B "$CLI/../lib/check_browser.py" page.html 2>>"$SCRATCH/slow"
    case $? in 77) skip "there is no selenium" ;; esac
}

# Rates of each phase, and over what varies: threads.
{
    line memfile power-safe 1 1000000000
    line memfile power-safe 1 2000000000
    line memfile power-safe 4 500000000
    line sqlite power-safe 1 100000000
    line sqlite power-safe 4 90000000
} >out.jsonl
use out.jsonl

# The answer, for sites of several sizes.
renewals() {
    line "$1" power-safe 1 "$2" '"facts":{"'"$1"'":"1"},' |
        sed 's/"count"/"workload":"renew","preload":"100000000","count"/; s/"create"/"renew"/; s/,{"name":"search".*/]}]}/'
}
{
    renewals sqlite 2000000000
    renewals memfile 1000000
} >renewals.jsonl
use renewals.jsonl

# History: the same on three days and with two versions.
{
    line mysql bounded 1 1000000000 '"started_at":"2026-01-01T00:00:00Z",'
    line mysql bounded 1 2000000000 '"started_at":"2026-01-02T00:00:00Z",'
    line mysql bounded 1 3000000000 '"started_at":"2026-01-03T00:00:00Z",' |
        sed 's/"0.1.0"/"0.2.0"/'
} >history.jsonl
use history.jsonl

# Other workloads, mixed ones too.
line mysql bounded 1 2000000000 |
    sed 's/"runs":\[{/&"together":true,/; s/create/dora/; s/search/renew/
        s/"elapsed_ns":200000000}/"elapsed_ns":2000000000}/' >mix.jsonl
use out.jsonl mix.jsonl

# Open loops: responses over the rate with the deadline, by percentile, and
# answers second by second, also of a storm.
open() {
    line "$1" bounded 1 1000000000 |
        sed 's/"create"/"renew"/; s/,{"name":"search".*/]}]}/; s/"runs":\[{/&'"$2"',/'
}
trial() {
    printf '{"stage":"single","rate_per_s":%s,"elapsed_ns":3000000000,' "$1"
    printf '"deadline_ns":1000000000,"offered":1000,"late":10,"dropped":2,'
    printf '"failed":1,"unanswered":0,"in_time_per_s":97.5,"bad_share":0.1,'
    printf '"grew":false,"invalid":null,"response":{"count":1000,"sum_ns":%s,' 1999000001
    printf '"min_ns":1000000,"max_ns":1000000001,"p50_ns":1000000,"p99_ns":5000000,'
    printf '"p99.9_ns":null,"buckets":[[999424,999],[998244352,1]]},'
    printf '"seconds":[[500,0,2000000],[0,0,0],[497,10,1000000001]]}'
}
storm='"clients":300,"served":300,"sent":344,"retransmitted":44,"served_50_ns":1000000,"served_99_ns":2000000000'
{
    open sqlite '"trials":['"$(trial 100)"']'
    open sqlite '"trials":['"$(trial 200)"']' | sed 's/"count"/"rate":"200","count"/'
    open sqlite '"trials":['"$(trial 300)"']' |
        sed 's/"count"/"workload":"dora","count"/; s/"renew"/"dora"/'
    open mysql '"trials":['"$(trial null)"'],"storm":{'"$storm"',"served_100_ns":2500000000},"predicted":{"storm":{'"$storm"',"served_100_ns":null},"seconds":[[300,0,1000000]]}'
    open mysql '"trials":['"$(trial null)"'],"storm":{'"$storm"',"served_100_ns":null}' | sed 's/"count"/"t":"2","count"/'
} >open.jsonl
use open.jsonl out.jsonl

# Durability settings lead through classes, with what crashes took; seconds, with a
# stall, which zoom.
setting() {
    line sqlite "$1" 1 $((1000000000 * (4 - $2))) \
        '"facts":{"SQLite":"3.40.1","synchronous":"'"$2"'"},' | sed "s/x=1/sync $2/
        s/\"elapsed_ns\":/\"series\":[[500,1],[500,1],[4,1],[500,1],[500,1],[7,1]],&/"
}
{
    setting volatile 0
    setting process-safe 1
    setting power-safe 2
    controls 2
    crash "sync 1" 2 process-safe "sync 1" lost 30 "" '"seed":9,'
} >settings.jsonl
use settings.jsonl
grep -o '"loss":"[^"]*"' page.html

# Whole servers, beside a store and what others published.
{
    server pgsql power-safe 1 1000 0.4 0.8
    server pgsql power-safe 4 2000 0.8 1.6
    server memfile process-safe 1 8000 3.2 0
    line pgsql power-safe 1 1000000000
} >servers.jsonl
use servers.jsonl "$CLI/../../../results/kea-2.0-isc.jsonl" | sed "s|$CLI/../../../||"
grep -o 'processor time for each lease: [^\\]*' page.html

# What real runners write, with latencies and seconds; and the guide's figures.
for store in memfile sqlite; do
    [ ! -x "$BIN/${store}_ubench" ] ||
        "$BIN/${store}_ubench" -n 3000 -s no -R 2 -v no -O real.jsonl >/dev/null
done
use real.jsonl | grep -v "hover:\|figure:\|axes"

# Nothing that texts say is run, and a picture holds them all the same.
hostile >hostile.jsonl
use hostile.jsonl
[ ! -e owned ] || echo "it was OWNED"

# A thousand configurations.
i=0
while [ $i -lt 1000 ]; do
    line mysql bounded $i $((1000000000 + i * 1000))
    i=$((i + 1))
done >many.jsonl
use many.jsonl
