# shellcheck shell=sh source=lib.sh
# Real lines of --output against results/schema.json, and their figures against
# what results/README.md says of them.
. "$CLI/lib.sh"
need null_ubench memfile_ubench sqlite_ubench
python3 -c 'import jsonschema' 2>/dev/null ||
    skip "python3-jsonschema is not installed"

check() {
    python3 -B "$CLI/../lib/check_results.py" \
        "$CLI/../../../results/schema.json" "$@"
}

# all RUNNER [OPTION]...: lines of every kind.
all() {
    runner=$1
    shift
    for options in "-n 1" "-n 2000" "-n 300 -t 4" "-n 300 -b 7 --warmup=10" \
        "-n 300 -t 3 -b 7 -R 3" "-n 100 -b 7 --latency=off --seed=9"; do
        # shellcheck disable=SC2086 # words
        "$BIN/$runner" -v no -O out.jsonl "$@" $options >/dev/null ||
            echo "$runner $* $options: exit $?"
    done
    begin "$runner" "$@" -n 100M -t 2 -O out.jsonl
    await shows create
    kill -s INT "$pid"
    finish >"$SCRATCH/finished"
    tail -n 1 "$SCRATCH/finished"
}

all null_ubench
all memfile_ubench -s no
all sqlite_ubench -s no
"$BIN/memfile_ubench" -v no -n 20 -t 4 -L guide -S kea -O out.jsonl >/dev/null
"$BIN/sqlite_ubench" -v no -n 20 -t 2 -b 4 --preload=5 -O out.jsonl >/dev/null
# What a DHCP server asks.
for options in "-w dora --probes=3 -t 2" "-6 -w sarr" "-w steady -t 3 -R 3 --warmup=20" \
    "-w guests -t 2 --latency=off" "-w reclaim=2,purge=3,decline=1 -n 20"; do
    for runner in null_ubench 'memfile_ubench -s no' 'sqlite_ubench -s no'; do
        # shellcheck disable=SC2086 # words
        "$BIN/"$runner -v no -n 300 -O out.jsonl $options >/dev/null ||
            echo "$runner $options: exit $?"
    done
done
begin memfile_ubench -s no -n 100M -w renew -t 2 -O out.jsonl
await shows exchange # the clients have their leases
kill -s INT "$pid"
finish >"$SCRATCH/finished"
tail -n 1 "$SCRATCH/finished"
for options in "dora --rate 100 -R 2 --duration 200ms" \
    "steady --find-rate -t 2 --duration 100ms" "storm --clients 500" \
    "renew --rate 20 --duration 200ms --hook-delay 80ms --hook pool:3" \
    "fill --pool 400" "churn --preload=50 -n 200" "dora --hosts 20"; do
    # shellcheck disable=SC2086 # words
    "$BIN/memfile_ubench" -v no -s no -O out.jsonl \
        -w $options >/dev/null || echo "$options: exit $?"
done
check out.jsonl

# spoil PATTERN/REPLACEMENT: what is wrong is noticed; messages differ among the
# versions of jsonschema.
spoil() {
    sed -n "2s/$1/p" out.jsonl >spoilt.jsonl
    echo "$1"
    check spoilt.jsonl | sed -n 1p
}
spoil '"hits":2000/"hits":1999'
spoil '"hits"/"hit"'
spoil '"store"/"shop":"x","store"'
spoil '"seed"/"password":"x","seed"'
spoil '"digest":"./"digest":"'
spoil '"incomplete":false,"err/"incomplete":true,"err'
spoil '"buckets":\[\[[0-9]*,/&1'
spoil_open() {
    sed -n "/trials/{s/$1/p;q;}" out.jsonl >spoilt.jsonl
    echo "$1"
    check spoilt.jsonl | sed -n 1p
}
spoil_open '"answered":[0-9]*/"answered":7'
spoil_open '"dropped"/"lost"'
spoil '}$/'
