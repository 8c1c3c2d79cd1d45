#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: bench.sh [kea] [OPTION OF duel]...
# Installs what the build needs, builds, measures, and says what the figures mean.
#
#   bench.sh      the stores that need no server, and MariaDB (or MySQL) and
#                 PostgreSQL if they are installed, power-safe and asynchronous:
#                 3 to 4 minutes
#   bench.sh kea  Kea's own stores, memfile, mysql and postgresql, in each
#                 durability class, and as root a whole kea-dhcp4; installs Kea
#                 and the database servers: 8 to 10 minutes, all included
#
# The database servers are private.  All stores take turns in short slices, so
# that other work on the machine disturbs all of them alike.  Options such as
# --time 10m are passed to duel.  The results are in build/bench/, also after ^C.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=${here%/*}
what=bench needs=build
case ${1:-} in
kea) what=kea needs='servers kea-dev libboost-dev g++' && shift ;;
'' | -*) ;;
*) misuse "'$1' is neither kea nor an option; --help says what is done" ;;
esac
work=build/bench
results=$work/$what.jsonl server_results=$work/kea-dhcp4.jsonl
export UBENCH_SERVERS="$top/$work/servers"

# What duel refuses is refused before anything is installed.
case " $* " in
*' -O'* | *' --output'*) misuse "-O: the results are always in $work" ;;
*' -- '*) misuse '--: what is compared is always the same; others: scripts/duel' ;;
esac
if command -v python3 >/dev/null; then
    without=$("$here/duel" 2>&1) || :
    refusal=$("$here/duel" "$@" 2>&1) || :
    [ "$refusal" = "$without" ] || misuse "${refusal#duel: }"
fi

finish() {
    status=$?
    trap '' INT TERM HUP
    [ ! -d "$UBENCH_SERVERS" ] || scripts/servers stop >"$work/log" 2>&1 || :
    [ "$status" -eq 0 ] || [ ! -s "$results" ] ||
        say "the results until then: ./ubench_report answer $results"
    exit "$status"
}

# keep_former FILE: gives results of an earlier call another name, so that none is lost.
keep_former() {
    [ -s "$1" ] || return 0
    number=1
    while [ -e "$1.$number" ]; do
        number=$((number + 1))
    done
    mv "$1" "$1.$number"
}

# measure OPTION...: duels of the stores whose runners are built and whose servers start, power-safe
# and asynchronous, with Kea's tables.
measure() {
    stores=
    for store in $(printf '%s\n' *_ubench | sed 's/_ubench$//'); do
        case $store in
        null) continue ;;
        mysql | pgsql)
            scripts/servers run "$store" true >"$work/log" 2>&1 || {
                echo "left out: $(tail -n 1 "$work/log")"
                continue
            }
            ;;
        esac
        stores="$stores $store"
    done
    for workload in renew dora-known; do
        echo "$workload of$stores takes a minute"
        duel_of "$workload" "$stores" "$@"
    done
    echo "(renew: clients renew; dora-known: they restart with leases)"
}

# duel_of WORKLOAD STORES OPTION...
duel_of() {
    workload=$1 stores=$2
    shift 2
    set -- --label "$workload" --no-null --time 60s --rounds 1 -O "$results" "$@"
    for store in $stores; do
        for sync in yes no; do
            [ "$store" != kea ] || [ $sync = no ] || continue # Kea's memfile never syncs
            set -- "$@" -- "${store}_ubench" -S kea -w "$workload" -s "$sync" --preload 10k
        done
    done
    scripts/duel "$@" >>"$work/duels.txt"
}

# whole_server: a kea-dhcp4 with each of its stores, where that may be measured.
whole_server() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "a whole Kea is left out; as root: sudo scripts/bench.sh kea"
        return
    fi
    echo "measuring a whole kea-dhcp4 with each store, about three minutes"
    status=0
    scripts/dhcp rate --quick --seconds 2 --leases 10000 --store memfile,mysql,pgsql \
        -O "$server_results" >"$work/log" 2>&1 || status=$?
    case $status in
    0) ;;
    77) tail -n 1 "$work/log" ;;
    *) cat "$work/log" >&2 && exit "$status" ;;
    esac
}

cd "$top"
# shellcheck disable=SC2086 # words
scripts/deps.sh $needs
mkdir -p "$work"
echo "building the programs, about half a minute"
make -j "$(nproc)" >"$work/log" 2>&1 || die "$(cat "$work/log")"
keep_former "$results"
[ $what != kea ] || keep_former "$server_results"
on_exit finish
rm -f "$work/duels.txt"
if [ $what = kea ]; then
    scripts/duel --time 60s --rounds 1 -O "$results" "$@" @kea >"$work/duels.txt"
    whole_server
else
    measure "$@"
fi
set -- "$results"
[ $what != kea ] || [ ! -s "$server_results" ] || set -- "$@" "$server_results"
echo "the results are in $*; as a page:
  ./ubench_report page $* >$work/$what.html"
echo
./ubench_report answer --clients=20k "$@"
