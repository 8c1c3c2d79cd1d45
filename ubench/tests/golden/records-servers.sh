#!/bin/sh
# SPDX-License-Identifier: ISC
# records-servers.sh [--update]: what records.sh is, on the stores that need a server,
# each on one of its own; see record.sh and lib.sh.
. "$(dirname "$0")/record.sh"
export UBENCH_SERVERS="$work/servers"
clean_up() {
    "$top/scripts/servers.sh" stop
}

# try_store PROGRAM
try_store() {
    store=${1%_ubench}
    try "$store-phases" "$1" -n 50 -v no
    try "$store-kea" "$1" -n 50 -v no -s no -S kea+stats --batch 7
    try "$store-text" "$1" -6 -n 50 -v no -s no -c no --search-by client-id
    try "$store-exchange" "$1" -n 50 -v no -s no -w steady --preload 50 -t 2
    try "$store-reconnect" "$1" -n 50 -v no -s no -w renew --preload 50 --reconnect 5s
}

cd "$work" || exit 1
for program in mysql_ubench pgsql_ubench; do
    if [ ! -x "$bin/$program" ]; then
        skip $program "it is not built"
    elif ! command -v python3 >/dev/null; then
        skip $program "there is no python3"
    elif ! "$top/scripts/servers.sh" start ${program%_ubench} >"$work/log" 2>&1; then
        skip $program "$(tail -n 1 "$work/log")"
    else
        eval "$("$top/scripts/servers.sh" env ${program%_ubench})"
        try_store $program
    fi
done
summary
