# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need mysql_ubench
# Nobody listens at port 1, and nothing at all is there in a folder of ours.
try mysql_ubench -m 127.0.0.1 -P 1 -u nobody -p secret -O out.jsonl
try mysql_ubench -m "$PWD" -u nobody -p secret
left
