# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Result lines for the cases of ubench_report, small ones: a line needs no more
# than this.

# line STORE CLASS THREADS NS [MEMBER]...: 1000 creates in NS nanoseconds, and as
# many searches in a tenth of it; more members, each with a comma behind it.
line() {
    store=$1 class=$2 threads=$3 ns=$4
    shift 4
    printf '{"format":"ubench-result/1","program":"%s_ubench",' "$store"
    printf '"version":"0.1.0","store":"%s",%s' "$store" "$*"
    printf '"durability":{"class":"%s","from":"x=1"},' "$class"
    printf '"parameters":{"count":"1000","threads":"%s"},"runs":' "$threads"
    printf '[{"phases":[{"name":"create","operations":1000,'
    printf '"elapsed_ns":%s},{"name":"search","operations":1000,' "$ns"
    printf '"elapsed_ns":%s}]}]}\n' $((ns / 10))
}
