# shellcheck shell=sh source=lib.sh
# A pool that fills up: every store gives the same answers, no figure is one of
# all levels.
. "$CLI/lib.sh"
filled() { # RUNNER [OPTION...]
    program=$1
    shift
    echo "$program $*"
    "$BIN/$program" -w fill --pool 400 -n 20 -s no "$@" |
        sed -n -e '/^verified/p' -e '/^overall/p' -e '/^digest/p'
}
filled memfile_ubench
filled memfile_ubench --allocator=random
filled memfile_ubench --allocator=free-list
[ ! -x "$BIN/sqlite_ubench" ] || filled sqlite_ubench --allocator=random
rm -f dhcpd.leases sqlite.db
left
