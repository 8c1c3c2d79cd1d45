# shellcheck shell=sh source=lib.sh
# What a runner printed is printed again from the line that it wrote, byte for
# byte, whatever it ran.
. "$CLI/lib.sh"
need null_ubench memfile_ubench sqlite_ubench
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"

# shown RUNNER OPTION...: runs it and compares.
shown() {
    program=$1
    shift
    rm -f line.jsonl
    "$BIN/$program" --progress=none -O line.jsonl "$@" >printed 2>errors ||
        sed "s/^/$program $*: /" errors
    "$BIN/ubench_report" show line.jsonl >shown
    cmp printed shown && echo "$program $*: $(grep -c . shown) lines" |
        sed 's/: [1-9][0-9]* lines/: the same/'
    cat line.jsonl >>all.jsonl
}

shown null_ubench -n 300
shown memfile_ubench -s no -n 20000 -t 2 -b 7 -R 3 --label where=here
shown sqlite_ubench -s no -n 100 --latency=off -v no
shown memfile_ubench -s no -n 300 -w dora --probes=3 -t 2
shown memfile_ubench -s no -n 20000 -w steady -R 2
shown memfile_ubench -s no -n 100 -6 -w sarr
shown memfile_ubench -s no -n 20 -w fill --pool 400
shown memfile_ubench -s no -n 200 -w churn --preload=50
shown memfile_ubench -s no -w dora --rate 500 -R 2 --duration 200ms
shown memfile_ubench -s no -w renew --rate 20 --duration 200ms --hook-delay 80ms --hook pool:3
shown memfile_ubench -s no -w steady --find-rate --duration 100ms
shown memfile_ubench -s no -w storm --clients 500

# One that was interrupted.
begin memfile_ubench -s no -n 100M --progress=bar -O cut.jsonl
await shows create
kill -s INT "$pid"
finish >printed
"$BIN/ubench_report" show - <cut.jsonl >shown
sed '$d' printed | cmp - shown && echo "interrupted: the same"

echo "== of several, each, or one"
"$BIN/ubench_report" show all.jsonl | grep -c '^verified'
"$BIN/ubench_report" show --line=3 all.jsonl | grep -c '^verified'
try ubench_report show --line=99 all.jsonl
try ubench_report show missing.jsonl
printf '{"format":"ubench-crash/1"}\n' >crash.jsonl
try ubench_report show crash.jsonl

echo "== of others, and what a runner never writes"
cp "$CLI/../../../results/guide-2012.jsonl" .
try ubench_report show --line=1 guide-2012.jsonl
line sqlite bounded 1 2000000000 |
    sed 's/\("runs":\[\)\(.*\)]}/\1\2,{"phases":[{"name":"create","operations":1,"elapsed_ns":1}]}]}/' >odd.jsonl
try ubench_report show odd.jsonl
line sqlite bounded 1 2000000000 | try ubench_report show -
