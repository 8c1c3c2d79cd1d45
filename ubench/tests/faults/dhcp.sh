#!/bin/sh
# SPDX-License-Identifier: ISC
# dhcp.sh: scripts/dhcp.sh with real servers: what it measures, and what it leaves
# when it is killed.  Rates are small: the machine may be busy.
. "$(dirname "$0")/../lib/cases.sh"

export UBENCH_DHCP="$work/dhcp"
results=$UBENCH_DHCP/results.jsonl

dhcp() {
    BIN=$bin timeout 600 "$top/scripts/dhcp.sh" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# line FILTER: of the last result.
line() { tail -n 1 "$results" | jq -r "$1"; }

# left_behind: what is there of it outside its namespaces.
left_behind() {
    pgrep -f "$UBENCH_DHCP" || :
    ip link show dhcp0 2>/dev/null || :
}

nothing_left() { [ -z "$(left_behind)" ]; }

measured() {
    dhcp seconds --rate 20 --seconds 3
    check "seconds: exit status" "$status" 0
    check "seconds: each second is there" "$(line '.seconds_each | length')" 3
    check "seconds: the sum is that of the whole" \
        "$(line '([.seconds_each[].asked] | add) <= .trial.sent')" true
    dhcp seconds --rate 20 --seconds 3
    check "a run that is in the file is not repeated" "$(wc -l <"$results")" 1
    dhcp rate -6 --rate 1000 --quick --lost 50 --within 1
    check "rate: exit status" "$status" 0
    check "rate: DHCPv6, process-safe" "$(line '"\(.family) \(.durability.class)"')" \
        "6 process-safe"
    check "rate: it is that of a trial, or none held" \
        "$(line 'any((.trials[].granted / .seconds, null) == .rate; .)')" true
    dhcp storm --clients 50 --store pgsql -s no -t 2
    check "storm on PostgreSQL: exit status" "$status" 0
    check "storm: all were served, on 2 threads; the class was read" \
        "$(line '"\(.trial.granted) \(.threads) \(.durability.class)"')" "50 2 volatile"
    dhcp storm --clients 50 --store mysql
    check "storm on MariaDB or MySQL" \
        "$status $(line '"\(.trial.granted) \(.durability.class)"')" "0 50 power-safe"
    dhcp storm --clients 50 --server dhcpd
    check "storm on dhcpd" "$status $(line .trial.granted)" "0 50"
    check "nothing is left behind" "$(left_behind)" ""
}

refused() {
    mkdir "$work/bin"
    printf '#!/bin/sh\necho "no memory" >&2\nexit 1\n' >"$work/bin/kea-dhcp4"
    chmod 755 "$work/bin/kea-dhcp4"
    PATH=$work/bin:$PATH dhcp storm --clients 7
    check "a server that does not start: exit status" "$status" 1
    check "a server that does not start: why" \
        "$(sed "s|$work|.|" "$work/err" | tail -n 2)" "no memory
dhcp.sh: kea-dhcp4 does not start: see above and ./dhcp/server.conf"
    chmod 755 "$work"
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$top/scripts/dhcp.sh" storm >"$work/out" 2>&1
    check "without root it is skipped" "$?" 77
    check "and says why" "$(cat "$work/out")" \
        "dhcp.sh: skipped: only root can make network namespaces"
}

# What was granted and is not in the store is no figure.
lies() {
    real=$(command -v kea-dhcp4)
    cat >"$work/bin/kea-dhcp4" <<END
#!/bin/sh
sed 's/"persist": true/"persist": false/' "\$2" >"\$2.lies"
exec $real -c "\$2.lies"
END
    lines=$(wc -l <"$results")
    PATH=$work/bin:$PATH dhcp storm --clients 9
    check "a server that keeps no lease: exit status" "$status" 1
    check "a server that keeps no lease: why" "$(tail -n 1 "$work/err")" \
        "dhcp.sh: 9 leases were granted, and the store has 0: no figures"
    check "a server that keeps no lease: no line" "$(wc -l <"$results")" "$lines"
}

# killed SIGNAL STATUS: in mid-run.
killed() {
    setsid "$top/scripts/dhcp.sh" seconds --rate 20 --seconds 600 -t 3 \
        >"$work/out" 2>&1 &
    dhcp_pid=$!
    await test -s "$UBENCH_DHCP/before.json"
    dhcp seconds --rate 20
    check "a second one is refused: $1" "$status $(cat "$work/err")" \
        "1 dhcp.sh: another dhcp.sh is running here"
    kill "-$1" "$dhcp_pid"
    wait "$dhcp_pid"
    check "$1 in mid-run: exit status" "$?" "$2"
    await nothing_left
    check "$1 in mid-run: nothing is left behind" "$(left_behind)" ""
    rm -f "$UBENCH_DHCP/before.json"
}

if [ "$(id -u)" != 0 ] || ! unshare --net true 2>/dev/null; then
    skip "a real DHCP server" "network namespaces need root"
elif ! command -v perfdhcp kea-dhcp4 kea-dhcp6 dhcpd ip >/dev/null; then
    skip "a real DHCP server" "Kea's servers, perfdhcp, dhcpd or ip are not installed"
else
    measured
    refused
    lies
    rm -f "$UBENCH_DHCP/before.json"
    killed TERM 143
    killed KILL 137
fi
summary
