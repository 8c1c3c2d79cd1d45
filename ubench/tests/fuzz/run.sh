#!/bin/sh
# SPDX-License-Identifier: ISC
# run.sh SECONDS FOLDER FUZZER...: runs each fuzzer for that time, with what is kept in
# corpus/ and what was found in FOLDER before, and ends with "N passed, N failed, N
# skipped".  An input that failed is in FOLDER/failed/; once what it showed is mended, it
# belongs into corpus/.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
seconds=$1 folder=$2
shift 2
mkdir -p "$folder/failed" || exit 1
passed=0
failed=0
for fuzzer; do
    name=${fuzzer##*/fuzz_}
    mkdir -p "$folder/corpus/$name"
    if "$fuzzer" -max_total_time="$seconds" -timeout=1200 -max_len=16384 \
        -close_fd_mask=3 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$folder/failed/$name-" "$folder/corpus/$name" \
        "$here/corpus/$name" >"$folder/$name.log" 2>&1; then
        passed=$((passed + 1))
    else
        cat "$folder/$name.log"
        echo "not ok fuzz $name"
        failed=$((failed + 1))
    fi
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log") runs"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
