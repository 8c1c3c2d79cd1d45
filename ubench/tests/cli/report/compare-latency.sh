# shellcheck shell=sh source=lib-compare.sh
# Latencies of real runs: quantiles that are chance are not compared.
. "$CLI/lib-compare.sh"
need null_ubench
null_ubench() {
    "$BIN/null_ubench" -v no -n "$1" -R 6 -O "$2" >/dev/null
}
null_ubench 2000 a.jsonl
null_ubench 2000 b.jsonl
null_ubench 500 few.jsonl
try ubench_report compare --figure=p99 --format=csv a.jsonl b.jsonl |
    sed 's/\(p99,us\).*\(6,6\).*/\1 ... \2/'
try ubench_report compare --figure=p99.9 a.jsonl b.jsonl
try ubench_report compare --figure=p99 a.jsonl few.jsonl
