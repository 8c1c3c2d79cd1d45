#!/bin/sh
# SPDX-License-Identifier: ISC
# bench.sh [RUNNER OPTION]...: installs what the build needs, builds, measures the
# stores that need no server, power-safe and asynchronous, and says what that means.
# The stores take turns in six rounds, so that whatever changes on the machine
# happens to all alike.  Stops at the first failure.
# Options, -n 2000 say, go to every run, after this script's own.
set -eu

rounds=6 # the fewest that tell a difference from chance
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=${here%/*}
case ${1:-} in
-h | --help)
    sed -n '3,8s/^# //p' "$0"
    exit 0
    ;;
'' | -*) ;;
*) misuse "'$1' is no option; --help says what is done" ;;
esac
work=build/bench
results=$work/bench.jsonl

# quietly COMMAND...: its output goes to the log; if it fails, to the terminal.
quietly() {
    "$@" >"$work/log" 2>&1 && return
    status=$?
    echo
    cat "$work/log" >&2
    exit "$status"
}

# needs_no_server RUNNER: it stores leases, and in a file.
needs_no_server() {
    case $1 in
    null_* | mysql_* | pgsql_*) return 1 ;;
    esac
}

# run ROUND RUNNER OPTION...: in a folder of its own, where the leases land.
run() {
    round=$1 runner=$2
    shift 2
    (cd "$work/leases" && exec "$top/$runner" "$@" -v no -O ../bench.jsonl \
        --label "campaign=$campaign" --label "block=$round") || return
    rm -rf "$top/$work/leases/"*
}

cd "$top"
scripts/deps.sh build
mkdir -p "$work/leases"
rm -f "$results"
echo "building the programs"
quietly make
runners=
for runner in *_ubench; do
    ! needs_no_server "$runner" || runners="$runners $runner"
done
campaign=$(date -u +%Y-%m-%dT%H:%M:%SZ)
printf 'measuring%s, safe and unsafe; round' "$runners"
for round in $(seq "$rounds"); do
    printf ' %s' "$round"
    for runner in $runners; do
        for sync in yes no; do
            # Kea never syncs the file of its memfile.
            [ "$runner $sync" != "kea_ubench yes" ] || continue
            for workload in renew dora-known phases; do
                quietly run "$round" "$runner" -n 300 -S kea -s "$sync" \
                    -w "$workload" "$@"
            done
        done
    done
done
printf '\n\n'
./ubench_report answer "$results"
cat <<END

The results are in $results.  More of them, and other stores:
  ./ubench_report answer --clients=20k $results
  ./ubench_report page $results >$work/bench.html
  scripts/sweep -n 300 -S kea -w renew,dora-known -s yes,no -O all.jsonl
The last one measures the database servers, too, which scripts/deps.sh servers installs,
and takes longer.
END
