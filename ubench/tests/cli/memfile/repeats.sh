# shellcheck shell=sh source=lib.sh
# Threads, groups and repeats together; one JSON line for all runs.
. "$CLI/lib.sh"
need memfile_ubench
try memfile_ubench -s no -n 100 -t 4 -b 10 -R 3 -O out.jsonl
json_get out.jsonl
json_get out.jsonl incomplete runs.2.digest \
    runs.2.phases.0.operations runs.2.phases.0.latency.count \
    runs.2.phases.0.commit.count runs.2.phases.1.commit
