# shellcheck shell=sh source=lib.sh
# Results of whole DHCP servers, ubench-kea/1: alone, beside those of stores, and
# those that others published.
. "$CLI/lib.sh"
. "$CLI/lib-results.sh"

for rate in 1000 1010 1020 1030 1040 1050; do
    server pgsql power-safe 1 $rate 0.4 0.8
    server pgsql power-safe 4 $((rate * 2)) 0.8 1.6
    server mysql power-safe 1 $((rate - 500)) 0.4 0.8
done >servers.jsonl
server memfile process-safe 1 8000 3.2 0 >>servers.jsonl
cp "$CLI/../../../results/kea-2.0-isc.jsonl" isc.jsonl
try ubench_report tables servers.jsonl isc.jsonl
try ubench_report tables --format=csv servers.jsonl
try ubench_report compare --by threads --where store=kea-dhcp4/pgsql servers.jsonl
try ubench_report answer --clients=20k servers.jsonl isc.jsonl

# A pair of servers, one killed, and what is no search.
server pgsql power-safe 4 100 0.1 0.1 | sed 's/"rate":100,//
    s/"limited_by_load":false/"ha":"hot-standby","kill_s":20,"failover":{"lost":120,"back_s":11.25,"only_killed":3,"only_survivor":1,"again_s":null,"differ":0}/' >pair.jsonl
try ubench_report tables pair.jsonl

# Beside a store the server has rows of its own.
server pgsql power-safe 1 1000 0.4 0.8 >mixed.jsonl
line pgsql power-safe 1 1000000000 | sed 's/"create"/"renew"/; s/"search"/"dora"/' >>mixed.jsonl
try ubench_report answer mixed.jsonl
