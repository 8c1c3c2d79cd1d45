# shellcheck shell=sh source=lib.sh
# A small campaign at level 1: what is acknowledged before it is written is
# missed in every try, and what was written is there.  It goes on where it ended.
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench null_ubench ubench_crash ubench_report
[ -d /dev/shm ] || skip "there is no /dev/shm"
crash=$CLI/../../../scripts/crash.sh

# rows: cell, level, class and lossy of the table, whose rest follows a long name on
# a line of its own.
rows() {
    sed -n '/threads$/{N;s/\n */ /;s/  */ /g;};s/^\(\(memfile\|sqlite\).* of [0-9]*\) .*/\1/p; /verdict\|CONTRA/p' "$@"
}

"$crash" -o out.jsonl -n 3 -l 1 'memfile fdatasync 4*' 'sqlite wal full' \
    >table 2>progress
echo "exit $?"
rows table
# A crash that came too late, or that a busy machine spoilt, is tried again.
judged() { grep '"format":"ubench-crash/1"' out.jsonl | grep -vc '"verdict":"invalid"'; }
lines=$(judged)
echo "$lines lines"
"$crash" -o out.jsonl -n 3 -l 1 'memfile fdatasync 4*' 'sqlite wal full' \
    >again 2>progress
cmp table again && [ "$lines" = "$(judged)" ] &&
    echo "nothing was done twice"

echo "== without a control, or with one that failed, there is no verdict"
grep -v 'memfile buffer' out.jsonl >less.jsonl
"$BIN/ubench_report" crashes less.jsonl >table
echo "exit $?"
rows table
sed '/memfile buffer/s/"verdict":"[a-z]*"/"verdict":"kept"/' out.jsonl >less.jsonl
"$BIN/ubench_report" crashes less.jsonl | rows
echo "== what contradicts its class comes first"
sed '/sqlite wal full/s/"verdict":"[a-z]*"/"verdict":"lost"/' out.jsonl >less.jsonl
"$BIN/ubench_report" crashes less.jsonl | sed -n '1s/ and lost.*//p'
