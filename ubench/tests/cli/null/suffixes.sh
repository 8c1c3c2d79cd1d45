# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
# What was typed in another way is the same run.
for count in 100000 100k 0100k 100K 1e5; do
    try null_ubench -v no -n $count | grep '^overall\|exit' | cut -c 1-27
done
for count in 1000000 1M 1000k; do
    try null_ubench -v no --count=$count | grep '^overall\|exit' | cut -c 1-27
done
