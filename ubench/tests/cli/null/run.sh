# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
try null_ubench -n 1000
left
