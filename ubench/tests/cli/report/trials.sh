# shellcheck shell=sh source=lib.sh
# Results of open loops have tables of their own.
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"

# trial STAGE RATE BAD GREW INVALID: 1000 requests, that share
# of them late.
trial() {
    late=$3
    [ "$late" = 0 ] || late=${3#0.}00
    printf '{"stage":"%s","rate_per_s":%s,"elapsed_ns":10000000000,' "$1" "$2"
    printf '"deadline_ns":1000000000,"offered":1000,"late":%s,"dropped":2,' "$late"
    printf '"failed":1,"unanswered":0,"in_time_per_s":97.5,"bad_share":%s,' "$3"
    printf '"grew":%s,"invalid":%s,"response":{"count":1000,"sum_ns":2500000000,' "$4" "$5"
    printf '"min_ns":1000000,"max_ns":9000000,"p50_ns":2500000,"p99_ns":5000000,'
    printf '"p99.9_ns":null,"buckets":[[999424,999],[8978432,1]]}}'
}

# open STORE CLASS THREADS MEMBERS: a run with these.
open() {
    line "$1" "$2" "$3" 1000000000 |
        sed 's/"create"/"renew"/; s/,{"name":"search".*/]}]}/
            s/"runs":\[{/&'"$4"',/'
}

low='"low_per_s":90.5,"high_per_s":95,"in_time_per_s":90.25,"verified":true,"invalid":false'
none='"low_per_s":null,"high_per_s":10,"in_time_per_s":null,"verified":false,"invalid":true'
storm='"storm":{"clients":300,"served":300,"sent":344,"served_50_ns":1000000,"served_99_ns":2000000000'
{
    open sqlite bounded 1 '"trials":['"$(trial single 100 0 false null)"']'
    open sqlite bounded 1 '"trials":['"$(trial single 200 0.5 true null)"']' | sed 's/"count"/"rate":"200","count"/'
    open mysql bounded 1 '"trials":['"$(trial single 100 0 false '"slow"')"']'
    open mysql bounded 2 '"trials":['"$(trial single 100 0.1 false null)"']'
    open sqlite power-safe 1 '"trials":['"$(trial coarse 95 0.1 false null),$(trial verify 90.5 0 false null)"'],"goals":[{"goal":"1 % in 3 s",'"$low"'},{"goal":"2.5 % in 2 s",'"$none"'}]'
    open pgsql power-safe 1 '"trials":['"$(trial single null 0 false null)"'],'"$storm"',"served_100_ns":null},"predicted":{'"$storm"',"served_100_ns":3000000000}}'
} >out.jsonl
try ubench_report tables out.jsonl
line sqlite bounded 1 2000000000 >closed.jsonl
try ubench_report tables --format=markdown closed.jsonl out.jsonl
try ubench_report tables --format=csv closed.jsonl out.jsonl

echo "== lines that are not whole"
{
    open mysql bounded 1 '"trials":{}'
    open mysql bounded 2 '"trials":[3]'
    open mysql bounded 3 '"trials":[{"stage":"single","elapsed_ns":-1}]'
    open mysql bounded 4 '"trials":[],"goals":[{"verified":"yes"}]'
    open mysql bounded 5 '"trials":[],"storm":{"clients":"many"}'
    open mysql bounded 6 '"trials":[],"storm":3'
    open mysql bounded 7 '"trials":[]'
    open mysql bounded 8 '"trials":['"$(trial single 100 0 false null | sed 's/}$/,"seconds":[[1,2,3]]}/')"']'
} >bad.jsonl
try ubench_report tables bad.jsonl

echo "== on a page they have a section of their own"
command -v python3 >/dev/null || exit 0
{
    line sqlite power-safe 1 1000000000 '"facts":{"SQLite":"3.40.1"},' | sed 's/x=1/full/'
    controls 2
    crash '<b>full</b>' 2 power-safe full lost 9 ""
} >crashes.jsonl
PATH=/nonexistent "$BIN/ubench_report" page out.jsonl crashes.jsonl >page.html 2>err
python3 "$CLI/../lib/check_page.py" page.html
grep -o 'CONTRADICTION: .*crashes at .*[0-9]' page.html
grep -o 'lossy crashes: [^<]*' page.html

echo "== a search that was interrupted has not failed to confirm anything"
open sqlite bounded 1 '"incomplete":true,"trials":[],"goals":[{"goal":"1 % in 3 s",'"$low"'}]' >cut.jsonl
try ubench_report tables cut.jsonl
PATH=/nonexistent "$BIN/ubench_report" page cut.jsonl >page.html 2>err
grep -o '<td data-name="verdict">[^<]*' page.html
