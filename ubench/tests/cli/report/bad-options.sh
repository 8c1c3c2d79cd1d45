# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
try ubench_report
try ubench_report table
try ubench_report --nonsense
try ubench_report -x
try ubench_report ''
try ubench_report tables
try ubench_report tables --format
try ubench_report tables --format=html x
try ubench_report tables --format text
try ubench_report tables --nonsense x
try ubench_report tables -n 5 x
try ubench_report tables --help=yes
try ubench_report tables missing.jsonl
try ubench_report tables .
: >empty.jsonl
try ubench_report tables empty.jsonl
echo '{"format":"ubench-crash/1"}' >crash.jsonl
try ubench_report tables crash.jsonl empty.jsonl
