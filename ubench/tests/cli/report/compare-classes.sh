# shellcheck shell=sh source=lib-compare.sh
# What promises different durability is compared only if somebody insists.
. "$CLI/lib-compare.sh"
result memfile power-safe ',"sync":"yes"' '' 100 101 102 103 104 105 >yes.jsonl
result memfile process-safe ',"sync":"no"' '' 10 11 12 13 14 15 >no.jsonl
{
    result memfile power-safe ',"sync":"yes"' '' 100 101 102
    result memfile volatile ',"sync":"yes"' '' 103 104 105
} >mixed.jsonl
try ubench_report compare yes.jsonl no.jsonl
try ubench_report compare yes.jsonl mixed.jsonl
try ubench_report compare mixed.jsonl mixed.jsonl
sed 's/"class":"power-safe"/"class":null/; s/"store"/"published":"P",&/' yes.jsonl >old.jsonl
sed 's/"class":"power-safe"/"class":null/; s/"store"/"published":"Q",&/' yes.jsonl >older.jsonl
try ubench_report compare old.jsonl older.jsonl
try ubench_report compare --across-classes yes.jsonl no.jsonl
