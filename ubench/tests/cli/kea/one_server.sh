# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need kea_ubench
try kea_ubench -o type=mysql -m a,b -s server
