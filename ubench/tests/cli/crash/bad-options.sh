# shellcheck shell=sh source=lib.sh
# What is no command line of crash.sh.
. "$CLI/lib.sh"
need ubench_crash

while IFS= read -r options; do
    echo "\$ crash.sh $options"
    # shellcheck disable=SC2086 # words
    "$CLI/../../../scripts/crash.sh" $options 2>&1
    echo "exit $?"
done <<'END'
-n 0
-n 5x
-n 1000000
-s -1
-l 1d
-l 1,,5
-d missing
-s
--nonsense
sqlite*wal* -n
sqlite*wal* -x
sqlite*wall*
END
"$CLI/../../../scripts/crash.sh" 'sqlite wal full' '-n' 2>&1
echo "exit $?"
"$CLI/../../../scripts/crash.sh" -l '' 2>&1
echo "exit $?"
echo "files of others, and half a line"
echo 'a shopping list' >notes
for file in notes / /dev/full; do
    "$CLI/../../../scripts/crash.sh" -O $file -n 1 -l 1 'memfile write' 2>&1
    echo "exit $?"
done
cat notes
rm notes
[ -d /dev/shm ] || skip "there is no /dev/shm"
printf '{"format":"ubench-crash/1","labels":{"cell":"memfile write"' >cut.jsonl
"$CLI/../../../scripts/crash.sh" -o cut.jsonl -n 1 -l 1 'memfile write' >/dev/null 2>&1
echo "exit $?"
grep -c '"verdict":"invalid"' cut.jsonl
rm -r cut.jsonl*
left
