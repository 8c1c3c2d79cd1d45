#!/bin/sh
# SPDX-License-Identifier: ISC
# embedded.sh [ROUNDS]: the null, memfile and SQLite runners beside bare loops
# that do the same work.  Each round runs both, one after the other; what
# counts is the median of the rounds' ratios.  BIN is the runners' folder, HELPERS that
# of the bare loops.
set -eu

top=$(cd "$(dirname "$0")/../../.." && pwd)
BIN=$(cd "${BIN:-$top}" && pwd)
HELPERS=$(cd "${HELPERS:-$BIN/build/release/tests}" && pwd)
rounds=${1:-5}

work=$(mktemp -d "${TMPDIR:-/var/tmp}/ubench-perf.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"

ratios() {
    python3 "$top/ubench/tests/perf/ratios.py" "$@"
}

# note SIDE BAR LABEL: a line of JSON, or "PHASE RATE", as that side of LABEL.
phases='create search update delete'
note() {
    ratios rates figures "$1" "$2" "$phases" "$3"
}

# ours RUNNER OPTION...: the line of a run.
ours() {
    runner=$1
    shift
    rm -f dhcpd.leases sqlite.db*
    "$BIN/$runner" --json --latency off "$@"
    rm -f dhcpd.leases sqlite.db*
}

# bare_log ARGUMENT...: the rate of writing records, as that of create.
bare_log() {
    printf 'create %s\n' "$("$HELPERS/bare_log" log "$@")"
}

null_cost() { # LATENCY BAR
    for _ in $(seq "$rounds"); do
        ours null_ubench -n 5M --latency "$1" |
            note ours "$2" "on null, --latency $1"
    done
    ratios show figures
}

# Records of the size that memfile writes, in a loop that does nothing else.
memfile() { # SYNC N BAR
    "$BIN/memfile_ubench" -n 100 -s no -v no >/dev/null
    bytes=$(awk '/^lease/ { n++ } n > 100 { exit } n { b += length + 1 }
        END { printf "%d", b / 100 }' dhcpd.leases)
    phases=create
    for _ in $(seq "$rounds"); do
        ours memfile_ubench -n "$2" -s "$1" | note ours "$3" "memfile -s $1"
        bare_log "$2" "$bytes" "$1" | note bare "$3" "memfile -s $1"
        [ "$1" = yes ] || continue
        ours memfile_ubench -n 100k -s yes -b 100 |
            note ours 0.8 "memfile -s yes -b 100"
        bare_log 100000 "$bytes" yes 100 | note bare 0.8 "memfile -s yes -b 100"
        ours memfile_ubench -n 50k -s yes -t 16 |
            note ours 6 "memfile -s yes -t 16, beside -t 1"
        ours memfile_ubench -n 5k -s yes |
            note bare 6 "memfile -s yes -t 16, beside -t 1"
    done
    phases='create search update delete'
    ratios show figures
}

sqlite() { # SYNC N SCHEMA
    for _ in $(seq "$rounds"); do
        ours sqlite_ubench -n "$2" -s "$1" -S "$3" |
            note ours 0.97 "sqlite -s $1 -S $3"
        "$HELPERS/bare_sqlite" bare.db "$2" "$1" "$3" |
            note bare 0.97 "sqlite -s $1 -S $3"
    done
    ratios show figures
}

echo "medians of $rounds interleaved rounds"
null_cost off 30
null_cost on 60
memfile volatile 1000000 0.3
memfile no 1000000 0.5
memfile yes 5000 0.9
for schema in lean kea; do
    sqlite no 200000 $schema
    sqlite yes 10000 $schema
done
