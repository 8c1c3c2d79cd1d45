# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need pgsql_ubench
try pgsql_ubench --help
try pgsql_ubench --help all
