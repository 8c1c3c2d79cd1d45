# shellcheck shell=sh source=lib.sh
# --part: the parts do together what the run without it does.
. "$CLI/lib.sh"

echo "== without agents.sh"
try null_ubench --part 1/2 -t 2 </dev/null
echo "called off" >answers
try null_ubench --part 1/2 -t 2 <answers
command -v jq >/dev/null || skip "jq is missing"

# alone OPTION...: a part that meets nobody but itself, which the null store, where no
# answer is checked, allows; its times are made those of the others.
# shellcheck disable=SC2094 # a pipe
alone() {
    mkfifo answers.fifo
    "$BIN/null_ubench" "$@" <answers.fifo |
        while read -r word value; do
            case $word in
            clock | meet) echo "$word $value" ;;
            result) jq -c '.parts[0].common_us = 1 | .runs[].phases |= [.[] |
                .elapsed_ns = 1000000000 | .begun_ns = 0 | .series = []]' >>parts.jsonl ;;
            esac
        done >answers.fifo
    rm answers.fifo
}

# what FILE: what was done, without its times.
what() {
    jq -c '[.parameters.threads, .parameters.part, .runs[0].digest,
        [.runs[0].phases[] | .name, .operations, .hits, .misses, .latency.count,
         .elapsed_ns, [.steps[]?.count]]]' "$1"
}

# together OPTION...: three parts, and the whole.
together() {
    echo "== $*"
    for part in 1 2 3; do
        alone --part "$part/3" "$@"
    done
    "$BIN/ubench_report" merge parts.jsonl >merged.jsonl
    what merged.jsonl
    "$BIN/null_ubench" "$@" --json | jq -c '.runs[].phases |= [.[] |
        .elapsed_ns = 1000000000]' >whole.jsonl
    what whole.jsonl
    rm parts.jsonl
}
together -n 1001 -t 6
together -n 1001 -t 6 --search-by hwaddr --preload 50 -b 7
together -n 300 -t 3 -w dora --warmup 10
together -n 301 -t 6 -w renew=8,release=1,dora=1 --hosts 40
together -n 300 -t 3 -w renew -6
