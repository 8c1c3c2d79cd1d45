# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"
# shellcheck source=lib-page.sh
. "$CLI/lib-page.sh"
command -v python3 >/dev/null || skip "there is no python3"
command -v gnuplot >/dev/null || skip "there is no gnuplot"

# Rates of each phase, and over what varies: threads.
{
    line memfile power-safe 1 1000000000
    line memfile power-safe 1 2000000000
    line memfile power-safe 4 500000000
    line sqlite power-safe 1 100000000
    line sqlite power-safe 4 90000000
} >out.jsonl
page out.jsonl

# History: the same on three days and with two versions.
{
    line mysql bounded 1 1000000000 '"started_at":"2026-01-01T00:00:00Z",'
    line mysql bounded 1 2000000000 '"started_at":"2026-01-02T00:00:00Z",'
    line mysql bounded 1 3000000000 '"started_at":"2026-01-03T00:00:00Z",' |
        sed 's/"0.1.0"/"0.2.0"/'
} >history.jsonl
page history.jsonl
grep -o '<li>.*</li>' page.html

# Other workloads, mixed ones too.
line mysql bounded 1 2000000000 |
    sed 's/"runs":\[{/&"together":true,/; s/create/dora/; s/search/renew/
        s/"elapsed_ns":200000000}/"elapsed_ns":2000000000}/' >mix.jsonl
page out.jsonl mix.jsonl

# What real runners write, with latencies and seconds; and the guide's figures.
for store in memfile sqlite; do
    [ ! -x "$BIN/${store}_ubench" ] ||
        "$BIN/${store}_ubench" -n 3000 -s no -R 2 -v no -O real.jsonl >/dev/null
done
page real.jsonl | sed -n '1,2p; /WRONG/p; /Latency/p'

# Nothing that texts say is run, and a picture holds them all the same.
hostile >hostile.jsonl
page hostile.jsonl
[ ! -e owned ] || echo "it was OWNED"

# Thousands of lines do not make thousands of charts.
i=0
while [ $i -lt 1000 ]; do
    line mysql bounded $i $((1000000000 + i * 1000))
    i=$((i + 1))
done >many.jsonl
page many.jsonl
grep -o 'Left out: [^;.]*' page.html
