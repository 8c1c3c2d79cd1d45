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
-l 4
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
left
