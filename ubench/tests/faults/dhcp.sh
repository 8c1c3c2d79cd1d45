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
    ip link show dhcp1 2>/dev/null || :
}

nothing_left() { [ -z "$(left_behind)" ]; }

measured() {
    dhcp seconds --rate 20 --seconds 3
    check "seconds: exit status" "$status" 0
    check "seconds: each second is there" "$(line '.seconds_each | length')" 3
    check "seconds: the sum is that of the whole" \
        "$(line '([.seconds_each[].asked] | add) <= .trials[0].sent')" true
    printf '{"format":' >>"$results"
    dhcp seconds --rate 20 --seconds 3
    check "a run that is in the file is not repeated, nor its cut off line read" \
        "$status $(wc -l <"$results")" "0 2"
    sed -i '$d' "$results"
    # The pool is what ends this search, on any machine.
    dhcp rate --rate 4 --pool 6 --runs 1 --seconds 1 --lost 20 --within 1
    check "rate: exit status" "$status" 0
    check "rate: DHCPv4, process-safe" "$(line '"\(.family) \(.durability.class)"')" \
        "4 process-safe"
    check "rate: it is that of a trial, or none held" \
        "$(line 'any((.trials[].granted / .seconds, null) == .rate; .)')" true
    check "rate: no trial granted more than the pool has" \
        "$(line 'all(.trials[]; .granted <= 6 and .stored <= 6)')" true
    dhcp storm --clients 50 --store pgsql -s no -t 2
    check "storm on PostgreSQL: exit status" "$status" 0
    check "storm: all were served, on 2 threads; the class was read" \
        "$(line '"\(.trials[0].granted) \(.threads) \(.durability.class)"')" "50 2 volatile"
    dhcp storm --clients 50 --store mysql
    check "storm on MariaDB or MySQL" \
        "$status $(line '"\(.trials[0].granted) \(.durability.class)"')" "0 50 power-safe"
    dhcp storm --clients 50 --server dhcpd
    check "storm on dhcpd" "$status $(line .trials[0].granted)" "0 50"
    check "nothing is left behind" "$(left_behind)" ""
}

# A backend of 80 ms: limits that hold on any machine, fast or busy.
slow_backend() {
    dhcp seconds --hook block,park --rate 30 --seconds 3
    check "a slow backend: exit status" "$status" 0
    check "a slow backend in line: 12.5 clients a second, but for those at its ends" \
        "$(of_hook block '.trials[0] | .granted <= 12.5 * .elapsed_s + 2')" true
    check "a slow backend, parked: answers come later" \
        "$(of_hook park '.trials[0].request.mean_ms >= 40')" true
    dhcp storm --hook cache --clients 20 -6
    check "a cache: all are served when they have asked again" \
        "$status $(line '.trials[0] | "\(.granted) \(.resent >= 20)"')" "0 20 true"
}

# of_hook HOOK FILTER: of the result with that hook.
of_hook() { jq -r "select(.hook == \"$1\") | $2" "$results"; }

# Both partners have all leases of the other after one was killed and came again.
pair() {
    dhcp seconds --ha hot-standby --rate 20 --seconds 18 --kill 2 --ha-delay 3 -t 2
    check "a partner is killed: exit status" "$status" 0
    check "a partner is killed: answers are lost, the other one goes on" \
        "$(line '.failover | "\(.lost > 0) \(.only_survivor > 0)"')" "true true"
    check "a partner that came again: no leases differ" "$(line .failover.differ)" 0
    dhcp storm --ha load-balancing --clients 50 --store pgsql -s no -6
    check "a pair in balance: all were served" \
        "$status $(line '.trials[0] | "\(.granted) \(.stored >= 50)"')" "0 50 true"
}

many() {
    dhcp storm --clients 60 --subnets 3 --reservations 9 --hosts config,mysql
    check "subnets and reservations: all were served" \
        "$status $(tail -n 2 "$results" | jq -r '"\(.trials[0].granted) \(.hosts)"' |
            paste -sd ' ')" "0 60 config 60 mysql"
    check "subnets: clients come from each" \
        "$(grep -v address "$UBENCH_DHCP/server1/leases.csv" | cut -d , -f 6 | sort -u |
            wc -l)" 3
    check "reservations in a database: the server asks it" \
        "$(jq -r '.Dhcp4["hosts-database"].type' "$UBENCH_DHCP/server1/server.conf")" mysql
    dhcp seconds --rate 10 --seconds 1 --pool 30 --full 50,100 --store memfile
    check "a pool that is full: no lease is granted" \
        "$status $(line '"\(.full) \(.trials[0].granted) \(.stored)"')" "0 100 0 30"
    dhcp storm --clients 9 -s volatile
    check "without a file" "$status $(line '"\(.durability.class) \(.stored)"')" \
        "0 volatile null"
}

refused() {
    mkdir "$work/bin"
    printf '#!/bin/sh\necho "no memory" >&2\nexit 1\n' >"$work/bin/kea-dhcp4"
    chmod 755 "$work/bin/kea-dhcp4"
    PATH=$work/bin:$PATH dhcp storm --clients 7
    check "a server that does not start: exit status" "$status" 1
    check "a server that does not start: why" \
        "$(sed "s|$work|.|" "$work/err" | tail -n 2)" "no memory
dhcp.sh: kea-dhcp4 does not start: see above and ./dhcp/server1/server.conf"
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
[ "\$1" = -c ] || exec $real "\$@"
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

# The lines keep their schema.
kept_format() {
    if python3 -c 'import jsonschema' 2>/dev/null; then
        check "the lines keep the schema" "$(python3 -c 'import json, sys, jsonschema
valid = jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).is_valid
print([n for n, line in enumerate(open(sys.argv[2])) if not valid(json.loads(line))])' \
            "$top/results/kea.schema.json" "$results")" "[]"
    else
        skip "the lines keep the schema" "no python3-jsonschema"
    fi
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
    check "$1 in mid-run: its load was not waited for" \
        "$(grep -c 'Rate statistics' "$UBENCH_DHCP/load.out")" 0
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
    if [ -e "$bin/ubench_hook.so" ]; then
        slow_backend
    else
        skip "a slow backend" "ubench_hook.so is not built"
    fi
    pair
    many
    refused
    lies
    kept_format
    rm -f "$UBENCH_DHCP/before.json"
    killed TERM 143
    killed KILL 137
fi
summary
