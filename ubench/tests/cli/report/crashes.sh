# shellcheck shell=sh source=lib.sh
# What crashes lost, alone and beside the rates of the same settings.
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"

# rate FROM [MEMBER]...: a result of SQLite with these settings.
rate() {
    from=$1
    shift
    line sqlite power-safe 1 1000000000 '"facts":{"SQLite":"3.40.1"},' "$*" |
        sed "s/x=1/$from/"
}

# many N CELL LEVEL ...: so many crashes, no two of them the same.
many() {
    left=$1
    shift
    while [ "$left" -gt 0 ]; do
        crash "$@" '"seed":'"$left",
        left=$((left - 1))
    done
}

echo "== beside the rates: the same settings, version and groups alone"
{
    controls 2
    many 3 "wal full" 2 power-safe full kept 0 ""
    many 3 "wal full, threads" 2 power-safe full kept 0 ""
    rate full
    rate extra
    rate full '"labels":{"x":"1"},' | sed 's/3\.40\.1/3.41.0/'
    rate full | sed 's/"count"/"batch":"10","count"/'
    rate full '"labels":{"x":"2"},' | sed 's/3\.40\.1/3.40/'
} >out.jsonl
try ubench_report tables out.jsonl

echo "== a contradiction comes first, and the worst cell counts"
{
    cat out.jsonl
    many 1 "wal full, odd" 2 power-safe full lost 7 ""
    many 1 "wal full, odd" 2 power-safe full hole 3 ""
    many 1 "wal full, odd" 2 power-safe full corrupt 0 "" '"seed":9,' | sed 's/"leases.*/"check":""}/'
    echo '{"format":"ubench-crash/1","store":"sqlite","labels":{"cell":"wal full, odd","level":"2"},"verdict":"corrupt","why":"no start"}'
    echo '{"format":"ubench-crash/1","store":"sqlite","labels":{"cell":"wal full, odd","level":"2"},"verdict":"invalid","why":"no disk"}'
} >more.jsonl
try ubench_report tables --format=markdown more.jsonl
try ubench_report crashes --format=csv more.jsonl

echo "== without controls nothing is said; those of another campaign do not help"
many 2 "wal full" 2 power-safe full lost 5 "" >alone.jsonl
try ubench_report tables out.jsonl alone.jsonl
crash "writes" 2 process-safe write kept 0 "loses at 2" >>alone.jsonl
try ubench_report crashes alone.jsonl
try ubench_report crashes --format=csv alone.jsonl

echo "== a class promises nothing of the loss of its node"
{
    crash "standby" 4 power-safe full kept 0 "keeps at 4" '"seed":1,'
    crash "asynchronous" 4 power-safe local lost 2 "loses at 4" '"seed":2,'
    crash "cluster" 4 power-safe full lost 3 "" '"seed":3,'
} >nodes.jsonl
try ubench_report crashes nodes.jsonl
{
    rate full
    cat nodes.jsonl
} >out.jsonl
try ubench_report tables out.jsonl

echo "== lines that are no crashes"
{
    controls 1
    crash "" 1 power-safe full kept 0 ""
    crash "x" 9 power-safe full kept 0 ""
    crash "x" 1 very-safe full kept 0 ""
    crash "x" 1 "" "" kept 0 ""
    crash "x" 1 power-safe full fine 0 ""
    crash "x" 1 power-safe full kept -5 "" '"seed":-1,'
    crash "x" 1 power-safe full kept 99999999999 ""
    crash "x" 1 power-safe full kept '"many"' ""
    crash "x" 1 bounded other kept 0 ""
    echo '{"format":"ubench-crash/1","labels":[],"verdict":"kept"}'
    echo '{"format":"ubench-crash/1","store":3,"verdict":"kept"}'
    echo '{"format":"ubench-crash/1"'
} >bad.jsonl
try ubench_report crashes bad.jsonl
line sqlite bounded 1 1 >results.jsonl
try ubench_report crashes results.jsonl
