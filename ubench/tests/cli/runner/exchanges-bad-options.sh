# shellcheck shell=sh source=lib.sh
# Workloads that are none, and options that do not go with them.
. "$CLI/lib.sh"
need null_ubench
try null_ubench -w doora
try null_ubench -w ''
try null_ubench -w renew,
try null_ubench -w renew=0
try null_ubench -w renew=90,renew=10
try null_ubench -w renew=ninety
try null_ubench -w sarr
try null_ubench -6 -w dora
try null_ubench -w renew -b 10
try null_ubench -w renew -n 50 -t 20 --preload=19
try null_ubench -w release -n 50 --preload=50
try null_ubench -w reclaim -n 10M
try null_ubench -w dora --probes=0
try null_ubench -w dora --probes=1001
for hosts in 0 10000001 1.5 many ''; do
    try null_ubench -w dora "--hosts=$hosts"
done
try null_ubench --hosts=10
try null_ubench -w release,decline --hosts=10
try null_ubench -6 -w renew --hosts=ministry
for time in 0 999ns 2s many ''; do
    try null_ubench -w dora "--server-time=$time"
done
try null_ubench --server-time=1ms
try null_ubench -w fill --server-time=1ms
left
