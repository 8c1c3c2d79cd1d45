#!/bin/sh
# SPDX-License-Identifier: ISC
# sql-sqlite.sh [--update]: the SQL texts of sqlite_ubench; see sql.sh and lib.sh.
. "$(dirname "$0")/sql.sh"
store=sqlite
counters=no
fresh() {
    rm -f "$work"/sqlite.db*
}
more_settings() {
    run -n 1 -o cache_size=-1000 -o journal_mode=truncate
    run -n 1 -o page_size=8192
    run -n 1 -o no_such_pragma=1
}
if [ ! -x "$bin/sqlite_ubench" ]; then
    skip all "sqlite_ubench is not built"
else
    cd "$work" || exit 1
    try_store yes no server process-safe power-safe
fi
summary
