# shellcheck shell=sh source=lib.sh
# What means nothing for a workload is refused, and not among its parameters.
. "$CLI/lib.sh"
need null_ubench
for options in "--pool=200" "--allocator=iterative" "--clients=5" \
    "--duration=1s" "--queue=256" "--probes=1" "-w churn -H 0.9" \
    "-w renew --probes=1" "-w dora --search-by=hwaddr" "-w dora --pool=200" \
    "-w dora -b 1" "-w dora --deadline=1s" "-w dora --hook=inline" \
    "-w dora --rate=5 -n 5" "-w dora --rate=5 --clients=5" \
    "-w dora --rate=5 --hook=inline" "-w dora --rate=5 --latency=off" \
    "-w dora --find-rate --deadline=1s" "-w storm --duration=9s" \
    "-w storm --arrivals=poisson" "-w storm --probes=2" "-w fill -t 1" \
    "-w fill -6"; do
    # shellcheck disable=SC2086 # words
    try null_ubench $options
done
for options in "-n 1" "-w churn --preload=2 -n 1" "-w dora -n 1" \
    "-w renew -n 1" "-w fill -n 1 --pool=100" "-w storm --clients=1" \
    "-w dora --rate=10 --duration=100ms" \
    "-6 -w renew --rate=10 --duration=100ms --hook-delay=1ms"; do
    # shellcheck disable=SC2086 # words
    "$BIN/null_ubench" -v full $options |
        sed -n '/^parameters/,/^\([a-oq-z]\|$\)/p' | sed '$d'
done
