# shellcheck shell=sh source=lib.sh
# SQLite ignores values that it does not like.
. "$CLI/lib.sh"
need sqlite_ubench
try sqlite_ubench -o journal_mode=nonsense
try sqlite_ubench -o synchronous=nonsense
try sqlite_ubench -o page_size=1000
try sqlite_ubench -o 'cache_size=1; DROP TABLE lease4'
try sqlite_ubench -o 'x y=1'
try sqlite_ubench -c perhaps
left
