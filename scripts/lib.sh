# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Shared by the scripts, which read it first.  It sets $here, their folder, and how programs
# write and read: a decimal comma is no JSON, and with a CDPATH cd may go elsewhere.

unset CDPATH
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
# In a checkout that is scripts/, with the programs above it; once installed it is
# PREFIX/libexec/ubench, and the programs are in PREFIX/bin.
# shellcheck disable=SC2034 # for the scripts
case $here in
*/libexec/ubench)
    programs=${here%/libexec/ubench}/bin
    writable=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ubench
    ;;
*) programs=${here%/*} writable=${here%/*}/build ;;
esac

# The comment at the head of a script is its --help; below "# --" is that of --help all.
case ${1:-} in
-h | --help)
    [ "${2:-}" = all ] && seldom=d || seldom=q
    sed -n "1,2d; /^# --\$/$seldom; /^#/!q; s/^# \{0,1\}//p" "$0"
    exit 0
    ;;
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

# is_among WORD LIST: of words with blanks or commas between.
is_among() {
    case " $(printf '%s' "$2" | tr ',\n' '  ') " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# on_exit FUNCTION: also after a signal.
on_exit() {
    # shellcheck disable=SC2064 # a function
    trap "$1" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# await COMMAND...: tries it for $await_s seconds; fails if it never succeeds.
await_s=120
await() {
    IFS=. read -r await_end _ </proc/uptime
    await_end=$((await_end + await_s))
    until "$@"; do
        IFS=. read -r await_now _ </proc/uptime
        [ "$await_now" -lt "$await_end" ] || return 1
        sleep 0.05
    done
}
