#!/bin/sh
# SPDX-License-Identifier: ISC
# embedded.sh [ROUNDS]: the null, memfile and SQLite runners beside bare loops
# that do the same work.  Each round runs both, one after the other; what
# counts is the median of the rounds.  BIN is the runners' folder, HELPERS that
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

# note SIDE BAR LABEL: reads "PHASE RATE" lines, keeps those of the four phases
# (or the one of $phases) as figures of that side of LABEL.
phases='create search update delete'
note() {
    awk -v side="$1" -v bar="$2" -v label="$3" -v phases=" $phases " '
        index(phases, " " $1 " ") {
            printf "%s %s|%s|%s|%s\n", $1, label, bar, side, $2
        }' >>figures
}

# ours RUNNER OPTION...: the rates of a run, as "PHASE RATE".
ours() {
    runner=$1
    shift
    rm -f dhcpd.leases sqlite.db*
    "$BIN/$runner" --json --latency off "$@" | python3 -c 'import json, sys
for phase in json.load(sys.stdin)["runs"][0]["phases"]:
    print(phase["name"], phase["operations"] / phase["elapsed_ns"] * 1e9)'
    rm -f dhcpd.leases sqlite.db*
}

# bare_log ARGUMENT...: the rate of writing records, as that of create.
bare_log() {
    printf 'create %s\n' "$("$HELPERS/bare_log" log "$@")"
}

# Prints the medians of both sides and their ratio, or what an operation costs
# where there is no other side; the bar says what it should be.
summary() {
    sort -t '|' -k 1,1 -k 3,3 -k 4,4g figures | awk -F '|' '
        function flush() {
            if (n > 0)
                median[side] = v[int((n + 1) / 2)]
            n = 0
        }
        function finish() {
            flush()
            if (label == "")
                return
            if ("bare" in median) {
                ratio = median["ours"] / median["bare"]
                printf "%-42s %10.0f /s, bare %10.0f /s, ratio %6.3f %s\n",
                    label, median["ours"], median["bare"], ratio,
                    (ratio < bar ? "BELOW " bar : "ok")
            } else {
                ns = 1e9 / median["ours"]
                printf "%-42s %10.1f ns/operation %s\n", label, ns,
                    (ns > bar ? "ABOVE " bar : "ok")
            }
            split("", median)
        }
        $1 != label { finish(); label = $1; bar = $2; side = "" }
        $3 != side { flush(); side = $3 }
        { v[++n] = $4 }
        END { finish() }'
    rm -f figures
}

null_cost() { # LATENCY BAR
    for _ in $(seq "$rounds"); do
        ours null_ubench -n 5M --latency "$1" |
            note ours "$2" "on null, --latency $1"
    done
    summary
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
    summary
}

sqlite() { # SYNC N SCHEMA
    for _ in $(seq "$rounds"); do
        ours sqlite_ubench -n "$2" -s "$1" -S "$3" |
            note ours 0.97 "sqlite -s $1 -S $3"
        "$HELPERS/bare_sqlite" bare.db "$2" "$1" "$3" |
            note bare 0.97 "sqlite -s $1 -S $3"
    done
    summary
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
