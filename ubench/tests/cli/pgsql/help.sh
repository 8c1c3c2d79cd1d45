# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench pgsql_ubench
try_help pgsql_ubench
