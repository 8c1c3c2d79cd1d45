#!/bin/sh
# SPDX-License-Identifier: ISC
# ubench.sh STORE|TASK [ARGUMENT]...: runs the program or script of that name, from a
# checkout or, as bin/ubench, where ubench is installed.
set -eu

here=$(dirname "$(readlink -f "$0")")
case $here in
*/bin) programs=$here scripts=${here%/bin}/libexec/ubench ;;
*) programs=${here%/*} scripts=$here ;;
esac
programs=${BIN:-$programs}

# stores: the names of those whose runners are here.
stores() {
    for runner in "$programs"/*_ubench; do
        [ ! -x "$runner" ] || basename "$runner" _ubench
    done
}

print_help() {
    cat <<END
Usage: ubench STORE|TASK [ARGUMENT]...
Measures a lease store, or does a task with what was measured.

  STORE      measure that store once: STORE_ubench, with its options
  answer     which stores are fast enough for a site (ubench_report answer)
  report     what results mean: answer, tables, compare, page (ubench_report)
  sweep      measure many configurations in turn (sweep)
  duel       which of two configurations is faster, and by how much (duel)
  where      where the time of an exchange goes (where)
  crash      crash stores, and count what they lose (crash)
  dhcp       measure a whole DHCP server, by its packets (dhcp)
  servers    start and stop database servers to measure (servers)
  bench      in a checkout: build, measure and answer (bench.sh)
END
    for store in $(stores); do
        printf '  %-10s measure %s\n' "$store" "$store"
    done
    printf '\n%s\n' "ubench STORE --help and ubench TASK --help say more."
}

misuse() {
    echo "ubench: $1: expected one of$(stores | sed 's/.*/ &,/' | tr -d '\n')" \
        "answer, report, sweep, duel, where, crash, dhcp, servers, bench; --help lists them" >&2
    exit 2
}

# run_script NAME ARGUMENT...
run_script() {
    script=$scripts/$1
    [ -e "$script" ] || script=$script.sh
    shift
    [ -x "$script" ] || {
        echo "ubench: ${script##*/} is not here: it is for a checkout of the source" >&2
        exit 1
    }
    exec "$script" "$@"
}

# report ARGUMENT...
report() {
    [ -x "$programs/ubench_report" ] || {
        echo "ubench: '$programs' has no ubench_report; run: make" >&2
        exit 1
    }
    exec "$programs/ubench_report" "$@"
}

[ $# -gt 0 ] || misuse "no store or task was given"
case $1 in
-h | --help) print_help ;;
-V | --version) report --version ;;
answer) report "$@" ;;
report)
    shift
    report "$@"
    ;;
sweep | duel | where | crash | dhcp | servers | bench) run_script "$@" ;;
*)
    stores | grep -qxF -e "$1" || misuse "'$1' is neither a store nor a task"
    runner=$programs/${1}_ubench
    shift
    exec "$runner" "$@"
    ;;
esac
