# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# in_lanes N COMMAND...: runs COMMAND with each line of stdin as its last word, N at a
# time, since most of their time tests wait for a disk or a clock.  Each prints when it is
# done, and ends with "N passed, N failed, N skipped", which is added to $passed and so on.
in_lanes() {
    lanes=$1
    shift
    results=$(mktemp -d) || exit 1
    # shellcheck disable=SC2016 # for the other shell
    xargs -P "$lanes" -I {} sh -c '
        result=$(mktemp "$0/XXXXXX") || exit 1 # the number of a process comes again
        "$@" >"$result" 2>&1
        sed "\$d" "$result"' "$results" "$@" {}
    for result in "$results"/*; do
        # shellcheck disable=SC2046 # six words
        set -- $(tail -n 1 "$result")
        passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
    done
    rm -r "$results"
}
