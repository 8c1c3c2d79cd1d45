# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Completion for bash of the program that this file is named after once it is
# installed.  A program lists its options and their values itself (--list-options),
# so that this cannot disagree with its table.

# _ubench_words COMMAND...: prints its commands and options.
_ubench_words() {
    "$@" --list-options 2>/dev/null | awk -F '\t' '
        { print ($2 != "" ? "--" $2 : "-" $1) }' | grep . ||
        { "$@" --help all || "$@" --help; } 2>/dev/null | awk '
            /^ +(-., )?--[a-z]/ && match($0, /--[a-z-]+/) { print substr($0, RSTART, RLENGTH) }
            /^  [a-z]/ { print $1 }'
}

# _ubench_values OPTION COMMAND...: prints the values of -s or --sync, as far as they
# are words, or "none" if it takes none.
_ubench_values() {
    "${@:2}" --list-options 2>/dev/null | awk -F '\t' -v option="$1" '
        option == "-" $1 || option == "--" $2 {
            values = $6 != "" ? $6 : $4 ~ /^[a-z]+\|/ ? $4 : ""
            gsub(/[,|]/, "\n", values)
            print $3 == "flag" ? "none" : values
        }'
}

_ubench() {
    local word=$2 option=$3 words=none depth=0
    local -a command=("$1")

    # --sync=no is three words to bash: --sync, = and no.
    [ "$word" != = ] || word=
    [ "$option" != = ] || option=${COMP_WORDS[COMP_CWORD - 2]}
    # The first words may be a command, of which the options are.
    case ${1##*/},${COMP_WORDS[1]} in
    ubench,report) depth=2 ;;
    ubench,* | ubench_report,*) depth=1 ;;
    esac
    [ "$depth" -lt "$COMP_CWORD" ] || depth=$((COMP_CWORD - 1))
    command+=("${COMP_WORDS[@]:1:depth}")

    [[ $option != -* ]] || words=$(_ubench_values "$option" "${command[@]}")
    [ "$words" != none ] || words=$(_ubench_words "${command[@]}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Any other word may be a file.
complete -o default -F _ubench "${BASH_SOURCE[0]##*/}"
