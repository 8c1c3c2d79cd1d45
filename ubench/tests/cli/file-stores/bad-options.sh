# shellcheck shell=sh source=lib-stores.sh
# Options that are wrong whatever the store is; nothing may be left behind.
. "$CLI/lib-stores.sh"
try "$runner" -n 0
try "$runner" -n -5
try "$runner" -n 1e99
try "$runner" -n abc
try "$runner" -s maybe
try "$runner" -s volatil
try "$runner" -s bounded
try "$runner" -S deep
try "$runner" -H 1.5
try "$runner" -o format
try "$runner" -o =5
try "$runner" -o nonsense=1
try "$runner" --nonsense
try "$runner" -e InnoDB
try "$runner" -m localhost
try "$runner" -f
try "$runner" -f x stray
left
