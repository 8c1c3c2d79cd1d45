# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need mysql_ubench
# None of these needs a server: they are refused before one is asked.
try mysql_ubench -n 0
try mysql_ubench -n abc
try mysql_ubench -s maybe
try mysql_ubench -S deep
try mysql_ubench -S kea+stats -b 2 -t 2 --subnets 2
try mysql_ubench -c perhaps
try mysql_ubench -P 65536
try mysql_ubench -P mysql
try mysql_ubench --connect-timeout=0
try mysql_ubench --read-timeout=2h
try mysql_ubench --reconnect=5
try mysql_ubench --reconnect=5s -b 10
try mysql_ubench --reconnect=5s -w fill
try mysql_ubench --reconnect=5s -w renew --find-rate
try mysql_ubench --file=x
try mysql_ubench -o nothing
try mysql_ubench -p
try mysql_ubench stray
UBENCH_MYSQL_PORT=many try mysql_ubench
UBENCH_MYSQL_PORT=65536 try mysql_ubench
# A password too long is refused without being shown.
try mysql_ubench -p "$(printf %0256d 0)"
UBENCH_PASSWORD=$(printf %0256d 0) try mysql_ubench
left
