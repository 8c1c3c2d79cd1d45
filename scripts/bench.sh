#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: bench.sh [RUNNER OPTION]...
#        bench.sh kea [OPTION OF duel]...
# Installs what the build needs, builds, measures, and says what the figures mean.
#
#   bench.sh      the stores that need no server, and MariaDB (or MySQL) and
#                 PostgreSQL if they are installed, power-safe and asynchronous:
#                 two minutes, with database servers four
#   bench.sh kea  Kea's own stores, memfile, mysql and postgresql, in each
#                 durability class, and as root a whole kea-dhcp4; installs Kea
#                 and the database servers: eight minutes with the installation
#
# The database servers are private.  All stores take turns, those of Kea in
# short slices and the others in six rounds, so that changes on the machine
# happen to all alike.  Options are passed to every run, -n 2000 say, or to duel,
# --time 10m say.  The results are in build/bench/, also those before ^C.
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

finish() {
    status=$?
    trap '' INT TERM HUP
    [ ! -d "$UBENCH_SERVERS" ] || scripts/servers.sh stop >"$work/log" 2>&1 || :
    [ "$status" -eq 0 ] || [ ! -s "$results" ] ||
        say "the results until then: ./ubench_report answer $results"
    exit "$status"
}

# measure OPTION...: a sweep of the stores whose runners are built, with the servers that start.
measure() {
    stores=
    for store in $(printf '%s\n' *_ubench | sed 's/_ubench$//'); do
        case $store in
        null) continue ;;
        mysql | pgsql)
            scripts/servers.sh start "$store" >"$work/log" 2>&1 || {
                echo "left out: $(tail -n 1 "$work/log")"
                continue
            }
            ;;
        esac
        stores=${stores:+$stores,}$store
    done
    rm -rf "$results.sweep"
    echo "(renew: clients renew; dora-known: they restart with leases; phases: all operations)"
    scripts/sweep --store "$stores" -O "$results" "$@" @bench
}

# whole_server: a kea-dhcp4 with each of its stores, where that may be measured.
whole_server() {
    rm -f "$server_results"
    if [ "$(id -u)" -ne 0 ]; then
        echo "a whole Kea is left out; as root: sudo scripts/bench.sh kea"
        return
    fi
    echo "measuring a whole kea-dhcp4 with each store, about two minutes"
    status=0
    scripts/dhcp rate --quick --seconds 1 --leases 10000 --store memfile,mysql,pgsql \
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
[ ! -e "$results" ] || mv "$results" "$results.old"
echo "building the programs, about half a minute"
make -j "$(nproc)" >"$work/log" 2>&1 || die "$(cat "$work/log")"
on_exit finish
if [ $what = kea ]; then
    scripts/duel --time 60s --rounds 1 -O "$results" "$@" @kea >"$work/duels.txt"
    whole_server
else
    measure "$@"
    exit
fi
set -- "$results"
[ ! -s "$server_results" ] || set -- "$@" "$server_results"
echo "the results are in $*; as a page:
  ./ubench_report page $* >$work/$what.html"
echo
./ubench_report answer --clients=20k "$@"
