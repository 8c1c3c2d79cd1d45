# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What cases of stores that are files share; $runner is the program.

. "$CLI/lib.sh"
need "${runner:?}"

# try_foreign FILE: it is refused and stays as it is.
try_foreign() {
    remember "$1"
    try "$runner" -f "$1"
    unchanged "$1"
}
