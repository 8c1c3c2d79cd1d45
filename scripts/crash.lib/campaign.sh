# shellcheck shell=sh disable=SC2034,SC2154 # crash.sh has the other half
# SPDX-License-Identifier: ISC
# Crashes without end, until there are enough.

# lines_of_cell: of this cell and level, in the output.
lines_of_cell() {
    grep -F "\"cell\":\"$(json "$name")\",\"level\":\"$level\"" "$output"
}

count_judged() {
    lines_of_cell | grep -cv '"verdict":"invalid"'
}

# After a crash with any doubt the next begins with a new disk.  What a store in
# a file has lost is no doubt: its files are made anew each time.
crash_once() {
    verdict=invalid
    case $store in
    memfile | sqlite)
        [ -n "$fresh" ] || new_disk
        crash_file_store
        ;;
    *)
        if [ -z "$fresh" ]; then
            stop_server
            new_disk "$work/base-$store"
        fi
        crash_server
        ;;
    esac
    fresh=
    case $store,$verdict in
    *,kept) fresh=yes ;;
    *,invalid | *,corrupt) ;;
    memfile,* | sqlite,*) fresh=yes ;;
    esac
}

# Until there are enough that could be judged.
run_cell() {
    made=$(count_judged)
    choose_goal
    [ "$made" -lt "$goal" ] || return 0
    choose_sizes
    make_base
    fresh=
    invalid=0
    begun=$(date +%s%N)
    first=$(lines_of_cell | wc -l)
    index=$first
    while [ "$made" -lt "$goal" ] && [ "$invalid" -lt 10 ]; do
        index=$((index + 1))
        crash_seed=$((seed * 1000000 + index))
        crash_once
        if [ "$verdict" = invalid ]; then
            invalid=$((invalid + 1))
        else
            made=$((made + 1))
            [ "$made" -gt 1 ] || choose_goal
        fi
        [ -n "$group" ] || [ ! -t 2 ] || progress
    done
    stop_server
    progress '\n'
    if [ "$made" -lt "$goal" ]; then
        say "$name, level $level: the harness failed 10 times: given up"
        given_up=yes
    fi
}

# progress [END]
progress() {
    each=$((($(date +%s%N) - begun) / 1000000 / (index - first)))
    printf '\r%-32s level %-2s %3d of %d, %d ms each, last: %-10s%b' \
        "$name" "$level" "$made" "$goal" "$each" "$verdict" "${1:-}" >&2
}

run_levels() {
    for level in $cell_levels; do
        is_level_wanted "$level" || continue
        is_in_group || continue
        can_run || continue
        is_wanted "$name" || is_control_needed "$level" || continue
        run_cell
    done
}

# The first line of a campaign says on which machine it was.
describe_machine() {
    [ -s "$output" ] || "$BIN/null_ubench" -v no -O "$output" >/dev/null ||
        exit 1
}
