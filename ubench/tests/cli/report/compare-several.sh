# shellcheck shell=sh source=lib-compare.sh
# One baseline and several candidates: values of a key, files, or --candidate more
# than once.  All verdicts hold together.
. "$CLI/lib-compare.sh"
for i in 1 2 3 4 5 6; do
    for cell in "1 $((600 + i))" "4 $((200 + i))" "16 $((601 + i % 3))"; do
        result mysql bounded ",\"threads\":\"${cell% *}\",\"sync\":\"yes\"" \
            ",\"campaign\":\"c\",\"block\":\"$i\"" "${cell#* }"
    done
    result sqlite bounded ',"threads":"1","sync":"yes"' \
        ",\"campaign\":\"c\",\"block\":\"$i\"" $((300 + i))
done >out.jsonl
try ubench_report compare --by threads --where store=mysql out.jsonl
try ubench_report compare --by threads --where store=mysql --baseline threads=16 \
    --format=csv --fail-on-regression out.jsonl
try ubench_report compare --by store --where threads=1 --format=markdown out.jsonl
try ubench_report compare --baseline threads=4 --candidate threads=1 \
    --candidate threads=16 --candidate sync=yes --format=csv out.jsonl
grep '"threads":"1"' out.jsonl | grep mysql >one.jsonl
grep '"threads":"4"' out.jsonl | sed 's/"4"/"1"/' >four.jsonl
grep '"threads":"16"' out.jsonl | sed 's/"16"/"1"/' >sixteen.jsonl
try ubench_report compare --format=csv one.jsonl four.jsonl sixteen.jsonl
# What cannot be compared so.
try ubench_report compare --by sync out.jsonl
try ubench_report compare --by colour out.jsonl
try ubench_report compare --by threads --candidate threads=4 out.jsonl
try ubench_report compare --by threads --baseline threads=5 out.jsonl
try ubench_report compare one.jsonl four.jsonl one.jsonl
