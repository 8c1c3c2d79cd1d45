# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What the cases of scripts/sweep.sh have in common.  Their runners are null and
# memfile, or sh scripts in ./bin that call these.

. "$CLI/lib.sh"
need null_ubench memfile_ubench json_get
runners=$BIN
BIN=$PWD/bin
export BIN
mkdir bin
ln -s "$runners/null_ubench" "$runners/memfile_ubench" bin

checkout=$(cd "$CLI/../../.." && pwd)

# sweep OPTION...: runs it and prints as try does; times and dates are masked,
# and paths are those below the checkout.
sweep() {
    echo "\$ sweep.sh${*:+ $*}"
    "$CLI/../../../scripts/sweep.sh" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    sed 's/[0-9.]* \(s\|min\)\( left\|$\|,\)/TIME\2/g; s/until .*/until THEN/
        s/order seed [0-9]*/order seed SEED/; s/^WARNING.*/WARNING/
        s/campaign 2[^ ,:]*T[^ ,]*Z/campaign DATE/' "$SCRATCH/out" |
        grep -v '^WARNING'
    sed "s|$checkout/||g; s/^/2> /" "$SCRATCH/err"
    echo "exit $status"
}

# runs FILE: block, position, role and cell of each line, in this order.
runs() {
    grep '"incomplete":false,"error":""' "$1" | sed 's/.*"labels":{"campaign":"[^"]*","block":"\([0-9]*\)","position":"\([0-9]*\)","role":"\([a-z]*\)","cell":"\([^"]*\)".*/\1 \2 \3 \4/' |
        sort -k 1n -k 2n
}
