# shellcheck shell=sh source=lib.sh
# The programs whose files memfile writes read them: ISC dhcpd, and the loader
# of Kea's memfile, as kea-lfc runs it.
. "$CLI/lib.sh"
need memfile_ubench
PATH=$PATH:/usr/sbin:/sbin
for program in dhcpd kea-lfc; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

# fill FORMAT COUNT LEASES [-6]: makes a file in which half of COUNT are alive.
fill() {
    rm -f "$1"
    # shellcheck disable=SC2086 # no word or one
    "$BIN/memfile_ubench" -n "$2" -s no -S kea -L "$3" -o format="$1" -f "$1" \
        -v no ${4:-} >/dev/null
    # Its removals come last: leave out the second half of them.
    if [ "$1" = isc ]; then
        awk '/^lease/ { block = "" } { block = block $0 "\n" }
            /^#/ { printf "%s", block; block = "" }
            /^}/ { if (block !~ /state free/ || removed++ < '"$2"' / 2)
                       printf "%s", block; block = "" }' "$1" >"$1.half"
    else
        awk -F, 'NR == 1 { for (v = 1; $v != "valid_lifetime"; v++); }
            NR < 3 || $v != 0 || removed++ < '"$2"' / 2' "$1" >"$1.half"
    fi
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

for lease in typical guide; do
    echo "dhcpd reads dhcpd.leases of $lease leases"
    fill isc 1000 "$lease"
    grep -c '^lease ' isc.half
    echo 'subnet 1.0.0.0 netmask 255.0.0.0 { range 1.0.0.0 1.0.255.255; }' >conf
    dhcpd -T -cf conf -lf "$PWD/isc.half" >log 2>&1
    echo "exit $?"
    grep -E 'line [0-9]+|orrupt|no subnet|Wrote' log

    echo "kea-lfc reads Kea's file of $lease leases"
    fill kea 1000 "$lease"
    try_lfc -4

    echo "and its file of $lease IPv6 leases"
    fill kea 1000 "$lease" -6
    try_lfc -6
done

echo "a broken file would have been noticed"
echo 'lease 1.0.0.0 { binding state; }' >broken
dhcpd -T -cf conf -lf "$PWD/broken" 2>&1 | grep corrupt | sed 's/.* line/line/'
