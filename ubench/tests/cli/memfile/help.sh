# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench memfile_ubench
try_help memfile_ubench
left
