#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: test.sh [--versions [PACKAGE...]]
# Installs what the tests need, builds with gcc and clang without a warning, and
# runs every test, on real servers of its own; then those of memory and threads
# once more under the sanitizers, while inputs are fuzzed.
#
#   --versions  only what depends on the versions of compilers, libraries,
#               servers, Python and, if kea-dev is there, Kea; the packages, those
#               of MySQL say, are installed first.  What clang builds, if it is
#               there, is not run
#
# It ends with the versions that it tested, "N passed, N failed, N skipped", and
# the tests that failed; exit status 1 if one failed.  With REQUIRE=all a skipped
# test counts as failed.
# Everything that it makes is in build/test/.
set -u

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=${here%/*}
what=test compilers='gcc clang' cases='ubench/tests/faults/*.sh python/tests/campaigns/duel_sets.py'
case ${1:-} in
'') ;;
--versions)
    what=servers
    # The cases that depend on the server's version.
    cases='mysql-settings statements'
    export DHCP_TESTS=stores CONFORMANCE_TESTS='*(kea*'
    ;;
*) misuse "'$1' is no option; --help says what is done" ;;
esac
[ $# -eq 0 ] || shift
cd "$top" || exit 1
build=build/test
UBENCH_SERVERS=$top/$build/servers # the user's own pair is left alone
REQUIRE=${REQUIRE:-}
export UBENCH_SERVERS REQUIRE
passed=0
failed=0
skipped=0

# processor_time: seconds that all processes took until now.
processor_time() {
    awk -v hz="$(getconf CLK_TCK)" \
        '/^cpu / { printf "%d", ($2 + $3 + $4 + $7 + $8) / hz }' /proc/stat
}

# check NAME COMMAND...: runs it and adds up what its last summary line says.
# A command that prints none is one test.
check() {
    echo
    echo "== $1"
    name=$1
    shift
    began=$(date +%s) used=$(processor_time)
    rm -f $build/status # without one, the command did not come to its end
    {
        "$@" </dev/null 2>&1
        echo $? >$build/status
    } | tee $build/log
    status=$(cat $build/status 2>/dev/null || echo 1)
    # shellcheck disable=SC2046 # six words or none
    set -- $(grep -axE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' \
        $build/log | tail -n 1)
    if [ $# -eq 0 ] && [ "$status" -eq 0 ]; then
        set -- 1 passed, 0 failed, 0 skipped
    elif [ $# -eq 0 ] || { [ "$status" -ne 0 ] && [ "$3" -eq 0 ]; }; then
        set -- "${1:-0}" passed, 1 failed, "${5:-0}" skipped
    fi
    [ "$3" -eq 0 ] || echo "not ok $name: exit status $status" | tee -a $build/log
    scripts/failures.sh $build/log >>$build/failures
    echo "($(($(date +%s) - began)) s, of processors $(($(processor_time) - used)) s)"
    passed=$((passed + $1))
    failed=$((failed + $3))
    skipped=$((skipped + $5))
}

build() {
    make -s -j "$(nproc)" BUILD=$build BIN=$build REQUIRE="$REQUIRE" "$@"
}

# Changes need not be on the disk when they are acknowledged, but where a test asks for it.
start_servers() {
    export UBENCH_SERVERS_PRELOAD=libeatmydata.so # what they sync is not waited for
    scripts/servers start mysql -- --innodb-flush-log-at-trx-commit=0 &&
        scripts/servers start pgsql -- -c synchronous_commit=off
}

# The cases of faults have servers of their own and mostly wait: they run beside all
# others, in a session of their own, so that they can be ended together.
faults=
begin_faults() { # [fuzz]
    rm -f $build/faults.status $build/fuzz.status
    # shellcheck disable=SC2016 # for the other shell
    HELPERS=$build/tests setsid sh -c '
        [ -z "$1" ] || {
            nice -n 19 make -s BUILD="$0" fuzz FUZZ_SECONDS=5 >"$0/fuzz.log" 2>&1
            echo $? >"$0/fuzz.status"
        } &
        ubench/tests/run.sh "$0" --in-lanes 3 $2 \
            ubench/tests/sql/[mp]*.sh
        echo $? >"$0/faults.status"
        wait' $build "${1:-}" "$cases" >$build/faults.log 2>&1 &
    faults=$!
}

end_faults() {
    tail -n +1 -f --pid="$faults" $build/faults.log
    return "$(cat $build/faults.status 2>/dev/null || echo 1)"
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
    return "$(cat $build/fuzz.status 2>/dev/null || echo 1)"
}

# python_of_versions: the tests of what each Python may do in another way.
python_of_versions() {
    printf 'ubench/tests/cli/%s.py ' test_help
    printf 'python/tests/%s.py ' test_cli capacity/test_answer advice/test_kea_config \
        records/test_reader report/test_compare report/test_crashes report/test_duels \
        report/test_server_tables report/test_show report/test_tables campaigns/test_sweep
}

version_of() {
    "$1" --version | sed -nE '1s/(.* )?([0-9][0-9.]*).*/\2/p'
}
facts_of() {
    $build/"$1"_ubench -n 1 -v no -s server -f "$2" --json | python3 -c 'import json, sys
for name, value in json.load(sys.stdin)["facts"].items():
    if name in ("SQLite", "MariaDB", "MySQL", "PostgreSQL"):
        print(name, value.replace(", InnoDB", ""))'
}

# versions: those of the system and of the programs that are tested, separated by commas.
versions() {
    {
        # shellcheck source=/dev/null
        (. /etc/os-release && echo "$PRETTY_NAME")
        for compiler in $compilers; do
            echo "$compiler $(version_of "$compiler")"
        done
        rm -f $build/versions.db* # an earlier version may have made it
        facts_of sqlite $build/versions.db
        facts_of mysql ubench
        facts_of pgsql ubench
        echo "Kea $(version_of kea-admin)"
    } | paste -sd , | sed 's/,/, /g'
}

finish() {
    [ -z "$faults" ] || kill -- "-$faults" 2>/dev/null
    scripts/servers stop
}

mkdir -p $build && : >$build/failures || exit 1
scripts/deps.sh $what "$@" || exit 1
# The Python for whose modules it looked.
mkdir -p $build/bin && ln -sf /usr/bin/python3 $build/bin || exit 1
PATH=$top/$build/bin:$PATH
[ $what = test ] || command -v clang >/dev/null || compilers=gcc
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

[ $what = servers ] || {
    check "sources" scripts/check.py
    check "each header alone" build headers
}
check "servers" start_servers
eval "$(scripts/servers env)"
if [ $what = servers ]; then
    check "gcc" build REQUIRE= test-build # without kea, perhaps
    # With MariaDB these are as in the run of all tests; PostgreSQL's newest is beside MySQL.
    command -v mariadbd >/dev/null || cases="$cases dhcp mysql pgsql pgsql-settings"
    # shellcheck disable=SC2086 # words
    cases=$(printf 'ubench/tests/faults/%s.sh ' $cases)
    begin_faults
    check "tests" build REQUIRE= CLI_TESTS= UNIT_TESTS= FUZZERS= \
        PYTHON_TESTS="$(python_of_versions)" test
    [ "$compilers" = gcc ] || check "clang, with sanitizers" build REQUIRE= asan-build
else
    check "gcc" build test-build
    begin_faults fuzz
    check "tests" build test
    check "clang, address and undefined behaviour sanitizers" build asan
    check "thread sanitizer" build tsan
fi
tested=$(versions)
check "faults" end_faults
[ $what = servers ] || check "fuzz" end_fuzz
faults=

trap - EXIT
check "servers stop" scripts/servers stop
if [ "$REQUIRE" = all ] && [ "$skipped" -gt 0 ]; then
    echo "REQUIRE=all: skipped tests count as failed"
    failed=$((failed + skipped))
    skipped=0
fi
echo
echo "tested: $tested"
echo "$passed passed, $failed failed, $skipped skipped"
sed 's/^/    /' $build/failures
[ "$failed" -eq 0 ]
