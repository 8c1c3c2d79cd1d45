# shellcheck shell=sh source=lib.sh
# SQLite's settings have these classes, by what was read back, on a disk: the folder of
# the case may be in memory.
. "$CLI/lib.sh"
need sqlite_ubench
disk=$(mktemp -d /var/tmp/ubench-cli.XXXXXX) || exit
trap 'rm -rf "$disk"' EXIT
cd "$disk" || exit
for mode in delete truncate persist memory off wal; do
    for level in off normal full extra; do
        "$BIN/sqlite_ubench" -n 1 -s server -o journal_mode=$mode \
            -o synchronous=$level --json |
            sed 's/.*"durability":{"class":"\([^"]*\)".*"from":"\([^"]*\)".*/\1: \2/
                s/, on [a-z0-9]*//'
    done
done
