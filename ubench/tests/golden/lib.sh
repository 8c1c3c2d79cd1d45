# shellcheck shell=sh disable=SC2034 # variables of the including scripts
# SPDX-License-Identifier: ISC
# What the golden tests share.  A golden test compares what came with a file beside
# it; --update writes the files anew.  BIN is the folder of the runners (default:
# the checkout), HELPERS that of the test programs (default: build/release/tests).
# Each ends with "N passed, N failed, N skipped"; with REQUIRE=all a skipped case
# counts as failed.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../../.." && pwd)
bin=$(cd "${BIN:-$top}" && pwd) || exit 1
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd) || exit 1
LC_ALL=C
TZ=UTC
export LC_ALL TZ
update=no
[ "${1:-}" != --update ] || update=yes
passed=0
failed=0
skipped=0

skip() {
    echo "skip: $1: $2"
    skipped=$((skipped + 1))
}

# compare NAME FILE: FILE against $here/NAME.
compare() {
    if [ $update = yes ]; then
        cp "$2" "$here/$1"
    fi
    if diff -u "$here/$1" "$2"; then
        echo "ok - $1"
        passed=$((passed + 1))
    else
        echo "not ok - $1"
        failed=$((failed + 1))
    fi
}

summary() {
    if [ "${REQUIRE:-}" = all ]; then
        failed=$((failed + skipped))
        skipped=0
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# An empty folder to work in, which goes at the end; `clean_up` may do more.
clean_up() { :; }
finish() {
    clean_up
    rm -rf "$work"
}
work=$(mktemp -d) || exit 1
chmod 711 "$work" # a server, as its own user, passes through it
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
