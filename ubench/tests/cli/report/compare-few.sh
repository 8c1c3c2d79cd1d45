# shellcheck shell=sh source=lib-compare.sh
# Too few runs say nothing, however far apart they are, and are no gate.
. "$CLI/lib-compare.sh"
result memfile bounded '' '' 100 >one.jsonl
result memfile bounded '' '' 900 >other.jsonl
result memfile bounded '' '' 100 101 102 103 104 >five.jsonl
result memfile bounded '' '' 900 901 902 903 904 >other-five.jsonl
result memfile bounded '' '' 100 101 102 103 104 105 >six.jsonl
result memfile bounded '' '' 900 901 902 903 904 905 >other-six.jsonl
try ubench_report compare one.jsonl other.jsonl
try ubench_report compare --format=csv five.jsonl other-five.jsonl
try ubench_report compare --format=csv --fail-on-regression five.jsonl other-six.jsonl
try ubench_report compare --format=csv --fail-on-regression six.jsonl other-six.jsonl
