# shellcheck shell=sh source=lib-stores.sh
# Threads that wait for each other's transactions.
runner=sqlite_ubench
. "$CLI/lib-stores.sh"
digests '-s yes -t 4 -b 10' '-s no -t 4' '-s no -t 4 -b 10' '-s no -t 8 -b 3' \
    '-s no -t 4 -c no -S kea'
left
