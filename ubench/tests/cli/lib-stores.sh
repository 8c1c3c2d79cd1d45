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

# The same run typed in many ways does the same work.
digests() {
    for options; do
        # shellcheck disable=SC2086 # words
        "$BIN/$runner" -v no -n 1000 --seed=5 $options |
            sed -n 's/^verified  *//p; s/^digest  *\([0-9a-f]*\).*/digest \1/p'
    done
}
