# shellcheck shell=sh source=lib-compare.sh
# All that differs is named, be it a setting, the machine or a version.
. "$CLI/lib-compare.sh"
member() {
    sed "s|\"parameters\"|$1,\"parameters\"|"
}
result sqlite bounded ',"seed":"1","verbose":"no"' '' 100 101 102 103 104 105 |
    member '"facts":{"SQLite":"3.40.1","synchronous":"1"},"warning":"noisy"' |
    member '"host":{"kernel":"6.1","cpu":"x","load":"before 1"}' >old.jsonl
for seed in 2 3; do
    result sqlite bounded ",\"seed\":\"$seed\",\"verbose\":\"yes\"" \
        ',"tuned":"yes"' 100 101 102 103 |
        member '"facts":{"SQLite":"3.45.0","synchronous":"1","mmap":"on"}' |
        member '"host":{"kernel":"6.9","cpu":"x","load":"before 9"}' |
        sed 's/"version":"0.1.0"/"version":"0.2.0"/'
done >new.jsonl
try ubench_report compare old.jsonl new.jsonl
# Phases that only one of them has.
sed 's/"name":"create"/"name":"dora"/g' new.jsonl >dora.jsonl
try ubench_report compare old.jsonl dora.jsonl
# A parameter that is told again as a fact is one difference, also of several
# cases; and 4 threads come before 16.
for threads in 16 4; do
    result mysql bounded ",\"threads\":\"$threads\",\"compiled\":\"yes\"" '' 100 |
        member '"facts":{"compiled":"yes"}' >>yes.jsonl
    result mysql bounded ",\"threads\":\"$threads\",\"compiled\":\"no\"" '' 100 |
        member '"facts":{"compiled":"no"}' >>no.jsonl
done
result mysql bounded ',"threads":"64","compiled":"no"' '' 100 >>no.jsonl
try ubench_report compare yes.jsonl no.jsonl
