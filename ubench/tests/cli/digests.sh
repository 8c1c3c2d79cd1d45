# shellcheck shell=sh source=lib-stores.sh
# The same seed means the same operations, whatever the store and its options.
runner=null_ubench
. "$CLI/lib-stores.sh"
need memfile_ubench sqlite_ubench
digests '' "-O $SCRATCH/out.jsonl"
runner=memfile_ubench
digests '-s no' '-s volatile' '-s no -S kea' '-s no -o format=kea' \
    '-s no --preload=2000'
runner=sqlite_ubench
digests '-s no' '-s no -c no' '-s no -S kea' '-s no -S kea -c no'
digests '-s no -L guide' '-s no -H 0' '-s no -H 1'
