# shellcheck shell=sh source=lib.sh
# Both levels and families of Kea's memfile, the file that it writes, those that it
# must not, and a ledger that is verified.
. "$CLI/lib.sh"
need kea_ubench null_ubench
digest() {
    program=$1
    shift
    "$BIN/$program" --json "$@" | json_get -e 'r["runs"][0]["digest"]'
}
printf 'exchange mine new\n find_by_address miss\n create hit\n find_by_hwaddr hit\n' >mine.txt
for options in '-w @mine.txt' '-w dora' '-w phases' '-w fill' '-6 -w sarr' '-6 -w decline'; do
    for level in no volatile; do
        # shellcheck disable=SC2086 # words
        [ "$(digest kea_ubench -s $level $options)" = "$(digest null_ubench $options)" ] ||
            echo "$options -s $level: not the work of null"
    done
done
rm mine.txt
"$BIN/kea_ubench" -n 1 -s no -w release --preload 4 -v no >/dev/null
sed 's/,[0-9]*,1,0,0,host/,EXPIRE,1,0,0,host/' kea-leases4.csv | sed -n '2p;$p' |
    cut -d , -f 1-10
"$BIN/kea_ubench" -s volatile -n 10 -t 2 --json |
    json_get -e '"%(class)s: %(from)s" % r["durability"]'
try kea_ubench -6 -s no -v no -f kea-leases4.csv
echo address,hwaddr >foreign
try kea_ubench -s no -v no -f foreign
cat foreign
ledger=$(mktemp /dev/shm/ubench-XXXXXX)
rm "$ledger"
"$BIN/kea_ubench" -w churn -n 400 --preload 400 -t 2 -s no --json --ledger "$ledger" |
    json_get -e '"%(leases_left)s left, verified: %(verified)s" % r["runs"][0]'
"$BIN/kea_ubench" --verify "$ledger" >verdict
echo "verified: exit $?"
rm -f "$ledger"
left
