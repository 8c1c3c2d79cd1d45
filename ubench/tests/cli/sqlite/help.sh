# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench sqlite_ubench
try_help sqlite_ubench
left
