# shellcheck shell=sh source=lib-stores.sh
# The same seed means the same operations, whatever the store and its options.
runner=null_ubench
. "$CLI/lib-stores.sh"
need memfile_ubench sqlite_ubench
digests '' "-O $SCRATCH/out.jsonl" '-t 4' '-b 7' '-R 2 --warmup=10'
runner=memfile_ubench
digests '-s no' '-s volatile' '-s no -S kea' '-s no -o format=kea' \
    '-s no -t 4' '-s no -t 3 -b 7' '-s no --latency=off' \
    '-s no --preload=2000'
runner=sqlite_ubench
digests '-s no' '-s no -c no' '-s no -S kea' '-s no -S kea -c no' \
    '-s no -t 2' '-s no -b 100' '-s no -t 2 -b 7'
digests '-s no -L guide' '-s no -H 0' '-s no -H 1'
# What a search knows is part of the work.
for runner in null_ubench memfile_ubench sqlite_ubench; do
    sync='-s no'
    [ "$runner" != null_ubench ] || sync=
    digests "$sync --search-by=hwaddr" "$sync --search-by=client-id -t 2" \
        "$sync --search-by=client-id -L guide"
done
# IPv6 leases are other leases, and the same everywhere.
runner=null_ubench
digests '-6' '-6 -t 3' '-6 -L guide'
runner=memfile_ubench
digests '-6 -s no' '-6 -s volatile -S kea' '-6 -s no -t 4' '-6 -s no -b 7' \
    '-6 -s no -L guide' '-6 -s no --search-by=client-id' \
    '-6 -s no --search-by=hwaddr'
runner=sqlite_ubench
digests '-6 -s no' '-6 -s no -S kea' '-6 -s no -t 2 -b 7' '-6 -s no -c no' \
    '-6 -s no -S kea -c no' '-6 -s no -L guide -S kea'
