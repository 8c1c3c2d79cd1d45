# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need pgsql_ubench
# None of these needs a server: they are refused before one is asked.  What every
# runner of a server refuses in the same words is in mysql/bad-options.
try pgsql_ubench -s maybe
try pgsql_ubench -S deep
try pgsql_ubench --file=x
UBENCH_PGSQL_PORT=many try pgsql_ubench
UBENCH_PGSQL_PORT=65536 try pgsql_ubench
left
try pgsql_ubench -e InnoDB
