# shellcheck shell=sh source=lib-stores.sh
runner=sqlite_ubench
. "$CLI/lib-stores.sh"
try_bad_options
# SQLite ignores names that it does not know, and values that it does not like.
try sqlite_ubench -o nonsense=1
try sqlite_ubench -o journal_mode=nonsense
try sqlite_ubench -o synchronous=nonsense
try sqlite_ubench -o page_size=1000
try sqlite_ubench -o 'cache_size=1; DROP TABLE lease4'
try sqlite_ubench -o 'x y=1'
try sqlite_ubench -s bounded
try sqlite_ubench -c perhaps
left
