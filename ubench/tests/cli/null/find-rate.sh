# shellcheck shell=sh source=lib.sh
# A search, with trials so short that its rate means nothing; it says before how
# long it takes.
. "$CLI/lib.sh"
need null_ubench
try null_ubench -w renew --find-rate --duration 100ms --progress none
