# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench mysql_ubench
try_help mysql_ubench
