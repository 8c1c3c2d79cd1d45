# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need pgsql_ubench
# None of these needs a server: they are refused before one is asked.
try pgsql_ubench -n 0
try pgsql_ubench -n abc
try pgsql_ubench -s maybe
try pgsql_ubench -S deep
try pgsql_ubench -c perhaps
try pgsql_ubench -P 65536
try pgsql_ubench -P mysql
try pgsql_ubench --connect-timeout=0
try pgsql_ubench --read-timeout=2h
try pgsql_ubench --file=x
try pgsql_ubench -o nothing
try pgsql_ubench -p
try pgsql_ubench stray
UBENCH_PGSQL_PORT=many try pgsql_ubench
UBENCH_PGSQL_PORT=65536 try pgsql_ubench
# A password too long is refused without being shown.
try pgsql_ubench -p "$(printf %0256d 0)"
UBENCH_PASSWORD=$(printf %0256d 0) try pgsql_ubench
left
try pgsql_ubench -e InnoDB
