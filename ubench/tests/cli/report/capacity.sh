# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"
# The examples of the talk and of the ministry, and back.
try ubench_report capacity --clients=86400 --lease-time=24h --renew-at=0.5
try ubench_report capacity --rate=2
try ubench_report capacity --clients=20k --within=8h
try ubench_report capacity --clients=1M --rate=0.5 --lease-time=1h --renew-at=1

# 1000 searches per second and 100 creates, or as many updates: a renewal is two
# searches and an update, 12 ms; a new client seven searches and a create.
{
    line null none 1 1000000
    line sqlite bounded 1 10000000000 | sed 's/"create"/"update"/'
    line sqlite bounded 4 10000000000
    line mysql bounded 1 10000000000 | sed 's/"count"/"batch":"10","count"/'
    line mysql power-safe 1 9000000000 | sed 's/"create"/"renew"/
        s/"search"/"dora"/; s/"runs":\[{/&"together":true,/'
    line mysql power-safe 2 9000000000 |
        sed 's/"create"/"renew"/; s/"runs":\[{/&"incomplete":true,/'
} >out.jsonl
try ubench_report capacity out.jsonl
try ubench_report capacity --clients=86400 --headroom=1 --format=csv out.jsonl
try ubench_report capacity --clients=20000 --within=8h --format=markdown out.jsonl

# In an open loop only a rate that was searched for and confirmed says anything.
open() {
    line sqlite bounded "$1" 9000000000 | sed 's/"create"/"renew"/
        s/,{"name":"search".*/]}]}/; s/"runs":\[{/&"trials":[],'"$2"'/'
}
{
    open 1
    open 2 '"goals":[{"low_per_s":50,"verified":true},{"low_per_s":40,"verified":true}],'
    open 3 '"goals":[{"low_per_s":50,"verified":true},{"low_per_s":60,"verified":false}],'
    open 4 '"goals":[{"low_per_s":null,"verified":true}],'
} >out.jsonl
try ubench_report capacity --clients=86400 out.jsonl

# Wrong command lines.
try ubench_report capacity
try ubench_report capacity --clients=0
try ubench_report capacity --clients=x
try ubench_report capacity --clients=-5
try ubench_report capacity --lease-time=24 --clients=5
try ubench_report capacity --lease-time=0s --clients=5
try ubench_report capacity --lease-time=9999h --clients=5
try ubench_report capacity --renew-at=0 --clients=5
try ubench_report capacity --renew-at=1.5 --clients=5
try ubench_report capacity --within=1d --clients=5
try ubench_report capacity --within=8h --renew-at=0.9 --clients=5
try ubench_report capacity --within=8h --lease-time=1h --clients=5
try ubench_report capacity --rate=0
try ubench_report capacity --rate=-1
try ubench_report capacity --headroom=0.5 out.jsonl
try ubench_report capacity --format=xml out.jsonl
try ubench_report capacity missing.jsonl
