# shellcheck shell=sh source=lib.sh
# A small campaign at level 2, power loss: what is only written is lost, what is
# synced is not.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
"$CLI/../../../scripts/crash.sh" -o out.jsonl -n 2 -l 2 'sqlite wal full' \
    'sqlite wal off' >table 2>progress
status=$?
reason=$(sed -n 's/.*level 2 is left out: //p' progress)
[ -z "$reason" ] || skip "$reason"
echo "exit $status"
sed -n 's/^\(\(memfile\|sqlite\).* of [0-9]*\) .*/\1/p; /verdict\|CONTRA/p' table
