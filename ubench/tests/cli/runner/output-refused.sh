# shellcheck shell=sh source=lib.sh
# What --output must not do: write into something else, make what it may not
# use, or hide that a line did not fit.
. "$CLI/lib.sh"
need memfile_ubench null_ubench sqlite_ubench json_get

try memfile_ubench -v no -f leases -O leases
left
echo 'a shopping list' >notes
remember notes
try null_ubench -v no -O notes
unchanged notes
try null_ubench -v no -t 8 -n 7
try null_ubench -v no -O nowhere/out.jsonl
try null_ubench -v no -O ""

echo "a line that does not fit leaves nothing behind"
"$BIN/null_ubench" -v no -O out.jsonl >/dev/null
remember out.jsonl
(
    ulimit -f $(($(wc -c <out.jsonl) / 512 + 1))
    "$BIN/null_ubench" -v no -O out.jsonl >/dev/null 2>"$SCRATCH/err"
    echo "exit $?"
)
cat "$SCRATCH/err"
unchanged out.jsonl

echo "--json prints the line that --output appends"
"$BIN/null_ubench" --json -n 50 >line
wc -l <line
"$HELPERS/json_get" line format parameters.count runs.0.phases.0.operations

echo "files of others, however they begin, stay as they are"
printf '{ "Dhcp4": { "valid-lifetime": 4000 } }\n' >kea-dhcp4.conf
printf '{\n  "name": "something",\n  "format": "ubench-result/1"\n}\n' >package.json
printf '{"format":"other/1"}\n' >other.jsonl
for file in kea-dhcp4.conf package.json other.jsonl; do
    remember $file
    try null_ubench -v no -O $file
    unchanged $file
done
try memfile_ubench -v no -f leases -O ./leases
mkdir folder && ln -s ../leases folder/link && : >leases
try memfile_ubench -v no -f leases -O folder/link
rm -r folder leases
echo "nor what SQLite removes, or a ledger"
for ending in journal shm wal; do
    try sqlite_ubench -v no -f leases -O ./leases-$ending
done
try memfile_ubench -v no -f leases --ledger /dev/shm/ubench.x -O /dev/shm/ubench.x
try null_ubench -v no -O /

echo "a last line that was cut off is ended, and nothing is lost"
cp out.jsonl whole.jsonl
printf '{"format":"ubench-result/1","program":"cut' >>out.jsonl
"$BIN/null_ubench" -v no -n 50 -O out.jsonl >/dev/null
echo "exit $?"
wc -l <out.jsonl
head -n 1 out.jsonl | cmp - whole.jsonl
tail -n 1 out.jsonl >last && "$HELPERS/json_get" last parameters.count
printf '%s' "$(cat whole.jsonl)" >edited.jsonl
"$BIN/null_ubench" -v no -n 50 -O edited.jsonl >/dev/null
echo "exit $?"
wc -l <edited.jsonl
head -n 1 edited.jsonl | cmp - whole.jsonl
printf '{"format":"ubench-result/1","pro' >first.jsonl
"$BIN/null_ubench" -v no -n 50 -O first.jsonl >/dev/null
wc -l <first.jsonl
"$BIN/null_ubench" -v no -n 50 -O first.jsonl >/dev/null
wc -l <first.jsonl
