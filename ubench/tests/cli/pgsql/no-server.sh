# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need pgsql_ubench
# Nobody listens at port 1, and nothing at all is there in a folder of ours.
try pgsql_ubench -m 127.0.0.1 -P 1 -u nobody -p secret -O out.jsonl
try pgsql_ubench -m "$PWD" -u nobody -p secret
left
