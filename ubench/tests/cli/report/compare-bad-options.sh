# shellcheck shell=sh source=lib-compare.sh
. "$CLI/lib-compare.sh"
result mysql power-safe ',"sync":"yes"' '' 100 101 >a.jsonl
result mysql power-safe ',"sync":"no"' '' 100 101 >b.jsonl
result pgsql power-safe ',"sync":"no"' '' 100 101 >pgsql.jsonl
sed 's/"name":"create"/"name":"dora"/g; s/"name":"delete"/"name":"renew"/g' \
    b.jsonl >dora.jsonl
sed 's/{"phases"/{"incomplete":true,"phases"/g' b.jsonl >cut.jsonl
: >empty.jsonl
try ubench_report compare
try ubench_report compare a.jsonl
try ubench_report compare a.jsonl b.jsonl dora.jsonl
try ubench_report compare a.jsonl a.jsonl
try ubench_report compare a.jsonl ./a.jsonl
try ubench_report compare a.jsonl missing.jsonl
try ubench_report compare a.jsonl empty.jsonl
try ubench_report compare a.jsonl dora.jsonl
cat a.jsonl pgsql.jsonl >two.jsonl
sed s/mysql/sqlite/g b.jsonl >sqlite.jsonl
try ubench_report compare two.jsonl sqlite.jsonl
try ubench_report compare a.jsonl cut.jsonl
try ubench_report compare --phases=renew a.jsonl b.jsonl
try ubench_report compare --phases=create,delet a.jsonl b.jsonl
try ubench_report compare --phases=creat a.jsonl b.jsonl
try ubench_report compare --baseline sync=yes a.jsonl b.jsonl
try ubench_report compare --candidate sync=yes a.jsonl b.jsonl
try ubench_report compare --baseline sync=yes --candidate sync=yes a.jsonl b.jsonl
try ubench_report compare --baseline sync=yes --candidate store=mysql a.jsonl b.jsonl
try ubench_report compare --baseline sync=yes --candidate sync=maybe a.jsonl b.jsonl
try ubench_report compare --baseline sink=yes --candidate sync=no a.jsonl b.jsonl
try ubench_report compare --baseline sync --candidate sync=no a.jsonl b.jsonl
try ubench_report compare --baseline =yes --candidate sync=no a.jsonl b.jsonl
try ubench_report compare --baseline sync=yes --candidate sync=no
try ubench_report compare --baseline sync=yes --candidate sync=no a.jsonl
try ubench_report compare --where store=pgsql a.jsonl b.jsonl
try ubench_report compare --where sync=yes a.jsonl b.jsonl
try ubench_report compare --min-effect=-1 a.jsonl b.jsonl
try ubench_report compare --min-effect=101% a.jsonl b.jsonl
try ubench_report compare --min-effect=3%% a.jsonl b.jsonl
try ubench_report compare --min-effect=% a.jsonl b.jsonl
try ubench_report compare --figure=p90 a.jsonl b.jsonl
try ubench_report compare --format=html a.jsonl b.jsonl
try ubench_report compare --fail-on-regression=yes a.jsonl b.jsonl
try ubench_report compare --nonsense a.jsonl b.jsonl
# No more values than a person reads; and one of them may be a part of another.
for threads in 100 10 1 2 3 4 5 6 7 8; do
    result mysql power-safe ",\"threads\":\"$threads\"" '' 100
done >many.jsonl
try ubench_report compare --baseline threads=0 --candidate threads=8 many.jsonl
left
