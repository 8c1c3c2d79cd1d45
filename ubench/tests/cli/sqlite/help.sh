# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need sqlite_ubench
try sqlite_ubench --help
try sqlite_ubench --help all
left
