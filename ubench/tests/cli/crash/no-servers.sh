# shellcheck shell=sh source=lib.sh
# Servers that are not installed are left out, each of them, and the table is there.
. "$CLI/lib.sh"
need memfile_ubench mysql_ubench pgsql_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
UBENCH_PGBIN=$PWD/missing UBENCH_MYSQLD=$PWD/missing "$CLI/../../../scripts/crash.sh" \
    -O out.jsonl -n 1 -l 1 'memfile fdatasync' 'pgsql o*' 'mysql flush [12]' >table 2>progress
echo "exit $?"
reason=$(sed -n 's/.*are left out: //p' progress)
[ -z "$reason" ] || skip "$reason"
sed -n "/left out/{s|$PWD/||;p;}" progress
grep -c 'memfile fdatasync .* of 1 ' table
