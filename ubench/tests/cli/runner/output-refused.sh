# shellcheck shell=sh source=lib.sh
# What --output must not do: write into something else, make what it may not
# use, or hide that a line did not fit.
. "$CLI/lib.sh"
need memfile_ubench null_ubench json_get

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
