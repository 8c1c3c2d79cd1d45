# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
# The results alone; a bar that was asked for is progress.
try null_ubench -n 1k -v no --progress=bar
left
