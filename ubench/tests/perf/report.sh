#!/bin/sh
# SPDX-License-Identifier: ISC
# report.sh: how long ubench_report takes for 1,000 results of 100,000
# operations per phase, with all their histograms.  They are three real ones over
# and over, each with another time of day, so that none is there twice.  BIN is
# the folder of the programs.
set -eu

top=$(cd "$(dirname "$0")/../../.." && pwd)
BIN=$(cd "${BIN:-$top}" && pwd)

work=$(mktemp -d "${TMPDIR:-/var/tmp}/ubench-perf.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"

for run in "memfile_ubench -s no" "memfile_ubench -s no -t 4" \
    "sqlite_ubench -s no"; do
    # shellcheck disable=SC2086 # words
    "$BIN/"$run -v no -n 100k -O few.jsonl >/dev/null
done
awk '{ few[NR] = $0 }
    END {
        for (i = 0; i < 1000; i++) {
            line = few[i % NR + 1]
            at = index(line, "\"started_at\":\"")
            printf "%s2026-01-02T%02d:%02d:%02dZ%s\n", substr(line, 1, at + 13),
                i / 3600, i / 60 % 60, i % 60, substr(line, at + 34)
        }
    }' few.jsonl >many.jsonl

# report BAR ARGUMENT...
report() {
    bar=$1
    shift
    before=$(date +%s.%N)
    "$BIN/ubench_report" "$@" many.jsonl >out
    after=$(date +%s.%N)
    awk -v before="$before" -v after="$after" -v bar="$bar" -v what="$*" '
        BEGIN { printf "%-28s %.2f s, at most %s s\n", what, after - before, bar }'
}
echo "ubench_report, $(wc -l <many.jsonl) results, $(wc -c <many.jsonl) bytes"
report 2 tables
report 2 answer
report 10 page
