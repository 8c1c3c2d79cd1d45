# shellcheck shell=sh source=lib.sh
# What a server grants, predicted from its store and beside what was measured.
. "$CLI/lib.sh"
need ubench_report

# trial RATE US: two seconds, in which the server's process used so many microseconds of
# a processor for each lease.
trial() {
    awk -v rate="$1" -v us="$2" 'BEGIN {
        leases = int(2 * rate)
        printf "{\"offered\":%s,\"sent\":%d,\"granted\":%d,", rate, leases, leases
        printf "\"processor_s\":{\"server\":%g,", leases * us / 1e6
    }'
    printf '"store":0,"load":1,"other":0},'
    printf '"lost":0,"kept_up":true,"holds":true,"elapsed_s":3,"cores":3,'
    printf '"discover":{"sent":1000,"received":1000,"min_ms":1,"mean_ms":1,"max_ms":1,"sd_ms":1},'
    printf '"request":{"sent":1000,"received":1000,"min_ms":1,"mean_ms":1,"max_ms":1,"sd_ms":1}}'
}

# server STORE SYNC CLASS THREADS RATE [MEMBER]...: a highest rate of Kea, in $trials or
# in one for which its process used 200 us for a lease.
server() {
    store=$1 sync=$2 class=$3 threads=$4 rate=$5
    shift 5
    printf '{"format":"ubench-kea/1","store":"%s","sync":"%s",' "$store" "$sync"
    printf '"durability":{"class":"%s","from":"x=1"},"host":{},"command":"rate",' "$class"
    printf '"server":"kea","server_version":"2.2.0","family":4,"threads":%s,' "$threads"
    printf '"max_lost":0.025,"within_s":2,"processors":{"server":"0-1","load":"2"},'
    printf '%s"seconds":2,"rate":%s,' "$*" "$rate"
    printf '"trials":[%s]}\n' "${trials:-$(trial "$rate" 200)}"
}

# exchange STORE CLASS THREADS NS [PARAMETER]...: 1,000 dora, each in so much time.
exchange() {
    store=$1 class=$2 threads=$3 ns=$4 type=$1
    shift 4
    case $store in kea-*) store=kea type="2.2.0, ${type#kea-}" ;; esac
    printf '{"format":"ubench-result/1","program":"%s_ubench","version":"0.1.0",' "$store"
    printf '"store":"%s","durability":{"class":"%s","from":"x=1"},' "$store" "$class"
    printf '"facts":{"Product":"%s"},"parameters":{"count":"1000",' "$type"
    printf '%s"threads":"%s","workload":"dora"},"runs":[{"phases":[{' "$*" "$threads"
    printf '"name":"dora","operations":1000,"elapsed_ns":%s000,' "$ns"
    printf '"usage":{"user_ns":100000000,"system_ns":50000000}}]}]}\n'
}

# 100 us is the server's time: 110 us with memfile, which takes 10 us.
trials=$(trial 9090.90909 110) server memfile volatile volatile 1 9090.90909 >kea.jsonl
exchange kea-memfile volatile 1 10000 >store.jsonl
try ubench_report predict kea.jsonl
try ubench_report predict store.jsonl
try ubench_report predict kea.jsonl store.jsonl

# Two threads on two processors; results of Kea's own code come before others; what
# does not belong to it is left out.
{
    server pgsql yes power-safe 1 2000
    server pgsql yes power-safe 2 3000
    server mysql yes power-safe 1 700
    server mysql no bounded 1 2500
    server mysql no bounded 1 2700
    server mysql no bounded 1 9999 '"classes":2,'
    server mysql no bounded 1 9999 '"ha":"hot-standby",'
} >>kea.jsonl
{
    exchange pgsql power-safe 1 300000
    exchange kea-postgresql power-safe 1 400000
    exchange kea-postgresql power-safe 1 450000 '"server-time":"100us",'
    exchange pgsql power-safe 2 250000
    exchange mysql power-safe 1 400000
    exchange mysql power-safe 1 900000 '"server-time":"100us",'
    exchange mysql power-safe 4 1
    exchange mysql bounded 1 290000
    exchange sqlite power-safe 1 1
} >>store.jsonl
try ubench_report predict kea.jsonl store.jsonl
try ubench_report predict --server-time=200us --format=csv kea.jsonl store.jsonl
try ubench_report predict --server-time=200us --format=markdown kea.jsonl store.jsonl
try ubench_report predict --server-time=0 kea.jsonl
# The server's time is longer at a lower rate: 90 us at 10,000 a second, 200 us at 2,000,
# 350 us at 500.  So 300 us of the store are 2,000 leases a second, and 1,208 us with
# --server-time=100us, of which 1,108 us are the store's, about 700.  At the highest rate
# the process was at work for 60 us, but a lease took 100 us: no time is below those 90 us.
{
    trials="$(trial 500 360),$(trial 10000 60),$(trial 2000 210)" \
        server memfile volatile volatile 1 10000
    server pgsql yes power-safe 1 2000
    server mysql yes power-safe 1 690
    server mysql no bounded 1 500
    server memfile no process-safe 1 9000
} >rates.jsonl
{
    exchange kea-memfile volatile 1 10000
    exchange pgsql power-safe 1 300000
    exchange mysql power-safe 1 1208000 '"server-time":"100us",'
    exchange mysql bounded 1 1700000
    exchange kea-memfile process-safe 1 20000
} >exchanges.jsonl
try ubench_report predict rates.jsonl exchanges.jsonl
# A reference serves its own version on its own processors; what is measured otherwise
# is a row of its own.  Of a store the results in Kea's tables count, with most leases,
# and none that commits several changes together.
{
    trials=$(trial 10000 100) server memfile volatile volatile 1 10000
    trials=$(trial 5000 200) server memfile volatile volatile 1 5000 |
        sed 's/2\.2\.0/2.6.0/'
    server pgsql yes power-safe 1 2000
    server pgsql yes power-safe 1 1900 | sed 's/2\.2\.0/2.6.0/'
    server pgsql yes power-safe 1 1800 | sed 's/"0-1"/"0"/'
    server pgsql yes power-safe 1 1700 '"pool":100,'
} >versions.jsonl
{
    exchange kea-memfile volatile 1 10000
    exchange pgsql power-safe 1 300000 '"schema":"kea","preload":"1000",'
    exchange pgsql power-safe 1 200000 '"schema":"kea","preload":"0",'
    exchange pgsql power-safe 1 100000 '"schema":"lean","preload":"2000",'
    exchange pgsql power-safe 1 50000 '"schema":"kea","preload":"5000","batch":"10",'
} >several.jsonl
try ubench_report predict versions.jsonl several.jsonl
# The page draws the predictions, and has the table, too.
"$BIN/ubench_report" page kea.jsonl store.jsonl >page.html
grep -o '"predictions":\[\[[^]]*\]\]' page.html
grep -c '<th.*if added' page.html
# Runs with a server's time, or another one, are a configuration of their own, and no
# store's rate.
{
    exchange mysql power-safe 1 100
    exchange mysql power-safe 1 200 '"server-time":"100us",'
    exchange mysql power-safe 1 400 '"server-time":"200us",'
} >times.jsonl
try ubench_report tables --format=csv times.jsonl
try ubench_report answer --clients=20k store.jsonl
