# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scripts share; they read it first, and have set $here, their folder.

# In a checkout that is scripts/, with the programs above it; once installed it is
# PREFIX/libexec/ubench, and the programs are in PREFIX/bin.
# shellcheck disable=SC2034 # for the scripts
case ${here:=$(cd "$(dirname "$0")" && pwd)} in
*/libexec/ubench)
    programs=${here%/libexec/ubench}/bin
    writable=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ubench
    ;;
*) programs=${here%/*} writable=${here%/*}/build ;;
esac

say() { echo "${0##*/}: $*" >&2; }

die() {
    say "$*"
    exit 1
}

misuse() {
    say "$*"
    exit 2
}

# check_output OPTION FILE: it is not there yet, or has results in it, of which the
# first may be cut off.
check_output() {
    [ ! -e "$2" ] || [ -f "$2" ] || die "$1: $2 is not a regular file"
    [ ! -s "$2" ] || head -n 1 "$2" | grep -q '^{"format":"ubench-' ||
        head -n 1 "$2" | jq -e '.format | startswith("ubench-")' >/dev/null 2>&1 ||
        die "$1: $2 has something else than results in it"
}

# is_among WORD LIST: of words with blanks or commas between.
is_among() {
    case " $(printf '%s' "$2" | tr ',\n' '  ') " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

need_jq() {
    command -v jq >/dev/null || die "jq is missing: scripts/deps.sh installs it"
}

# on_exit FUNCTION: also after a signal.
on_exit() {
    # shellcheck disable=SC2064 # a function
    trap "$1" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# await COMMAND...: tries it for a minute; fails if it never succeeds.
await() {
    tries=1200
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}
