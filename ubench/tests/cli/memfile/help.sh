# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need memfile_ubench
try memfile_ubench --help
try memfile_ubench --help all
left
