# shellcheck shell=sh source=lib-compare.sh
# Two files, not interleaved: each run counts by itself.
. "$CLI/lib-compare.sh"
result mysql power-safe '' '' 100 101 102 99 98 103 97 100 180 >before.jsonl
result mysql power-safe '' '' 120 121 122 119 118 123 117 120 60 >slower.jsonl
result mysql power-safe '' '' 101 99 103 98 100 102 97 100 50 >same.jsonl
result mysql power-safe ',"seed":"7"' '' 80 81 82 79 78 83 77 80 200 >faster.jsonl
try ubench_report compare before.jsonl slower.jsonl
try ubench_report compare --fail-on-regression before.jsonl slower.jsonl
try ubench_report compare --fail-on-regression before.jsonl same.jsonl
try ubench_report compare --fail-on-regression --format=csv before.jsonl \
    faster.jsonl
# A gate that lacks a case or a phase of the baseline is none; more than it has does
# no harm, nor does a phase that is not asked for.  Lines without a time.
sed 's/"mysql"/"pgsql"/' same.jsonl | cat same.jsonl - |
    sed 's/"started_at":"[^"]*",//' >more.jsonl
sed 's/,{"name":"delete"[^}]*}//g' more.jsonl >fewer.jsonl
try ubench_report compare --fail-on-regression --format=csv more.jsonl same.jsonl
try ubench_report compare --fail-on-regression same.jsonl more.jsonl
try ubench_report compare --fail-on-regression --format=csv more.jsonl fewer.jsonl
try ubench_report compare --fail-on-regression --phases=create --format=csv more.jsonl \
    fewer.jsonl
# 2 % are sure, but less than what counts.
result mysql power-safe '' '' 1000 1001 1002 999 998 1003 997 1000 >exact.jsonl
result mysql power-safe '' '' 1020 1021 1022 1019 1018 1023 1017 1020 >little.jsonl
try ubench_report compare --format=csv exact.jsonl little.jsonl
try ubench_report compare --format=csv --min-effect=1% exact.jsonl little.jsonl
# One phase alone needs a smaller P.
try ubench_report compare --format=markdown --phases=delete before.jsonl slower.jsonl

# Two stores, if each side has its own: as two files, or as cells of a sweep.
{
    result mysql power-safe '' ',"cell":"mysql t=1"' 100 101 102
    result pgsql power-safe '' ',"cell":"pgsql t=1"' 104 105 106
} >sweep.jsonl
head -n 1 sweep.jsonl >mysql.jsonl
tail -n 1 sweep.jsonl >pgsql.jsonl
try ubench_report compare --format=csv mysql.jsonl pgsql.jsonl
try ubench_report compare --format=csv --baseline 'cell=mysql t=1' \
    --candidate 'cell=pgsql t=1' sweep.jsonl
