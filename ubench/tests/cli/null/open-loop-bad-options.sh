# shellcheck shell=sh source=lib.sh
# Options of the open loop that cannot be, or not together.
. "$CLI/lib.sh"
need null_ubench
for options in "--rate 5" "-w churn --rate 5" "--find-rate" "-w dora --rate x" \
    "-w dora --rate 0" "-w dora --rate -1" "-w dora --rate 11M" \
    "-w dora --find-rate --rate 5" "-w storm --rate 4" "-w storm --find-rate" \
    "-w storm --clients 0" "-w dora --hook-delay 80ms" \
    "-w dora --rate 5 --hook-delay 80" "-w dora --rate 5 --hook pool:0" \
    "-w dora --rate 5 --hook pool:1001" "-w dora --rate 5 --hook outline" \
    "-w dora --rate 5 --queue 0" "-w dora --rate 5 --queue-policy dedup" \
    "-w dora --rate 5 --queue-policy drop" "-w dora --rate 5 --arrivals often" \
    "-w dora --rate 5 --duration 5" "-w dora --rate 5 --duration 10ms" \
    "-w dora --rate 1 --duration 100ms" "-w dora --rate 10k --duration 12h" \
    "-w dora --rate 5 --deadline 0" "-w dora --find-rate --duration 2h"; do
    # shellcheck disable=SC2086 # words
    try null_ubench $options
done
