# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Result lines for the cases of ubench_report, small ones: a line needs no more
# than this.

# line STORE CLASS THREADS NS [MEMBER]...: 1000 creates in NS nanoseconds, and as
# many searches in a tenth of it; more members, each with a comma behind it.
line() {
    store=$1 class=$2 threads=$3 ns=$4
    shift 4
    printf '{"format":"ubench-result/1","program":"%s_ubench",' "$store"
    printf '"version":"0.1.0","store":"%s",%s' "$store" "$*"
    printf '"durability":{"class":"%s","from":"x=1"},' "$class"
    printf '"parameters":{"count":"1000","threads":"%s"},"runs":' "$threads"
    printf '[{"phases":[{"name":"create","operations":1000,'
    printf '"elapsed_ns":%s},{"name":"search","operations":1000,' "$ns"
    printf '"elapsed_ns":%s}]}]}\n' $((ns / 10))
}

# crash CELL LEVEL CLASS FROM VERDICT LOST CONTROL [MEMBER]...: a crash of SQLite
# that lost so many leases and operations.
crash() {
    cell=$1 level=$2 class=$3 from=$4 verdict=$5 lost=$6 control=$7
    shift 7
    printf '{"format":"ubench-crash/1","store":"sqlite",'
    printf '"product":"SQLite 3.40.1",%s' "$*"
    printf '"durability":{"class":"%s","from":"%s"},' "$class" "$from"
    printf '"labels":{"cell":"%s","level":"%s","control":"%s"},' \
        "$cell" "$level" "$control"
    printf '"load":{"threads":1,"batch":1},"verdict":"%s","why":"",' "$verdict"
    printf '"leases":{"kept":9,"lost":%s,"outdated":0,"resurrected":0},' "$lost"
    printf '"window_operations":%s,"window_ns":%s,' "$lost" "$lost"
    printf '"recovery_ns":2000000}\n'
}

# controls LEVEL: both of them, as they should be.
controls() {
    crash "writes" "$1" process-safe write lost 40 "loses at $1" '"seed":1,'
    crash "syncs" "$1" power-safe sync kept 0 "keeps at $1" '"seed":2,'
}

# server STORE CLASS THREADS RATE SERVER STORE: a run of scripts/dhcp.sh rate, and the
# seconds of processors that server and database used.
minute=10
server() {
    minute=$((minute + 1))
    cat <<END | tr -d '\n'
{"format":"ubench-kea/1","started_at":"2026-11-22T07:$minute:00Z","command":"rate",
"host":{"cpu":"a processor","cores":"2","kernel":"Linux"},"server":"kea",
"server_version":"2.2.0","store":"$1","store_name":"$1 1.0","sync":"yes","family":4,
"threads":$3,"queue":64,"delayed_ack":0,"pool":4000000,"classes":0,"seconds":4,
"max_lost":0.025,"within_s":2,"start_rate":500,"processors":{"server":"0","load":"1"},
"durability":{"class":"$2","from":"settings","node_loss":"no"},"stored":40000,
"rate":$4,"limited_by_load":false,"trials":[{"offered":$4,"sent":$(($4 * 4)),
"granted":$(($4 * 4)),"lost":0,"kept_up":true,"holds":true,"elapsed_s":6,"cores":2,
"discover":{"sent":1,"received":1},"request":{"sent":1,"received":1},
"processor_s":{"server":$5,"store":$6,"load":0.5,"other":0.1}}]}
END
    echo
}
