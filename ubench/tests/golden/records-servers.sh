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
    for name in mysql pgsql; do
        ! need_server $name || try_store "${name}_ubench"
    done
fi
summary
