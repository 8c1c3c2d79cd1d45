# shellcheck shell=sh source=lib.sh
# Kea reads what memfile writes: the loader of its memfile, as kea-lfc runs it, and
# its servers.
. "$CLI/lib.sh"
need memfile_ubench
PATH=$PATH:/usr/sbin:/sbin
for program in kea-lfc kea-dhcp4 kea-dhcp6; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

# fill COUNT LEASES [-6]: makes a file in which half of COUNT are alive.
fill() {
    rm -f kea
    # shellcheck disable=SC2086 # no word or one
    "$BIN/memfile_ubench" -n "$1" -s no -S kea -L "$2" -o format=kea -f kea \
        -v no ${3:-} >/dev/null
    # Its removals come last: leave out the second half of them.
    awk -F, 'NR == 1 { for (v = 1; $v != "valid_lifetime"; v++); }
        NR < 3 || $v != 0 || removed++ < '"$1"' / 2' kea >kea.half
}

# try_lfc FAMILY: gives the half file to kea-lfc and shows what it kept: the
# leases that were not removed, as they were updated.
try_lfc() {
    cp kea.half copy
    KEA_LOCKFILE_DIR=$PWD kea-lfc "$1" -d -x previous -i copy -o output \
        -f finish -p pid -c /dev/null >log 2>&1
    echo "exit $?"
    sed -n 's/.*LFC_READ_STATS/read/p; s/.*LFC_WRITE_STATS/wrote/p' log
    awk -F, 'NR == 1 { for (v = 1; $v != "valid_lifetime"; v++); }
        NR > 1 { print $v }' previous | sort | uniq -c
    # Addresses that it read and wrote, as we write them.
    sed '1d; s/,.*//' previous | sort >kept
    sed '1d; s/,.*//' kea.half | sort -u | comm -13 - kept | head -n 3
    rm -f previous
}

# try_server 4|6 PREFIX: starts Kea's server with the half file and shows what it has
# to say of it.  It serves no network, and is a copy, as its name may have a profile.
try_server() {
    here=$PWD/server$1$((servers += 1))
    mkdir "$here"
    : >"$here/log"
    cp kea.half "$here/leases"
    cp "$(command -v "kea-dhcp$1")" "$here/server"
    cat >"$here/conf" <<END
{ "Dhcp$1": {
    "interfaces-config": { "interfaces": [] },
    $([ "$1" = 4 ] || echo '"server-id": { "type": "EN", "persist": false,
        "enterprise-id": 2495, "identifier": "00" },')
    "lease-database": { "type": "memfile", "lfc-interval": 0, "name": "$here/leases" },
    "subnet$1": [ { "id": 1, "subnet": "$2" } ] } }
END
    KEA_PIDFILE_DIR=$here KEA_LOCKFILE_DIR=$here KEA_DHCP_DATA_DIR=$here \
        "$here/server" -d -c "$here/conf" >>"$here/log" 2>&1 &
    pid=$!
    await has_started_or_ended "$1"
    grep -o "DHCP$1_STARTED" "$here/log" || tail -n 3 "$here/log"
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    # A Kea whose leases had fewer columns then has kea-lfc write them anew.
    grep -E '(WARN|ERROR|FATAL).*(LEASE|LFC)' "$here/log" | grep -v CONVERTING | head -n 3
}
has_started_or_ended() {
    grep -q "DHCP$1_STARTED" "$here/log" || ! kill -0 "$pid" 2>/dev/null
}
servers=0

for lease in typical guide; do
    echo "a file of $lease leases"
    fill 1000 "$lease"
    try_lfc -4
    try_server 4 1.0.0.0/8

    echo "and one of $lease IPv6 leases"
    fill 1000 "$lease" -6
    try_lfc -6
    try_server 6 2001:db8::/32
done

echo "a broken file would have been noticed"
echo '1.0.0.7,no address' >>kea.half
try_server 6 2001:db8::/32 | grep -o '[A-Z_]*ERROR discarding'
