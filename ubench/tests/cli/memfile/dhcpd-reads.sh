# shellcheck shell=sh source=lib.sh
# ISC dhcpd reads what memfile writes.
. "$CLI/lib.sh"
need memfile_ubench
PATH=$PATH:/usr/sbin:/sbin
command -v dhcpd >/dev/null || skip "dhcpd is not installed"

# fill COUNT LEASES: makes a file in which half of COUNT are alive.
fill() {
    rm -f isc
    "$BIN/memfile_ubench" -n "$1" -s no -S kea -L "$2" -o format=isc -f isc \
        -v no >/dev/null
    # Its removals come last: leave out the second half of them.
    awk '/^lease/ { block = "" } { block = block $0 "\n" }
        /^#/ { printf "%s", block; block = "" }
        /^}/ { if (block !~ /state free/ || removed++ < '"$1"' / 2)
                   printf "%s", block; block = "" }' isc >isc.half
}

for lease in typical guide; do
    echo "dhcpd.leases of $lease leases"
    fill 1000 "$lease"
    grep -c '^lease ' isc.half
    echo 'subnet 1.0.0.0 netmask 255.0.0.0 { range 1.0.0.0 1.0.255.255; }' >conf
    dhcpd -T -cf conf -lf "$PWD/isc.half" >log 2>&1
    echo "exit $?"
    grep -E 'line [0-9]+|orrupt|no subnet|Wrote' log
done

echo "a broken file would have been noticed"
echo 'lease 1.0.0.0 { binding state; }' >broken
dhcpd -T -cf conf -lf "$PWD/broken" 2>&1 | grep corrupt | sed 's/.* line/line/'
