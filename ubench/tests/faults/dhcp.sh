#!/bin/sh
# SPDX-License-Identifier: ISC
# dhcp.sh: scripts/dhcp with real servers: what it measures, and what it leaves
# when it is killed; with DHCP_TESTS=stores only the stores.  Rates are small: the machine
# may be busy.
. "$(dirname "$0")/../lib/cases.sh"

export UBENCH_DHCP="$work/dhcp"
results=$UBENCH_DHCP/results.jsonl

dhcp() {
    BIN=$bin timeout 3600 "$top/scripts/dhcp" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# line EXPRESSION: of Python, about the last result, r, and its last trial, t.
line() { tail -n 1 "$results" | of_each "$1"; }
of_each() {
    python3 -c 'import json, statistics, sys
for line in sys.stdin:
    r = json.loads(line)
    t = r["trials"][-1]
    print('"$1"')'
}

# left_behind: what is there of it outside its namespaces.
left_behind() {
    pgrep -f "$UBENCH_DHCP" || :
    ip link show dhcp1 2>/dev/null || :
}

nothing_left() { [ -z "$(left_behind)" ]; }

# Each store of the Kea that is installed.
stores() {
    dhcp storm --clients 30 --store memfile,mysql,pgsql --family 4,6
    check "a storm on each store, in both families" \
        "$status $(of_each 'r["store"], r["family"], t["granted"], r["durability"]["class"]' \
            <"$results" | tail -n 6 | paste -sd ,)" \
        "0 memfile 4 30 process-safe,mysql 4 30 power-safe,pgsql 4 30 power-safe,$(:
        )memfile 6 30 process-safe,mysql 6 30 power-safe,pgsql 6 30 power-safe"
    dhcp storm --ha load-balancing --clients 30 --store pgsql -s no -6
    check "a pair in balance: all were served" \
        "$status $(line 't["granted"], t["stored"] >= 30, r["durability"]["class"]')" \
        "0 30 True volatile"
    dhcp seconds --rate 50 --seconds 3 --renew 50 --release 30 --store pgsql,memfile \
        --set cache-threshold=0.9
    check "renewals and releases, of leases so young that they are not written" \
        "$status $(line 't["renew"]["received"] > 50, t["release"]["sent"] > 30, r["renewals"],
            0 < sum(one["granted"] for one in r["seconds_each"]) <= t["granted"]')" \
        "0 True True cached True"
    check "no renewal is in the lease file: its head, the first client, and those" \
        "$(wc -l <"$UBENCH_DHCP/server1/leases.csv")" \
        "$(line '2 + t["granted"] + t["release"]["sent"]')"
}

measured() {
    dhcp seconds --rate 20 --seconds 3
    check "seconds: each second is there" "$status $(line 'len(r["seconds_each"])')" "0 3"
    check "seconds: the sum is that of the whole" \
        "$(line 'sum(one["asked"] for one in r["seconds_each"]) <= t["sent"]')" True
    printf '{"format":' >>"$results"
    dhcp seconds --rate 20 --seconds 3
    check "a run that is in the file is not repeated, nor its cut off line read" \
        "$status $(grep -c '' "$results")" "0 2"
    sed -i '$d' "$results"
    # The pool is what ends this search, on any machine.
    dhcp rate --rate 4 --pool 6 --runs 1 --seconds 1 --lost 20 --within 1
    check "rate: exit status" "$status" 0
    check "rate: it is a median of the trials at the lower bound, or none held" \
        "$(line 'r["rate"] is None or r["rate"] == statistics.median(one["granted_per_s"]
            for one in r["trials"] if one["offered"] == r["goals"][0]["lower"]
            and one["kept_up"])')" True
    check "rate: two goals, and trials of 1 s are rough" \
        "$(line '[goal["max_lost"] for goal in r["goals"]], r["rough"]')" "[0.2, 0.001] True"
    check "rate: no trial granted more than the pool has" \
        "$(line 'all(max(one["granted"], one["stored"]) <= 6
            for one in r["trials"])')" True
    dhcp storm --clients 50 --server dhcpd
    check "storm on dhcpd" "$status $(line 't["granted"]')" "0 50"
    check "nothing is left behind" "$(left_behind)" ""
}

# Leases of others: 300 run out, 100 at a time, each second; 300 stay.
others() {
    dhcp expire --leases 300 --seconds 10 --store memfile,pgsql \
        --set expired-leases-processing.reclaim-timer-wait-time=1 \
        --set expired-leases-processing.max-reclaim-time=0
    check "leases that ran out are reclaimed" \
        "$status $(tail -n 2 "$results" | of_each 'r["expire"]["left"], 0 <= r["expire"]["silent_s"] <= 10,
            r["expire"]["reclaimed"]' | sort -u)" "0 0 True 300"
}

# A file as a site has it: Kea's comments, an include, reservations, a pair, its own hooks.
site() {
    echo '{ "pool": "10.9.2.10 - 10.9.2.99" }, # the guests' >"$work/pools.json"
    cat >"$work/site.conf" <<'END'
// of a site
{ "Dhcp4": { /* v4 */
  "interfaces-config": { "interfaces": [ "eth7" ] }, "valid-lifetime": 4000,
  "control-socket": { "socket-type": "unix", "socket-name": "/nowhere/kea#4.sock" },
  "lease-database": { "type": "mysql", "name": "kea", "host": "192.0.2.9",
    "lfc-interval": 77 },
  "hooks-libraries": [
    { "library": "/opt/kea/libdhcp_lease_cmds.so" }, { "library": "/opt/libdhcp_stat_cmds.so" },
    { "library": "/opt/kea/libdhcp_nowhere.so" },
    { "library": "/opt/kea/libdhcp_ha.so", "parameters": { "high-availability": [
      { "this-server-name": "a", "mode": "hot-standby", "send-lease-updates": false,
        "peers": [] } ] } } ],
  "shared-networks": [ { "name": "n", "interface": "eth7", "renew-timer": 900, "subnet4": [
    { "id": 7, "subnet": "10.0.0.0/8", "pools": [ <?include "pools.json"?> ],
      "reservations": [ { "hw-address": "01:02:03:04:05:06", "ip-address": "10.9.2.7" } ],
    } ] } ],
} }
END
    dhcp storm --config "$work/site.conf" --clients 20 --set cache-threshold=0.5 \
        --hosts pgsql
    check "a site's file: clients are served by a pair, and what is replaced is recorded" \
        "$status $(line 't["granted"], r["ha"], r["config"]["file"], r["set"], len(r["replaced"])')" \
        "0 20 hot-standby site.conf {'cache-threshold': 0.5} 9"
    check "a site's file: a hook library that is absent is left out, and that is recorded" \
        "$(grep -c 'no such hook library: libdhcp_nowhere.so' "$work/out") $(
            line '[one for one in r["replaced"] if "nowhere" in one]')" \
        "1 ['hooks-libraries: libdhcp_nowhere.so, which this Kea does not have']"
    check "a site's file: the screen says that a pair ran, and it updates itself as there" \
        "$(grep -c 'kea memfile pair (hot-standby)' "$work/out") $(
            grep -c '"send-lease-updates": false' "$UBENCH_DHCP/server1/server.conf")" "1 1"
    check "a site's file: its subnet, its hook, its settings, and the member that --set changed" \
        "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["Dhcp4"]
print(d["shared-networks"][0]["subnet4"][0]["pools"][0]["pool"], d["subnet4"][0]["renew-timer"],
      d["lease-database"]["lfc-interval"], d["cache-threshold"],
      sum("sql" not in hook["library"] for hook in d["hooks-libraries"]),
      d["subnet4"][0]["subnet"], d["hosts-database"]["name"])' \
            "$UBENCH_DHCP/server1/server.conf")" \
        "10.9.2.10 - 10.9.2.99 900 77 0.5 3 10.0.0.0/7 kea"
}

# Where the time goes: each store has its parts, and a new client its eight statements.
where_time() {
    dhcp seconds --where --rate 10 --seconds 4 --store memfile,mysql,pgsql
    check "where: exit status, and what is said" "$status $(
        grep -c 'whole: a client waits' "$work/out")" "0 3"
    check "where: the parts that each store must have" \
        "$(tail -n 3 "$results" | of_each 'r["store"], sorted({one["name"]
            for one in t["where"]["parts"]} - {"socket", "wait"})' | paste -sd ';')" \
        "memfile ['outside', 'queue', 'server'];$(:
        )mysql ['database', 'outside', 'queue', 'server', 'statement'];$(:
        )pgsql ['database', 'outside', 'queue', 'server', 'statement', 'sync']"
    # More if clients were not answered in time.
    check "where: a new client costs eight statements, and waits for one sync or more" \
        "$(tail -n 2 "$results" | of_each 'sum(one["count"] for one in t["where"]["parts"]
            if one["name"] == "statement") > 7.9, [one["count"] > 0.9 for one in
            t["where"]["parts"] + t["where"]["within"] if one["name"] == "sync"]' |
            sort -u)" "True [True]"
}

# A backend of 80 ms: limits that hold on any machine, fast or busy.
slow_backend() {
    dhcp seconds --hook block,park --rate 30 --seconds 3
    check "a slow backend in line: 12.5 clients a second, but for those at its ends" \
        "$status $(of_hook block 't["granted"] <= 12.5 * t["elapsed_s"] + 2')" "0 True"
    check "a slow backend, parked: answers come later" \
        "$(of_hook park 't["request"]["mean_ms"] >= 40')" True
    dhcp storm --hook cache --clients 20 -6
    check "a cache: all are served when they have asked again" \
        "$status $(line 't["granted"], t["resent"] >= 20')" "0 20 True"
}

# of_hook HOOK FILTER: of the result with that hook.
of_hook() { grep "\"hook\":\"$1\"" "$results" | tail -n 1 | of_each "$2"; }

# Both partners have all leases of the other after one was killed and came again.
pair() {
    dhcp seconds --ha hot-standby --rate 20 --seconds 18 --kill 2 --ha-delay 3 -t 2
    check "a partner is killed: answers are lost, the other one goes on" "$status $(line \
        'all(r["failover"][name] > 0 for name in ("lost", "only_survivor"))')" "0 True"
    check "a partner that came again: no leases differ" "$(line 'r["failover"]["differ"]')" 0
}

# Two servers on each database, of which the first is killed.
several() {
    dhcp seconds --servers 2 --store mysql,pgsql --rate 40 --seconds 6 --kill 3
    check "several servers: clients of each were served, and no answer was missed" \
        "$status $(tail -n 2 "$results" | of_each 'r["heard"]["granted_twice"], r["heard"]["missed"],
            r["heard"]["grants"] >= t["granted"], all(one["granted"] for one in t["by_server"]),
            sum(one["granted"] for one in t["by_server"]) == t["granted"],
            len(r["seconds_by_server"])' | sort -u)" "0 0 0 True True True 2"
    check "a server is killed: its clients get no answer, those of the other one do" \
        "$(tail -n 2 "$results" | of_each 'r["server_loss"]["lost"] > 0,
            r["server_loss"]["others_after_per_s"] > 0' | sort -u)" "True True"
    lines=$(wc -l <"$results")
    two_databases
    PATH=$work/kea/bin:$PATH dhcp seconds --servers 2 --store pgsql --rate 20 --seconds 2
    check "an address that two servers grant: exit status, and no line" \
        "$status $(($(wc -l <"$results") - lines))" "3 0"
    check "an address that two servers grant: which, and to whom" \
        "$(tail -n 1 "$work/err" | sed 's/[0-9.]* was/ADDRESS was/; s/[01]c\(:[0-9a-f]*\)\{5\}/CLIENT/g')" \
        "dhcp: ADDRESS was granted to 2 clients, CLIENT and CLIENT: no figures"
    rm -r "$work/kea"
}

# two_databases: a kea-dhcp4 whose second server keeps leases of its own.  Hook libraries are looked
# for beside the program.
two_databases() {
    mkdir -p "$work/kea/bin"
    server=$(readlink -f "$(command -v kea-dhcp4)")
    ln -s "${server%/*/*}/lib" "$work/kea/lib"
    cat >"$work/kea/bin/kea-dhcp4" <<END
#!/bin/sh
case \$2 in
*/server2/*) python3 -c 'import json, sys
config = json.load(open(sys.argv[1]))
config["Dhcp4"]["lease-database"] = {"type": "memfile", "persist": False}
json.dump(config, open(sys.argv[2], "w"))' "\$2" "\$2.own" && set -- -c "\$2.own" ;;
esac
exec $server "\$@"
END
    chmod 755 "$work/kea/bin/kea-dhcp4"
}

many() {
    dhcp storm --clients 60 --subnets 3 --reservations 9 --hosts config,mysql
    check "subnets and reservations: all were served" \
        "$status $(tail -n 2 "$results" | of_each 't["granted"], r["hosts"]' |
            paste -sd ' ')" "0 60 config 60 mysql"
    check "subnets: clients come from each" \
        "$(grep -v address "$UBENCH_DHCP/server1/leases.csv" | cut -d , -f 6 | sort -u |
            wc -l)" 3
    check "reservations in a database: the server asks it" \
        "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["Dhcp4"]["hosts-database"]["type"])' \
            "$UBENCH_DHCP/server1/server.conf")" mysql
    dhcp seconds --rate 10 --seconds 1 --pool 30 --leases 15,0,30 --store memfile
    check "a run with leases of others is not one without" \
        "$(tail -n 3 "$results" | of_each 'r.get("leases")' | paste -sd ' ')" "15 None 30"
    check "a pool that is full: no lease is granted" \
        "$status $(line 'r["leases"], t["granted"], r["stored"]')" "0 30 0 30"
    dhcp lfc --leases 3000 --seconds 13
    check "the lease file is cleaned up, and clients are served" \
        "$status $(line 'r["lfc"]["duration_s"] > 0, t["lost"], r["stored"] - t["granted"]')" \
        "0 True 0.0 3001"
    dhcp storm --clients 9 -s volatile
    check "without a file" "$status $(line 'r["durability"]["class"], r["stored"]')" \
        "0 volatile None"
}

refused() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\necho "no memory" >&2\nexit 1\n' >"$work/bin/kea-dhcp4"
    chmod 755 "$work/bin/kea-dhcp4"
    PATH=$work/bin:$PATH dhcp storm --clients 7
    check "a server that does not start: why" \
        "$status $(sed "s|$work|.|" "$work/err" | tail -n 2)" "1 no memory
dhcp: kea-dhcp4 does not start: see above and ./dhcp/server1/server.conf"
    dhcp storm --clients 7 --set no-such-member=1
    check "a member that this Kea does not know: which, and what to do" \
        "$status $(sed 's/kea-dhcp4 [^ ]*/KEA/' "$work/err" | tail -n 1)" \
        "1 dhcp: KEA does not know 'no-such-member', a member of Dhcp4; leave it out of --set and $(:
        )--config, or measure a newer Kea (scripts/distro.sh, --prefix)"
    chmod 755 "$work"
    mkdir "$work/tree" "$work/tree/scripts" # where another user reaches it
    cp "$top/scripts/dhcp" "$work/tree/scripts"
    cp -RL "$top/python" "$work/tree"
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$work/tree/scripts/dhcp" storm >"$work/out" 2>&1
    check "without root it is skipped, and why" "$? $(cat "$work/out")" \
        "77 dhcp: skipped: only root can make network namespaces; run it with sudo"
}

# A lease that was granted and is not in the store is no figure.
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
    check "a server that keeps no lease: exit status" "$status" 3
    check "a server that keeps no lease: why" "$(tail -n 1 "$work/err")" \
        "dhcp: 9 leases were granted, and the store has 0: no figures"
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
    setsid "$top/scripts/dhcp" seconds --rate 20 --seconds 600 -t 3 \
        >"$work/out" 2>&1 &
    dhcp_pid=$!
    await test -s "$UBENCH_DHCP/load.out"
    dhcp seconds --rate 20
    check "a second one is refused: $1" "$status $(cat "$work/err")" \
        "1 dhcp: another dhcp is running here"
    kill "-$1" "$dhcp_pid"
    wait "$dhcp_pid"
    check "$1 in mid-run: exit status" "$?" "$2"
    check "$1 in mid-run: its load was not waited for" \
        "$(grep -c 'Rate statistics' "$UBENCH_DHCP/load.out")" 0
    await nothing_left
    check "$1 in mid-run: nothing is left behind" "$(left_behind)" ""
    rm -f "$UBENCH_DHCP/load.out"
}

if [ "$(id -u)" != 0 ] || ! unshare --net true 2>/dev/null; then
    echo "left out: a real DHCP server: this machine allows no network namespaces"
elif ! command -v perfdhcp kea-dhcp4 kea-dhcp6 ip >/dev/null ||
    ! command -v "$([ -n "${DHCP_TESTS:-}" ] && echo ip || echo dhcpd)" >/dev/null; then
    skip "a real DHCP server" "Kea's servers, perfdhcp, dhcpd or ip are not installed"
elif [ "${DHCP_TESTS:-}" = stores ]; then
    stores
    where_time
    several
    others
    site
    [ ! -e "$bin/ubench_hook.so" ] || slow_backend
    kept_format
else
    measured
    stores
    where_time
    several
    others
    site
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
    rm -f "$UBENCH_DHCP/load.out"
    killed TERM 143
    killed KILL 137
fi
summary
