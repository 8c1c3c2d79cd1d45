# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
try null_ubench --version
try null_ubench -V
