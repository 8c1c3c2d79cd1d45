#!/bin/sh
# SPDX-License-Identifier: ISC
# records-servers.sh [--update]: what records.sh is, on the stores that need a server,
# each on one of its own; see record.sh and lib.sh.
. "$(dirname "$0")/record.sh"
# try_store PROGRAM
try_store() {
    record "$store-phases" "$1" -n 50 -v no
    record "$store-kea" "$1" -n 50 -v no -s no -S kea+stats --batch 7
    record "$store-text" "$1" -6 -n 50 -v no -s no -c no --search-by client-id
    record "$store-exchange" "$1" -n 50 -v no -s no -w steady --preload 50 -t 2
    record "$store-reconnect" "$1" -n 50 -v no -s no -w renew --preload 50 --reconnect 5s
}

cd "$work" || exit 1
if ! command -v python3 >/dev/null; then
    skip all "there is no python3"
else
    # MySQL has a binary log unless it is told not to.
    ! need_server mysql -- --skip-log-bin || try_store mysql_ubench
    ! need_server pgsql || try_store pgsql_ubench
fi
summary
