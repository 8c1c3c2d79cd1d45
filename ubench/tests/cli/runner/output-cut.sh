# shellcheck shell=sh source=lib.sh
# A line that does not fit is not hidden, and one that was cut off is ended.
. "$CLI/lib.sh"
need null_ubench
"$BIN/null_ubench" -v no -O out.jsonl >/dev/null
remember out.jsonl
(
    ulimit -f $(($(wc -c <out.jsonl) / 512 + 1))
    "$BIN/null_ubench" -v no -O out.jsonl >/dev/null 2>"$SCRATCH/err"
    echo "exit $?"
)
cat "$SCRATCH/err"
unchanged out.jsonl

cp out.jsonl whole.jsonl
printf '{"format":"ubench-result/1","program":"cut' >>out.jsonl
"$BIN/null_ubench" -v no -n 50 -O out.jsonl >/dev/null 2>&1
echo "exit $?"
wc -l <out.jsonl
head -n 1 out.jsonl | cmp - whole.jsonl
tail -n 1 out.jsonl >last && json_get last parameters.count
printf '%s' "$(cat whole.jsonl)" >edited.jsonl
"$BIN/null_ubench" -v no -n 50 -O edited.jsonl >/dev/null 2>&1
echo "exit $?"
wc -l <edited.jsonl
head -n 1 edited.jsonl | cmp - whole.jsonl
printf '{"format":"ubench-result/1","pro' >first.jsonl
"$BIN/null_ubench" -v no -n 50 -O first.jsonl >/dev/null 2>&1
wc -l <first.jsonl
"$BIN/null_ubench" -v no -n 50 -O first.jsonl >/dev/null 2>&1
wc -l <first.jsonl
