# shellcheck shell=sh source=lib.sh
# A search, with trials so short that its rate means nothing; it says before how
# long it takes.
. "$CLI/lib.sh"
need null_ubench
try null_ubench -w renew --find-rate --duration 100ms --progress none
# Whose first trials are over before a client comes: it says so much.
try null_ubench -w renew --find-rate --duration 100ms --hook-delay 50ms --progress none |
    grep -E '^(sustained|2.5 %|1 %|exit)'
