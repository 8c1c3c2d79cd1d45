#!/bin/sh
# SPDX-License-Identifier: ISC
# records.sh [--update]: a run of every kind of workload, as text and as a line, on
# the stores that need no server; see record.sh and lib.sh.
. "$(dirname "$0")/record.sh"

phases() {
    record phases-null null_ubench -n 50
    record phases-memfile memfile_ubench -n 50 -s no -v full
    record phases-sqlite sqlite_ubench -n 50 -s no
    record phases-kea sqlite_ubench -n 50 -s no -S kea --search-by hwaddr --subnets 3
    record phases-v6 sqlite_ubench -6 -n 50 -s no --search-by client-id
    record phases-batch sqlite_ubench -n 50 -s no --batch 7 -v full
    record phases-threads memfile_ubench -n 50 -s no -t 4 --latency off
    record phases-preload memfile_ubench -n 1500 -s no --preload 100 -H 0.5 --seed 7
    record phases-guide memfile_ubench -n 50 -s no -L guide -v no
    record phases-repeat memfile_ubench -n 50 -s no -R 4 --warmup 1 --label a=b --label c=d \
        -v full
    record churn memfile_ubench -n 50 -s no -w churn --preload 10 --pace 1000
}

exchanges() {
    for name in dora dora-known renew init-reboot release release-delete decline \
        reclaim purge steady guests; do
        record "exchange-$name" memfile_ubench -n 20 -s no --preload 50 -w $name
    done
    for name in sarr renew steady guests; do
        record "exchange-v6-$name" sqlite_ubench -6 -n 20 -s no --preload 50 -w $name
    done
    record exchange-weights memfile_ubench -n 40 -s no --preload 50 -w renew=90,release=10
    record exchange-hosts sqlite_ubench -n 20 -s no --preload 50 -w dora --hosts 30 \
        --verbose
    record exchange-probes null_ubench -v -n 20 --preload 50 -w dora --probes 5 -t 2
    record exchange-repeat memfile_ubench -n 20 -s no --preload 50 -w renew -R 3
    record fill memfile_ubench -n 20 -s no -w fill --pool 200 --allocator random -v full
    record fill-repeat null_ubench -n 20 -w fill --pool 100 -R 2
}

# A clock ticks here: some seconds in all.
open_loop() {
    record rate null_ubench -w dora --preload 50 --rate 100 --duration 1s
    record rate-hook memfile_ubench -s no -w steady --preload 50 --rate 50 --duration 1s \
        --arrivals constant --hook-delay 1ms --hook pool:2 -t 2 --deadline 5s -R 2
    record storm null_ubench -w storm --clients 50 --preload 100 -v full
    loose=--loose
    record storm-lossy memfile_ubench -s no -w storm --clients 100 --preload 100 \
        --queue 10 --hook-delay 1ms --spread 100ms --queue-policy dedup
    record find-rate null_ubench -w renew --find-rate --duration 100ms --preload 50 -v full
    loose=
}

incomplete() {
    loose=--loose
    before='at_work create'
    record interrupted null_ubench -n 100M -R 2
    before='at_work single'
    record interrupted-rate null_ubench -w dora --preload 50 --rate 100 --duration 60s
    loose=
    before=limited
    record failed memfile_ubench -n 10k -s no -f short
    before=
}

# at_work PHASE COMMAND...: interrupts it when its bar shows that phase at work.
at_work() {
    phase=$1
    shift
    : >bar
    # shellcheck disable=SC2094 # a word of the options, not the file
    env --default-signal=INT "$@" --progress bar 2>bar &
    pid=$!
    await is_at_work
    kill -s INT "$pid"
    wait "$pid"
    status=$?
    tr '\r' '\n' <bar | sed "s/^$(printf '\033')\[K//; / %  [0-9,.]*\/s/d; /^$/d" >&2
    return $status
}

is_at_work() {
    grep -q "${phase}[^%]*%  [1-9][0-9,.]*/s" bar || ! kill -0 "$pid" 2>/dev/null
}

limited() {
    (
        ulimit -f 64
        "$@"
    )
}

cd "$work" || exit 1
if ! command -v python3 >/dev/null; then
    skip all "there is no python3"
elif [ ! -x "$bin/sqlite_ubench" ]; then
    skip all "sqlite_ubench is not built"
else
    phases
    exchanges
    open_loop
    incomplete
fi
summary
