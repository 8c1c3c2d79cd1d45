# shellcheck shell=sh source=lib.sh
# Whatever is wrong with some lines, the others are used.
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"
{
    echo "no JSON"
    line sqlite bounded 1 2000000000
    echo
    line sqlite bounded 1 4000000000 | sed 's,ubench-result/1,ubench-result/2,'
    line sqlite bounded 1 4000000000 | sed 's/bounded/safe/'
    line sqlite bounded 1 4000000000 | sed 's/"elapsed_ns":4000000000/"elapsed_ns":-1/'
    line sqlite bounded 1 2000000000
    line sqlite bounded 1 5000000000 | sed 's/"elapsed_ns":500000000}/"elapsed_ns":0}/'
    line sqlite bounded 1 6000000000 | head -c 200
    echo
    line "$(printf '\\u001b[31m\\n')" bounded 1 7000000000
    line sqlite bounded 1 3000000000 | tr -d '\n' | head -c 200
} >broken.jsonl
: >empty.jsonl
printf '\377\376\n' >binary.jsonl
line sqlite bounded 1 2000000000 >again.jsonl
try ubench_report tables broken.jsonl empty.jsonl binary.jsonl again.jsonl
# A pipe is as good as a file.
line sqlite bounded 1 2000000000 | try ubench_report tables --format=csv /dev/stdin
line sqlite bounded 1 2000000000 | try ubench_report tables --format=csv -
