# shellcheck shell=sh source=../lib/cases.sh disable=SC2034
# SPDX-License-Identifier: ISC
# What the golden tests share.  A golden test compares what came with a file beside
# it; --update writes the files anew.  HELPERS is the folder of the test programs
# (default: build/release/tests).  See cases.sh for the rest.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd) || exit 1
LC_ALL=C
TZ=UTC
export LC_ALL TZ
update=no
[ "${1:-}" != --update ] || update=yes

# compare NAME FILE: FILE against $here/NAME.
compare() {
    [ $update = no ] || cp "$2" "$here/$1"
    if diff -u "$here/$1" "$2"; then
        ok "$1"
    else
        not_ok "$1" "it differs"
    fi
}
