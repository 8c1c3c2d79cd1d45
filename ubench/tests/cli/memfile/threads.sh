# shellcheck shell=sh source=lib-stores.sh
# Threads that are in each other's way as often as can be: at every level, alone
# and in groups, with a buffer for one record, and with one that fills up while
# it is written.  For the thread sanitizer above all.
runner=memfile_ubench
. "$CLI/lib-stores.sh"
for level in yes no volatile; do
    digests "-s $level -t 4" "-s $level -t 4 -b 10" "-s $level -t 16 -b 3" \
        "-s $level -t 4 -o buffer=1" "-s $level -t 4 -o buffer=1 -b 10" \
        "-s $level -t 4 -o buffer=2k -b 100 -S kea"
done
left
