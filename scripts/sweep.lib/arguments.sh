# shellcheck shell=sh disable=SC2034,SC2154 # sweep.sh has the other half
# SPDX-License-Identifier: ISC
# The command line of a sweep: what was typed becomes axes.

# Leaves in options what each runner's --help says: store, letter, long name,
# and whether it takes a value (arg) or not (flag).
learn_options() {
    for runner in "$bin"/*_ubench; do
        [ -x "$runner" ] || die "no runner is built in $bin: run make first"
        store=$(basename "$runner" _ubench)
        "$runner" --help | awk -v store="$store" '
            /^  (-.,|   ) --/ {
                split(substr($0, 9), words, " ")
                takes = substr($0, 9 + length(words[1]), 2) ~ /^ [^ ]/
                print store "\t" substr($0, 4, 1) "\t" words[1] "\t" \
                    (takes ? "arg" : "flag")
            }'
    done >"$work/options"
    built=$(cut -f 1 "$work/options" | uniq)
}

# look_up OPTION: sets key, the long names that it has in any runner, joined by
# a slash (-f is --file or --database), and takes.
look_up() {
    takes_and_key=$(awk -F '\t' -v typed="$1" '
        (typed == "-" $2 || typed == "--" $3) && !seen[$3]++ {
            names = names (names == "" ? "" : "/") $3
            takes = $4
        }
        END { if (names != "") print takes, names }' "$work/options")
    [ -n "$takes_and_key" ] ||
        misuse "$1: no runner has this option; --help lists those of a sweep"
    takes=${takes_and_key%% *}
    key=${takes_and_key#* }
    case $key in
    json | label | output | progress | verbose | version)
        misuse "--$key is not for a sweep"
        ;;
    password) misuse "--password is not for a sweep: set UBENCH_PASSWORD" ;;
    esac
}

# once VARIABLE OPTION VALUE: what the command line gave is not set again.
once() {
    eval "given=\${$1}"
    if [ -z "$given" ]; then
        eval "$1=\$3"
    elif [ "$group" -eq 0 ]; then
        misuse "$2 is given twice"
    fi
}

# axis TYPE KEY VALUES OPTION: notes it for the group.
axis() {
    case $3 in
    *[[:cntrl:]]*) misuse "$4: control characters are not for a sweep" ;;
    esac
    if cut -f 1-3 "$work/axes" | grep -qxF -e "$group$tab$1$tab$2"; then
        misuse "$4 is given twice"
    fi
    printf '%s\t%s\t%s\t%s\n' "$group" "$1" "$2" "$3" >>"$work/axes"
}

# setting_axis TYPE OPTION NAME=VALUES
setting_axis() {
    case $3 in
    [!=]*=*) axis "$1" "${3%%=*}" "${3#*=}" "$2 ${3%%=*}" ;;
    *) misuse "$2: '$3' is not NAME=VALUE,VALUE..." ;;
    esac
}

# take OPTION VALUE: one that has a value.
take() {
    case $1 in
    --store) axis store store "$2" --store ;;
    -r | --blocks) once blocks --blocks "$2" ;;
    -O | --output) once output --output "$2" ;;
    --reference) once reference --reference "$2" ;;
    --order-seed) once order_seed --order-seed "$2" ;;
    --campaign) once campaign --campaign "$2" ;;
    --server-option)
        restart=yes
        setting_axis server --server-option "$2"
        ;;
    -o | --set) setting_axis set --set "$2" ;;
    *) axis option "$key" "$2" "--$key" ;;
    esac
}

# parse WORD...: the options of one group.
parse() {
    while [ $# -gt 0 ]; do
        word=$1
        shift
        value=
        glued=yes
        case $word in
        --?*=*)
            typed=${word%%=*}
            value=${word#*=}
            ;;
        --?* | -?)
            typed=$word
            glued=no
            ;;
        -?*)
            value=${word#-?}
            typed=${word%"$value"}
            ;;
        @?*)
            [ "$group" -eq 0 ] || misuse "$word: a sweep within a sweep"
            once sweep_file @SWEEP "${word#@}"
            continue
            ;;
        *) misuse "'$word': unexpected argument; --help lists the options" ;;
        esac
        case $typed in
        -h | --help | --dry-run | --restart-server) takes=flag ;;
        --resume) misuse "--resume stands alone: the other options are known" ;;
        --store | -r | --blocks | -O | --output | --reference | --order-seed | \
            --campaign | --server-option) takes=arg ;;
        *) look_up "$typed" ;;
        esac
        if [ "$takes" = flag ]; then
            [ "$glued" = no ] || misuse "$typed takes no value"
            case $typed in
            -h | --help)
                usage
                exit 0
                ;;
            --dry-run) dry_run=yes ;;
            --restart-server) restart=yes ;;
            *) axis flag "$key" yes "$typed" ;;
            esac
            continue
        fi
        if [ "$glued" = no ]; then
            [ $# -gt 0 ] || misuse "$typed: the value is missing"
            value=$1
            shift
        fi
        take "$typed" "$value"
    done
}

# The groups of the file are 1 and up; what the command line gave, 0, is common
# to all.  Without a file there is one group of nothing else.
read_sweep() {
    groups=1
    [ -n "$sweep_file" ] || return 0
    file=$top/scripts/sweeps/$sweep_file.sweep
    case $sweep_file in
    */*) file=$sweep_file ;;
    esac
    [ -r "$file" ] || misuse "@$sweep_file: cannot read $file"
    while read -r word rest || [ -n "$word" ]; do
        group=$groups
        case $word in
        '' | '#'*) ;;
        +) groups=$((groups + 1)) ;;
        *) if [ -n "$rest" ]; then parse "$word" "$rest"; else parse "$word"; fi ;;
        esac
    done <"$file"
}

# whole OPTION VALUE MAXIMUM
whole() {
    case $2 in
    *[!0-9]* | '' | ??????????*) ;;
    *) [ "$2" -lt 1 ] || [ "$2" -gt "$3" ] || return 0 ;;
    esac
    misuse "$1: '$2' is not a whole number in 1..$3"
}

check_own_options() {
    whole --blocks "${blocks:=9}" 1000
    : "${order_seed:=$(($(od -An -N3 -tu4 /dev/urandom) + 1))}"
    whole --order-seed "$order_seed" 999999999
    : "${campaign:=$(date -u +%Y-%m-%dT%H:%M:%SZ)}"
    case $campaign in
    *[!A-Za-z0-9.:_-]*) misuse "--campaign: '$campaign' has other characters" \
        "than letters, digits and .:_-" ;;
    esac
    [ ${#campaign} -le 100 ] || misuse "--campaign: more than 100 characters"
    if [ -z "$reference" ]; then
        reference=none
        [ ! -x "$bin/memfile_ubench" ] || reference='memfile -s yes -n 2000'
    fi
    check_reference
}

check_reference() {
    [ "$reference" != none ] || return 0
    case $reference in
    '' | *[!A-Za-z0-9\ =._,/-]*) misuse "--reference: '$reference' has other" \
        "characters than words of options need" ;;
    esac
    check_built --reference "${reference%% *}"
    # shellcheck disable=SC2086 # words
    set -- $reference --help
    program=$bin/${1}_ubench
    shift
    "$program" "$@" 2>"$work/errors" >/dev/null ||
        misuse "--reference: $(cat "$work/errors")"
}

# check_built OPTION STORE
check_built() {
    echo "$built" | grep -qxF -e "$2" ||
        misuse "$1: '$2' is not one of those whose runner is built:" \
            "$(echo "$built" | tr '\n' ' ' | sed 's/ $//')"
}

# stores_of GROUP: those that the command line and the file both want.
stores_of() {
    awk -F '\t' -v group="$1" -v built="$built" '
        BEGIN { count = split(built, stores, "\n") }
        $2 == "store" && ($1 == 0 || $1 == group) {
            lists++
            wanted = split($4, names, ",")
            for (i = 1; i <= wanted; i++) votes[names[i]]++
        }
        END {
            for (i = 1; i <= count; i++)
                if (votes[stores[i]] == lists + 0 &&
                    (lists > 0 || stores[i] != "null"))
                    print stores[i]
        }' "$work/axes"
}

check_stores() {
    for name in $(awk -F '\t' '$2 == "store" { print $4 }' "$work/axes" |
        tr ',' '\n'); do
        check_built --store "$name"
    done
    group=1
    while [ "$group" -le "$groups" ]; do
        stores_of "$group" | sed "s/^/$group$tab/"
        group=$((group + 1))
    done >"$work/stores" # group, store
    [ -s "$work/stores" ] || misuse "--store: no store is left"
}
