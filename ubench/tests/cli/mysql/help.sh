# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need mysql_ubench
try mysql_ubench --help
try mysql_ubench --help all
