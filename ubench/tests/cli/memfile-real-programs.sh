# shellcheck shell=sh source=lib.sh
# The programs whose files memfile writes read them: ISC dhcpd, and the loader
# of Kea's memfile, as kea-lfc runs it.
. "$CLI/lib.sh"
need memfile_ubench
PATH=$PATH:/usr/sbin:/sbin
for program in dhcpd kea-lfc; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

# fill FORMAT COUNT LEASES: makes a file in which half of COUNT are alive.
fill() {
    "$BIN/memfile_ubench" -n "$2" -s no -S kea -L "$3" -o format="$1" -f "$1" \
        -v no >/dev/null
    # Its removals come last: leave out the second half of them.
    if [ "$1" = isc ]; then
        awk '/^lease/ { block = "" } { block = block $0 "\n" }
            /^#/ { printf "%s", block; block = "" }
            /^}/ { if (block !~ /state free/ || removed++ < '"$2"' / 2)
                       printf "%s", block; block = "" }' "$1" >"$1.half"
    else
        awk -F, 'NR < 3 || $4 != 0 || removed++ < '"$2"' / 2' "$1" >"$1.half"
    fi
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
    cp kea.half copy
    KEA_LOCKFILE_DIR=$PWD kea-lfc -4 -d -x previous -i copy -o output \
        -f finish -p pid -c /dev/null >log 2>&1
    echo "exit $?"
    sed -n 's/.*LFC_READ_STATS/read/p; s/.*LFC_WRITE_STATS/wrote/p' log
    # What it kept: the leases that were not removed, as they were updated.
    sed 1d previous | awk -F, '{ print $4 }' | sort | uniq -c
    rm -f previous
done

echo "a broken file would have been noticed"
echo 'lease 1.0.0.0 { binding state; }' >broken
dhcpd -T -cf conf -lf "$PWD/broken" 2>&1 | grep corrupt | sed 's/.* line/line/'
