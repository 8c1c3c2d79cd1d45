# shellcheck shell=sh source=lib.sh
# A campaign that is told to end does so at once, in the middle of a crash, and
# leaves nothing behind; the same command goes on.
. "$CLI/lib.sh"
need memfile_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
crash=$CLI/../../../scripts/crash.sh
memory=$(mktemp -d /dev/shm/ubench.XXXXXX) || skip "/dev/shm cannot be written"
trap 'rm -rf "$memory"' EXIT

# A program that never crashes anything, in the place of ubench_crash.
mkdir bin
for program in "$BIN"/*ubench*; do
    ln -s "$program" bin/
done
rm bin/ubench_crash
printf '#!/bin/sh\necho >called\nexec sleep 1000\n' >bin/ubench_crash
chmod +x bin/ubench_crash
while read -r signal option; do
    rm -f called
    # shellcheck disable=SC2086 # one or none
    BIN=$PWD/bin "$crash" $option -o out.jsonl -n 2 -l 1 -d "$memory" 'memfile write' \
        >table 2>progress &
    campaign=$!
    await test -e called
    kill -s "$signal" "$campaign"
    wait "$campaign" # less than a case has, and not as long as that program
    echo "exit $?"
    ls "$memory"
    grep -c crash/1 out.jsonl
done <<'END'
TERM
HUP
TERM -j
END
"$crash" -j -n 2 -l 1 'memfile write' -o out.jsonl -d "$memory" >table 2>progress
echo "exit $?"
grep -c '"cell":"memfile write"' out.jsonl
