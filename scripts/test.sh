#!/bin/sh
# SPDX-License-Identifier: ISC
# test.sh: installs what the tests need, builds with gcc and clang without a
# warning, and runs every test: on real servers of its own, then once more
# under the sanitizers.  Ends with "N passed, N failed, N skipped"; exit status
# 1 if one failed.  With REQUIRE=all a skipped test counts as failed.
# All that it makes is in build/test/.
set -u

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
build=build/test
UBENCH_SERVERS=$top/$build/servers # the user's own pair is left alone
REQUIRE=${REQUIRE:-}
export UBENCH_SERVERS REQUIRE
passed=0
failed=0
skipped=0

# check NAME COMMAND...: runs it and adds up what its last summary line says.
# A command that prints none is one test.
check() {
    echo
    echo "== $1"
    shift
    {
        "$@" </dev/null 2>&1
        echo $? >$build/status
    } | tee $build/log
    status=$(cat $build/status)
    # shellcheck disable=SC2046 # six words or none
    set -- $(grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' \
        $build/log | tail -n 1)
    if [ $# -eq 0 ] && [ "$status" -eq 0 ]; then
        set -- 1 passed, 0 failed, 0 skipped
    elif [ $# -eq 0 ] || { [ "$status" -ne 0 ] && [ "$3" -eq 0 ]; }; then
        echo "it failed: exit status $status"
        set -- "${1:-0}" passed, 1 failed, "${5:-0}" skipped
    fi
    passed=$((passed + $1))
    failed=$((failed + $3))
    skipped=$((skipped + $5))
}

build() {
    make -j "$(nproc)" BUILD=$build BIN=$build REQUIRE="$REQUIRE" "$@"
}

check_scripts() {
    if ! command -v shellcheck >/dev/null; then
        echo "skip: there is no shellcheck"
        echo "0 passed, 0 failed, 1 skipped"
        return
    fi
    {
        printf '.ci/run\0'
        find scripts ubench -name '*.sh' -print0
    } | xargs -0 -P 2 -n 30 shellcheck
}

# What is acknowledged need not be on the disk but where a test asks for it.
start_servers() {
    scripts/servers.sh start mysql -- --innodb-flush-log-at-trx-commit=0 &&
        scripts/servers.sh start pgsql -- -c synchronous_commit=off
}

stop_servers() {
    scripts/servers.sh stop
}

# The cases of faults have servers of their own and mostly wait: they run beside the
# sanitizers, in a session of their own, so that they can be ended together.
faults=
begin_faults() {
    rm -f $build/faults.status $build/fuzz.status
    # shellcheck disable=SC2016 # for the other shell
    HELPERS=$build/tests setsid sh -c '
        {
            nice -n 19 make BUILD="$0" fuzz FUZZ_SECONDS=20 >"$0/fuzz.log" 2>&1
            echo $? >"$0/fuzz.status"
        } &
        ubench/tests/run.sh "$0" --in-lanes 2 ubench/tests/faults/*.sh \
            ubench/tests/golden/sql-[mp]*.sh ubench/tests/golden/records-servers.sh
        echo $? >"$0/faults.status"
        wait' $build >$build/faults.log 2>&1 &
    faults=$!
}

end_faults() {
    tail -n +1 -f --pid="$faults" $build/faults.log
    return "$(cat $build/faults.status)"
}

# So does fuzzing, which takes what time the others leave.
end_fuzz() {
    if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null; then
        echo "skip: clang has no libFuzzer"
        echo "0 passed, 0 failed, 1 skipped"
        return
    fi
    cat $build/fuzz.log
    return "$(cat $build/fuzz.status)"
}

finish() {
    [ -z "$faults" ] || kill -- "-$faults" 2>/dev/null
    stop_servers
}

scripts/deps.sh test || exit 1
mkdir -p $build || exit 1
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

check "shellcheck" check_scripts
check "each header alone" build headers
check "servers" start_servers
eval "$(scripts/servers.sh env)"
check "gcc" build test
begin_faults
check "clang" build clang
check "address and undefined behaviour sanitizers" build asan
check "thread sanitizer" build tsan
check "faults" end_faults
check "fuzz" end_fuzz
faults=

trap - EXIT
check "servers stop" stop_servers
if [ "$REQUIRE" = all ] && [ "$skipped" -gt 0 ]; then
    echo "REQUIRE=all: skipped tests count as failed"
    failed=$((failed + skipped))
    skipped=0
fi
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
