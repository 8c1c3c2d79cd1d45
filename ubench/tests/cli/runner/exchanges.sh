# shellcheck shell=sh source=lib.sh
# Every exchange on every store that needs no server: each answer is right, and
# the same work has the same digest, whatever the store and the threads.
. "$CLI/lib.sh"
need null_ubench memfile_ubench sqlite_ubench

# same_work FAMILY STORES WORKLOAD [OPTION]...
same_work() {
    family=$1
    stores=$2
    shift 2
    for store in $stores; do
        for threads in 1 3; do
            sync='-s no'
            [ "$store" != null ] || sync=
            # shellcheck disable=SC2086 # words
            "$BIN/${store}_ubench" $family $sync -v no --preload=200 \
                -t "$threads" -w "$@" 2>&1 |
                sed -n 's/^\(digest\) *\([0-9a-f]*\).*/\1 \2/p; /_ubench: /p'
        done
    done | sort | uniq -c | sed "s/^ */$family $* /; s/^ //"
}

for workload in dora dora-known renew init-reboot release release-delete \
    decline steady guests; do
    same_work '' 'null memfile sqlite' "$workload" -n 60
done
for workload in reclaim purge; do
    same_work '' 'null memfile sqlite' "$workload" -n 3
done
same_work '' 'null memfile sqlite' dora -n 60 --probes=5
same_work '' 'null memfile sqlite' dora -n 60 --hosts=130 --probes=3
same_work '' 'null memfile sqlite' steady -n 60 --hosts=ministry
same_work '' 'null memfile sqlite' renew=70,dora=20,release-delete=10 -n 60
same_work '' 'null memfile sqlite' renew -n 60 -L guide
same_work '' 'memfile sqlite' renew -n 60 -S lean
same_work '' 'null memfile sqlite' renew -n 60 --latency=off
for workload in sarr renew release release-delete decline steady guests; do
    same_work -6 'null memfile' "$workload" -n 60
done
for workload in reclaim purge; do
    same_work -6 'null memfile' "$workload" -n 3
done
