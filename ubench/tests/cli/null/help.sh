# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
try null_ubench --help | tee "$SCRATCH/short"
try null_ubench --help all | sed '/^  -H/,/--hook inline/d'
try null_ubench -h --count=5 | diff "$SCRATCH/short" -
left
