#!/bin/sh
# SPDX-License-Identifier: ISC
# run.sh FOLDER [--in-lanes N] PROGRAM...: runs each test program, or the tests in a file
# in Python, N at a time (a PROGRAM may have arguments behind a blank), with the runners'
# folder in $BIN, says how each went, shows the whole output of those that failed, and
# ends with "N passed, N failed, N skipped".  Exit status 1 if one failed.
# With REQUIRE=all a skipped test counts as failed, but not what is left out since
# this machine's kernel does not allow it ("left out: ...").
set -u

# shellcheck source=lib/lanes.sh
. "$(dirname "$0")/lib/lanes.sh"
BIN=$(cd "$1" && pwd) || exit 1
export BIN
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
passed=0
failed=0
skipped=0

# tally WORD: the sum of the numbers in cmocka's summary lines of that word.
tally() {
    sed -n "s/^\[  $1 *\] \([0-9][0-9]*\) test(s).*/\1/p" "$log" |
        awk '{ n += $1 } END { print n + 0 }'
}

# count_results: sets p, f and s from the log, whoever wrote it.
count_results() {
    last=$(tail -n 1 "$log")
    case $last in
    *" passed, "*" failed, "*" skipped")
        # shellcheck disable=SC2086 # six words
        set -- $last
        p=$1 f=$3 s=$5
        ;;
    *)
        p=$(tally PASSED) f=$(tally FAILED) s=$(tally SKIPPED)
        ;;
    esac
    # It died, or a sanitizer complained at the end.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        echo "exit status $status" >>"$log"
        f=1
    elif [ "$status" -eq 0 ] && [ $((p + f + s)) -eq 0 ] && ! grep -aq '^left out: ' "$log"; then
        echo "it says nothing of any test" >>"$log"
        f=1
    fi
}

if [ "${1:-}" = --in-lanes ]; then
    lanes=$2
    shift 2
    in_lanes "$lanes" "$0" "$BIN" <<END
$(printf '%s\n' "$@")
END
    set --
fi
for program; do
    began=$(date +%s)
    name=${program#*/tests/}
    case $program in
    *.py)
        PYTHONPATH=${0%/*}/lib:${0%/*}/../../python python3 -B -m pytest -q --no-header \
            -p no:cacheprovider -p count_tests "$program" >"$log" 2>&1
        ;;
    *\ *) "${program%% *}" "${program#* }" >"$log" 2>&1 ;;
    *) "$program" >"$log" 2>&1 ;;
    esac
    status=$?
    count_results
    if [ "${REQUIRE:-}" = all ] && [ "$s" -gt 0 ]; then
        echo "REQUIRE=all: $s skipped tests count as failed" >>"$log"
        f=$((f + s)) s=0
    fi
    if [ "$f" -gt 0 ]; then
        cat "$log"
    else
        grep -aE '^(skip|left out): ' "$log" | sort -u
    fi
    printf '%-24s %s passed, %s failed, %s skipped, %s s\n' "$name:" "$p" "$f" "$s" \
        $(($(date +%s) - began))
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
