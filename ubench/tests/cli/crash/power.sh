# shellcheck shell=sh source=lib.sh
# A small campaign at level 2, power loss: what is only written is lost, what is
# synced is not.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
# A machine on which others call sync(2) all the time keeps what is only written, too,
# now and then: one of two crashes that lost is enough, and in one of some campaigns.
for seed in 1 2 3 4 5; do
    "$CLI/../../../scripts/crash.sh" -O out.jsonl -n 2 -l 2 -s $seed 'sqlite wal full' \
        'sqlite wal off' >table 2>progress
    status=$?
    reason=$(sed -n 's/.*are left out: //p' progress)
    [ -z "$reason" ] || skip "$reason"
    [ "$(grep -c '[12] of 2' table)" -lt 2 ] || break
    rm -r out.jsonl*
done
echo "exit $status"
sed -n 's/[12] of 2/some of 2/; s/^\(\(memfile\|sqlite\).* of [0-9]*\) .*/\1/p; /verdict\|CONTRA/p' table
