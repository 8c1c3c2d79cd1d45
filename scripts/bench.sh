#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: bench.sh [kea] [RUNNER OPTION]...
# Installs what the build needs, builds, measures, and says what the figures mean.
#
#   bench.sh      the stores that need no server, and MariaDB (or MySQL) and
#                 PostgreSQL if they are installed, power-safe and asynchronous:
#                 two minutes, with database servers four
#   bench.sh kea  Kea's own stores, memfile, mysql and postgresql, in each
#                 durability class, and as root a whole kea-dhcp4; installs Kea
#                 and the database servers: five minutes, and the installation
#
# Options, -n 2000 say, go to every run, after this script's own.  The database
# servers are private ones, which are stopped at the end.  All stores take turns
# in six rounds, so that whatever changes on the machine happens to all alike.
# The results are in build/bench/; after ^C, those until then.  It stops at the
# first failure.
set -eu

rounds=6 # the fewest that tell a difference from chance
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=${here%/*}
what=bench
case ${1:-} in
-h | --help)
    sed -n '3,18s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
kea) what=kea && shift ;;
'' | -*) ;;
*) misuse "'$1' is neither kea nor an option; --help says what is done" ;;
esac
work=build/bench
results=$work/$what.jsonl server_results=$work/kea-dhcp4.jsonl granted=
export UBENCH_SERVERS="$top/$work/servers"
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# quietly COMMAND...: its output goes to the log; if it fails, to the terminal.
quietly() {
    "$@" >"$work/log" 2>&1 && return
    status=$?
    echo
    cat "$work/log" >&2
    exit "$status"
}

finish() {
    status=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ ! -d "$UBENCH_SERVERS" ] || scripts/servers.sh stop >"$work/log" 2>&1 || :
    [ "$status" -eq 0 ] || [ ! -s "$results" ] ||
        say "the results until then: ./ubench_report answer $results"
    exit "$status"
}

# installed KIND: that database server is here, and its runner.
installed() {
    case $1 in
    mysql) command -v mariadbd || command -v mysqld ;;
    pgsql) ls /usr/lib/postgresql/*/bin/postgres || command -v postgres ;;
    esac >/dev/null 2>&1 && [ -x "$1_ubench" ]
}

# cells: the runs of a round, a runner and its options to a line.
cells() {
    if [ $what = kea ]; then
        # memfile never syncs its file.  Asynchronous commits of PostgreSQL are lost if
        # the server is killed, so that volatile is the same.
        for cell in 'memfile -s no' 'memfile -s volatile' 'mysql -s yes' 'mysql -s no' \
            'mysql -s volatile' 'postgresql -s yes' 'postgresql -s no'; do
            for workload in renew dora-known; do
                echo "kea_ubench -o type=$cell -w $workload --preload 2000"
            done
        done
        return
    fi
    for runner in *_ubench; do
        workloads='renew dora-known phases' more=
        case $runner in
        null_*) continue ;;
        mysql_* | pgsql_*)
            is_among "${runner%_ubench}" "$servers" || continue
            workloads='renew dora-known' more=' --preload 2000'
            ;;
        esac
        for sync in yes no; do
            [ "$runner $sync" != "kea_ubench yes" ] || continue
            for workload in $workloads; do
                echo "$runner -s $sync -w $workload$more"
            done
        done
    done
}

# run ROUND CELL OPTION...: in a folder of its own, where the leases land.
run() {
    round=$1 cell=$2
    shift 2
    # shellcheck disable=SC2086 # words
    (cd "$work/leases" && exec "$top/"$cell -n 300 -S kea "$@" -v no -O "../$what.jsonl" \
        --label "campaign=$campaign" --label "block=$round") || return
    rm -rf "$top/$work/leases/"*
}

# measure OPTION...: all rounds; the first shows its figures, and how long the others take.
measure() {
    begun=$(date +%s)
    for round in $(seq "$rounds"); do
        if [ "$round" -gt 1 ]; then
            took=$(($(date +%s) - begun))
            echo "round $round of $rounds, about" \
                "$((took * (rounds - round + 1) / (round - 1))) s left"
        fi
        while read -r cell; do
            quietly run "$round" "$cell" "$@" </dev/null
            [ "$round" -gt 1 ] ||
                awk -v cell="${cell% --preload*}" '/^(renew|dora-known|overall) / {
                    printf "  %-55s %9s a second\n", cell, $3; exit }' "$work/log"
        done <"$work/cells"
    done
}

# whole_server: a kea-dhcp4 with each of its stores, where that may be measured.
whole_server() {
    [ "$(id -u)" -eq 0 ] || {
        echo "left out, as it needs root: a whole kea-dhcp4 (scripts/dhcp rate --quick)"
        return
    }
    echo "measuring a whole kea-dhcp4 with each store, about two minutes"
    rm -f "$server_results"
    status=0
    scripts/dhcp rate --quick --seconds 1 --store memfile,mysql,pgsql \
        -O "$server_results" >"$work/log" 2>&1 || status=$?
    case $status in
    0)
        granted=$(./ubench_report tables --format=csv "$server_results" | awk -F, 'NR > 1 {
            sub(".*/", "", $3); printf "%s%s %d", NR > 2 ? ", " : "", $3, $9 }')
        ;;
    77) tail -n 1 "$work/log" ;;
    *) cat "$work/log" >&2 && exit "$status" ;;
    esac
}

cd "$top"
case $what in
kea) scripts/deps.sh servers kea-dev libboost-dev g++ ;;
*) scripts/deps.sh build ;;
esac
mkdir -p "$work/leases"
[ ! -e "$results" ] || mv "$results" "$results.old"
echo "building the programs, about half a minute"
quietly make -j "$(nproc)"
servers=
for kind in mysql pgsql; do
    ! installed $kind || servers="$servers $kind"
done
on_exit finish
[ -z "$servers" ] || echo "starting private database servers:$servers"
for kind in $servers; do
    quietly scripts/servers.sh start "$kind"
    [ $what != kea ] || quietly scripts/servers.sh kea "$kind"
    eval "$(scripts/servers.sh env "$kind")"
done
cells >"$work/cells"
campaign=$(date -u +%Y-%m-%dT%H:%M:%SZ)
echo "measuring $(wc -l <"$work/cells") configurations; round 1 of $rounds"
measure "$@"
[ $what != kea ] || whole_server
echo
./ubench_report answer ${granted:+--clients=20k} "$results"
[ -z "$granted" ] || printf '\n%s\n%s\n' "New leases a second of a whole kea-dhcp4:" \
    "  $granted ($server_results)"
cat <<END

The results are in $results.  More of them:
  ./ubench_report answer --clients=20k $results
  ./ubench_report page $results >$work/$what.html
END
[ $what = kea ] || echo "Kea's own stores, with databases, and a whole Kea:
  scripts/bench.sh kea"
