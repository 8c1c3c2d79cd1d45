# shellcheck shell=sh disable=SC2034,SC2154 # crash.sh has the other half
# SPDX-License-Identifier: ISC
# One crash: the load, the blow, and what is left; and stores that are files.

# json TEXT: one line that can stand in quotes.
json() {
    printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\000-\037' | cut -c 1-200 |
        sed 's/[\\"]/\\&/g'
}

# record VERDICT WHY: of a crash that could not be judged by the runner.
record() {
    printf '{"format":"ubench-crash/1","store":"%s","labels":{"cell":"%s","level":"%s","seed":"%s","control":"%s"},"verdict":"%s","why":"%s"}\n' \
        "$store" "$(json "$name")" "$level" "$crash_seed" "$control" "$1" \
        "$(json "$2")" >>"$output"
    verdict=$1
}

start_load() {
    rm -f "$ledger"
    # shellcheck disable=SC2086 # words
    "$BIN/${store}_ubench" $target -v no -w churn -n "$operations" \
        --preload "$preload" --seed "$crash_seed" --ledger "$ledger" \
        $options >"$work/load.out" 2>"$work/load.err" &
    load=$!
}

# strike OPTION...: 0 if it crashed, 1 (recorded) if not.
strike() {
    if attend "$BIN/ubench_crash" --ledger "$ledger" --load "$load" \
        --seed "$crash_seed" --after "$after" --spread "$spread" "$@" \
        2>"$work/strike.err"; then
        wait "$load" 2>/dev/null
        load=
        return 0
    fi
    kill -9 "$load" 2>/dev/null
    wait "$load" 2>/dev/null
    ended=$?
    load=
    record invalid \
        "$(cat "$work/strike.err" "$work/load.err") (the load: $ended)"
    return 1
}

# verify: judges and records.
verify() {
    # shellcheck disable=SC2086 # words
    attend "$BIN/${store}_ubench" --verify "$ledger" --json -O "$output" \
        --label cell="$name" --label level="$level" \
        --label seed="$crash_seed" --label control="$control" $target \
        >"$work/verify.out" 2>"$work/verify.err"
    case $? in
    0 | 3)
        verdict=$(sed 's/.*"verdict":"\([a-z]*\)".*/\1/' "$work/verify.out")
        return 0
        ;;
    esac
    return 1
}

# Level 3: the runner's writes are recorded by a shim, and what a bad disk
# makes of them is built from the record.
crash_on_bad_disk() {
    rm -f "$work/record"
    LD_PRELOAD=$BIN/ubench_disk.so
    UBENCH_DISK_RECORD=$work/record
    UBENCH_DISK_FOLDER=$disk/leases
    export LD_PRELOAD UBENCH_DISK_RECORD UBENCH_DISK_FOLDER
    start_load
    unset LD_PRELOAD
    strike || return 1
    if ! attend "$BIN/ubench_crash" --spoil "$disk/leases" \
        --record "$work/record" --ledger "$ledger" --seed "$crash_seed" \
        2>"$work/strike.err"; then
        record invalid "$(cat "$work/strike.err")"
        return 1
    fi
}

crash_file_store() {
    rm -rf "$disk/leases"
    mkdir "$disk/leases"
    target="-f $disk/leases/store"
    case $level in
    1)
        start_load
        strike --mount "$disk" || return 0
        ;;
    2)
        start_load
        strike --mount "$disk" --power || return 0
        remount || return 0
        ;;
    3) crash_on_bad_disk || return 0 ;;
    esac
    verify || record invalid "$(cat "$work/verify.err")"
}
