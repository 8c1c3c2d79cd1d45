# shellcheck shell=sh source=lib.sh
# A small campaign at level 3, on a disk that drops, reorders and tears what was
# not synced; the same seed leaves the same.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench null_ubench ubench_crash ubench_report \
    ubench_disk.so
[ -d /dev/shm ] || skip "there is no /dev/shm"
! ldd "$BIN/memfile_ubench" | grep -q 'lib[at]san' ||
    skip "a sanitizer wants to be the first library"
"$CLI/../../../scripts/crash.sh" -O out.jsonl -n 3 -l 3 'sqlite delete extra' \
    >table 2>progress
echo "exit $?"
sed -n 's/^\(\(memfile\|sqlite\).* of [0-9]*\) .*/\1/p; /verdict\|CONTRA/p' table

ledger=$(mktemp /dev/shm/ubench.XXXXXX) || exit 1
trap 'rm -f "$ledger"' EXIT
mkdir leases
LD_PRELOAD=$BIN/ubench_disk.so UBENCH_DISK_RECORD=$PWD/record \
    UBENCH_DISK_FOLDER=$PWD/leases "$BIN/memfile_ubench" -v no -s no -n 300 \
    -w churn --preload 10 --ledger "$ledger" -f "$PWD/leases/x" >/dev/null
cp leases/x whole
for seed in 1 1 2; do
    "$BIN/ubench_crash" --spoil leases --record record --ledger "$ledger" \
        --seed "$seed"
    mv leases/x now
    if cmp -s now before; then echo "as before"; else echo "another"; fi
    mv now before
done
cmp -s whole before || echo "not the whole"
try ubench_crash --spoil leases --record missing --ledger "$ledger" |
    sed "s|$ledger|LEDGER|"
: >empty
try ubench_crash --spoil leases --record empty --ledger "$ledger" |
    sed "s|$ledger|LEDGER|"
try ubench_crash --spoil leases --ledger x
try ubench_crash --power
