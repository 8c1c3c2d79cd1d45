# shellcheck shell=sh source=lib.sh
# Clients who do not wait: at a rate, all at once, and behind a slow service.
. "$CLI/lib.sh"
need memfile_ubench
# at_rate OPTION...: a run at a rate.  On a busy machine the clients may come late, and then
# the verdict is called INVALID.
at_rate() {
    try memfile_ubench -v no -s no "$@" | sed 's/^INVALID /verdict /'
}
at_rate -w dora --rate 50 --arrivals constant \
    --duration 500ms --deadline 60s -O out.jsonl
json_get out.jsonl runs.0.trials.0.offered runs.0.trials.0.answered \
    runs.0.predicted.answered runs.0.phases.0.operations parameters.rate
# Ten times what a service of 20 ms can do: a result, and not an error.
at_rate -w renew --rate 500 --duration 300ms --queue 5 \
    --deadline 50ms --hook-delay 20ms | grep "^[\$vde]"
at_rate -w renew --rate 200 --duration 300ms \
    --hook-delay 20ms --hook pool:20 | sed -n '1,5p'
# A queue for all: nobody is sent away, and who waits less than 4 s, as all of
# those who are simulated, asks once.
try memfile_ubench -v no -s no -w storm --clients 300 --queue 300 -O storm.jsonl
json_get storm.jsonl runs.0.storm.served runs.0.phases.0.name
