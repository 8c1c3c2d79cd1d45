# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scripts share; they read it first.

say() {
    echo "${0##*/}: $*" >&2
}

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
    case " $(echo "$2" | tr ',' ' ') " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

need_jq() {
    command -v jq >/dev/null || die "jq is missing: scripts/deps.sh installs it"
}
