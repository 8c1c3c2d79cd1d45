# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"

# Classes apart, medians of several lines, stores in order of appearance, and
# only what differs is in a row's name.
{
    line sqlite process-safe 1 2000000000
    line memfile power-safe 4 400000000 '"warning":"a busy machine",'
    line memfile power-safe 16 100000000
    line memfile power-safe 1 1000000000 '"labels":{"block":"1"},'
    line memfile power-safe 1 3000000000 '"labels":{"block":"2"},'
    line memfile power-safe 1 2000000000 '"labels":{"block":"3"},'
    line sqlite power-safe 1 4000000000 '"facts":{"SQLite":"3.40.1"},'
    line sqlite power-safe 1 5000000000 '"facts":{"SQLite":"3.41.0"},'
} >out.jsonl
try ubench_report tables out.jsonl

# Seeds, files and noise do not make another configuration; machines do.
{
    line sqlite bounded 1 2000000000 '"host":{"cpu":"A","load":"1"},'
    line sqlite bounded 1 4000000000 '"host":{"cpu":"A","load":"2"},'
    line sqlite bounded 1 8000000000 '"host":{"cpu":"B|b","load":"1"},'
} | sed 's/"count"/"seed":"1","sync":"no","count"/' >out.jsonl
sed -n '1s/"seed":"1","sync":"no"/"seed":"2","sync":"bounded"/p' out.jsonl >more.jsonl
try ubench_report tables --format=markdown out.jsonl more.jsonl
try ubench_report tables --format=csv more.jsonl out.jsonl

# What of the load is not the same for all stores stands in every row, and comes
# before what only follows from it.
{
    line memfile bounded 1 2000000000 '"facts":{"memfile":"text"},'
    line memfile bounded 1 4000000000 '"facts":{"memfile":"CSV"},' |
        sed 's/"count"/"ipv6":"yes","count"/'
    line sqlite bounded 4 4000000000 | sed 's/"count"/"schema":"kea","count"/'
} >out.jsonl
try ubench_report tables out.jsonl

# Exchanges that ran together have one time.
line mysql bounded 1 2000000000 |
    sed 's/"runs":\[{/&"together":true,/; s/create/renew/
        s/"operations":1000,"elapsed_ns":200000000}/"operations":50,"elapsed_ns":2000000000}/' >out.jsonl
try ubench_report tables out.jsonl

# The rate of an open loop was asked for: no table ranks it.
{
    line mysql bounded 1 2000000000
    line mysql bounded 1 9000000000 | sed 's/"runs":\[{/&"trials":[],/'
} >out.jsonl
try ubench_report tables --format=csv out.jsonl
tail -n 1 out.jsonl >open.jsonl
try ubench_report tables open.jsonl
head -n 1 out.jsonl >closed.jsonl
try ubench_report compare closed.jsonl open.jsonl

# What is incomplete is left out, and said so.
{
    line mysql bounded 1 2000000000
    line mysql bounded 1 9000000000 | sed 's/"runs":\[{/&"incomplete":true,/'
    line pgsql bounded 1 9000000000 | sed 's/"runs":\[{/&"incomplete":true,/'
} >out.jsonl
try ubench_report tables out.jsonl

# Two workloads of one class have a heading each; also where nothing but the
# phases tells them apart.  One phase has no average.
of_workload() {
    line sqlite bounded 1 2000000000 | sed 's/"count"/"workload":"'"$1"'","count"/; s/create/'"$2"'/
        s/,{"name":"search".*/]}]}/'
}
{
    line sqlite bounded 1 2000000000 | sed 's/"count"/"workload":"phases","count"/'
    of_workload renew renew
    of_workload mix dora
    of_workload mix sarr
    of_workload "" decline
    of_workload "" release
} >out.jsonl
try ubench_report tables out.jsonl
try ubench_report tables --format=csv out.jsonl

# The levels of a pool that fills up are unlike: no mean, no sum.
of_workload fill empty |
    sed 's/"name":"empty"[^}]*}/&,{"name":"full","operations":10,"elapsed_ns":1000000000}/' >out.jsonl
try ubench_report tables out.jsonl

# Over how many subnets, or how many probes it took, is load as well.
{
    line sqlite bounded 1 2000000000 | sed 's/"count"/"subnets":"8","count"/'
    line memfile bounded 1 2000000000 | sed 's/"count"/"subnets":"1","count"/'
} >out.jsonl
try ubench_report tables out.jsonl

# From six runs on the overall rate has an interval, as CSV each rate.
{
    for ns in 3 1 6 2 5 4; do
        line memfile bounded 1 "${ns}000000000" '"labels":{"block":"'"$ns"'"},'
    done
    line sqlite bounded 1 2000000000
} >out.jsonl
try ubench_report tables out.jsonl
try ubench_report tables --format=csv out.jsonl

# The references of a campaign say how the machine drifted, and are no rows; of
# a block that has one of them, or of one that was cut short, they say nothing.
# Where there is nothing else they are results as any other.
of_campaign() {
    line memfile bounded 1 "$5" '"labels":{"campaign":"'"$1"'","block":"'"$2"'","position":"'"$3"'","role":"'"$4"'"},'
}
{
    of_campaign month 1 10 reference 2400000000
    of_campaign month 1 9 cell 1000000000
    of_campaign month 1 1 reference 2000000000
    of_campaign month 2 1 reference 2000000000
    of_campaign month 2 2 reference 1800000000 | sed 's/"runs":\[{/&"incomplete":true,/'
    of_campaign month 3 1 reference 1000000000
    of_campaign month 3 2 reference 1050000000
    of_campaign month 4 1 reference 1000000000
    of_campaign month 4 2 reference 700000000
    of_campaign day 1 1 reference 1000000000
    of_campaign day 1 2 reference 2000000000
} >campaign.jsonl
try ubench_report tables campaign.jsonl
try ubench_report tables --format=markdown campaign.jsonl
try ubench_report tables --format=csv campaign.jsonl
sed 's/2400000000/2500000000/' campaign.jsonl | head -n 1 >one.jsonl
try ubench_report tables one.jsonl
try ubench_report answer campaign.jsonl

# What a lost node takes, where a result says so; of several, the least.
of_node() {
    line "$1" power-safe 1 2000000000 | sed 's/"from":"x=1"/&,"node_loss":"'"$2"'"/'
}
{
    of_node mysql yes
    of_node pgsql yes
    of_node pgsql no
    of_node kea unknown
    line memfile power-safe 1 1000000000
} >out.jsonl
try ubench_report tables out.jsonl
