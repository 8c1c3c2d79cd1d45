# shellcheck shell=sh source=lib-stores.sh
# What kill -9 leaves behind is ours, and the next run empties it.
. "$CLI/lib-stores.sh"
start "$runner" -s no -n 10M
kill -s KILL "$pid"
finish >/dev/null 2>&1
try "$runner" -s no -v no -n 10 | tail -n 3
left
