#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Runs a matrix of stores and options as a campaign whose runs can be compared:
# randomised complete blocks, so that what changes on the machine meanwhile hits
# all cells alike, with a reference first and last in each block, which shows
# how much that was.
#
# What a store's runner understands is learnt from the runner: its --help has
# the options, and with --help at its end a command line is checked, but not
# run.  Which store takes a --set or a --server-option is found out by trying.
#
# The folder OUTPUT.sweep/ has what a campaign needs to go on.  All in it is made
# before the first run and only read from then on; which runs are done is read
# from OUTPUT itself, so that the two cannot disagree after a crash.
#   command   where it was typed, and its arguments, one to a line
#   campaign  its name and the seed of its order
#   cells     cell, store, estimated seconds, name, words: SERVER-OPTION... --
#             RUNNER-OPTION..., quoted for eval; cell 0 is the reference
#   broken    names of cells that could not be run at all, and why
#   plan      run, block, position in it, role, cell
#   times     cell and seconds of each run that was taken, for the time left
#   run.jsonl the line of the last run, until it is in OUTPUT
# Fields are separated by tabs.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${BIN:-$top}" && pwd)
servers=$top/scripts/servers.sh
tab=$(printf '\t')
unit=$(printf '\037') # between the traits of a cell: KEY=VALUE

usage() {
    cat <<'END'
Usage: sweep.sh [OPTION]... [RUNNER OPTION]... [@SWEEP]
Runs every combination of the given values on every store, in blocks of random
order, and appends each run to one file.

A runner's option takes a list, and each value of it is tried with each value of
the others: -t 1,4,16 -s yes,no makes six cells of a store.  What a store does
not have is left out for it.  \, is a comma within a value.  --set (-o) takes
NAME=VALUE,VALUE... and may be repeated.

      --store LIST          stores [all whose runner is built, but not null]
  -r, --blocks N            times that each cell is run [9]
  -O, --output FILE         where the results go [sweep.jsonl, or SWEEP.jsonl];
                            leases of memfile and SQLite lie beside it
      --server-option NAME=LIST
                            option of the private server, repeatable; it is
                            started anew with it: shared_buffers=128MB,1GB
      --restart-server      start the private server anew before each run
      --reference WORDS     store and options of the run that is first and last
                            in each block, or none [memfile -s yes -n 2000]
      --order-seed N        seed of the order in the blocks [random]
      --campaign NAME       goes into the label campaign [date and time]
      --dry-run             try the cells, print them and their order, and end
      --resume FOLDER       go on with the sweep of FILE.sweep
  -h, --help                print this and exit

@SWEEP reads arguments from scripts/sweeps/SWEEP.sweep, or from the file SWEEP
if there is a slash in it: one option to a line; # begins a comment; a line +
begins another matrix, whose cells are run in the same blocks.  An option on the
command line replaces that of the file, and --store chooses among its stores.

MySQL and PostgreSQL: private servers are started (scripts/servers.sh), or those
that UBENCH_MYSQL_HOST and the like, or -m and -P, name are used.

Interrupted by ^C, or worse, the sweep goes on with the same command, and no
finished run is lost or repeated.  Runs that failed are tried again.

Example: sweep.sh -n 10k -r 5 --store mysql,pgsql -s yes,no -t 1,4

Exit status: 0 done, 1 a run failed, 2 usage, 3 a store gave a wrong answer, 130
or 143 interrupted.
END
}

say() {
    echo "sweep.sh: $*" >&2
}

die() {
    say "$*"
    exit 1
}

misuse() {
    say "$*"
    exit 2
}

now() {
    cut -d ' ' -f 1 /proc/uptime
}

# since TIME: the seconds that have passed.
since() {
    now | awk -v begun="$1" '{ printf "%.2f\n", $1 - begun }'
}

# show_time SECONDS: as a person says it.
show_time() {
    awk -v s="$1" 'BEGIN {
        if (s < 9.95) printf "%.1f s\n", s
        else if (s < 99.5) printf "%.0f s\n", s
        else if (s < 5970) printf "%.0f min\n", s / 60
        else printf "%.1f h\n", s / 3600
    }'
}

# ---- The command line ------------------------------------------------------

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

# ---- Running ---------------------------------------------------------------

# ^C reaches us alone: a runner is in a session of its own, gets one signal from
# here, and so has the time to put settings back.
stop() {
    stopped=$2
    [ -z "$runner" ] || kill -s "$1" "$runner" 2>/dev/null || :
}

check_stopped() {
    [ -z "$stopped" ] || exit "$stopped"
}

# run STORE WORD...: one run in an empty folder.  Leaves its line, if there is
# one, in run.jsonl and its complaint in errors; sets status and seconds.
run() {
    program=${1}_ubench
    shift
    check_stopped
    rm -rf "$folder/leases" "$folder/run.jsonl"
    mkdir "$folder/leases"
    begun=$(now)
    (
        cd "$folder/leases"
        exec setsid "$bin/$program" "$@" -v no -O ../run.jsonl
    ) >/dev/null 2>"$folder/errors" 8>&- &
    runner=$!
    while :; do
        status=0
        wait "$runner" || status=$?
        kill -0 "$runner" 2>/dev/null || break
    done
    runner=
    seconds=$(since "$begun")
    rm -rf "$folder/leases"
    check_stopped
}

# complaint: what the last run or start of a server said, in one line.
complaint() {
    grep -m 1 -E '_ubench: |ERROR|FATAL|invalid' "$folder/errors" ||
        sed -n '/./{p;q;}' "$folder/errors"
}

needs_server() {
    cut -f 1,3 "$work/options" | grep -qxF "$1${tab}port"
}

# is_private STORE: its server is, or will be, the one of servers.sh.
is_private() {
    needs_server "$1" || return 1
    ! cut -f 2,3 "$work/axes" | grep -qxE "option$tab(host|port)" || return 1
    prefix=UBENCH_$(echo "$1" | tr '[:lower:]' '[:upper:]')
    eval "theirs=\${${prefix}_HOST:-}:\${${prefix}_PORT:-}"
    [ "${theirs:?}" != : ] || return 0
    ours=$("$servers" env "$1" 2>/dev/null | tr -d "'" | sed -n \
        -e "s/^export ${prefix}_HOST=//p" -e "s/^export ${prefix}_PORT=//p" |
        tr '\n' ':')
    [ "$theirs:" = "$ours" ]
}

# is_ours STORE: the same, once prepare_servers has found out.
is_ours() {
    case " $private " in
    *" $1 "*) ;;
    *) return 1 ;;
    esac
}

# start_server STORE [-- OPTION...]: makes sure that it runs, and with -- that it
# was started anew with these options.  Returns 1 with errors.
start_server() {
    check_stopped
    start_begun=$(now)
    if [ $# -gt 1 ]; then
        "$servers" stop "$1" 8>&- 9>&- 2>"$folder/errors" || return 1
    fi
    "$servers" start "$@" 8>&- 9>&- </dev/null 2>"$folder/errors" || return 1
    start_seconds=$(since "$start_begun")
    eval "$("$servers" env "$1")"
}

# Servers that were not there before us are stopped; those that were go on
# without the options of a cell.
leave_servers() {
    for store in $private; do
        if grep -qxF "$store" "$folder/started"; then
            "$servers" stop "$store" 8>&- 9>&-
        elif [ -n "$restart" ]; then
            start_server "$store" -- || say "$store: $(complaint)"
        fi
    done
}

# Sets private, and starts these servers.  One that cannot be started is left
# out, or an error if it was asked for.
prepare_servers() {
    for store in $(cut -f 2 "$work/stores" | sort -u) ${reference%% *}; do
        needs_server "$store" || continue
        if ! is_private "$store"; then
            [ -z "$restart" ] || misuse "--restart-server, --server-option:" \
                "the server of $store is not of servers.sh, and is left alone"
            continue
        fi
        "$servers" status "$store" >/dev/null 2>&1 ||
            echo "$store" >>"$folder/started"
        private="$private $store"
        start_server "$store" || give_up_store "$store"
    done
}

# give_up_store STORE: one that was not asked for by name is left out.
give_up_store() {
    if [ "$1" = "${reference%% *}" ] ||
        cut -f 2 "$work/axes" | grep -qx store; then
        die "$1: $(complaint)"
    fi
    echo "$1: $(complaint)" >>"$work/left_out"
    grep -vx ".*$tab$1" "$work/stores" >"$work/stores.less" || :
    mv "$work/stores.less" "$work/stores"
    [ -s "$work/stores" ] || die "--store: no store is left"
}

# ---- What the stores have --------------------------------------------------

# combine GROUP STORE [bare]: the cells of a group, see sweep-cells.awk.
combine() {
    awk -v group="$1" -v store="$2" -v bare="${3:+1}" \
        -f "$top/scripts/sweep-cells.awk" \
        "$work/options" "$work/known" "$work/axes"
}

# settings_of GROUP TYPE: name and NAME=VALUE, tab between them, of each value.
settings_of() {
    awk -F '\t' -v group="$1" -v type="$2" '
        ($1 == 0 || $1 == group) && $2 == type {
            text = substr($0, length($1 $2 $3) + 4)
            gsub(/\\,/, "\001", text)
            count = split(text, parts, ",")
            for (i = 1; i <= count || i == 1; i++) {
                gsub("\001", ",", parts[i])
                print $3 "\t" $3 "=" parts[i]
            }
        }' "$work/axes"
}

# know TYPE STORE NAME SETTING: notes after a try, status, that the store has it,
# or what it said.
know() {
    if [ "$status" -eq 0 ]; then
        printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/known"
    else
        printf '%s\t%s\t%s\t%s\n' "$1" "$3" "$4" "$(complaint)" \
            >>"$work/unknown"
    fi
}

# Tries --set of one operation, on top of the first cell without any.
try_settings() {
    while read -r group store; do
        settings_of "$group" set >"$work/settings"
        [ -s "$work/settings" ] || continue
        cut -f 1,3 "$work/options" | grep -qxF "$store${tab}set" || continue
        words=$(combine "$group" "$store" bare | sed -n "1s/.*$tab//p")
        try_words="$words -n 1 -t 1 --preload 0 --warmup 0 -R 1"
        eval "run \"\$store\" $try_words"
        [ "$status" -eq 0 ] || die "$(complaint)"
        while read -r name setting; do
            eval "run \"\$store\" $try_words --set \"\$setting\""
            know set "$store" "$name" "$setting"
        done <"$work/settings"
    done <"$work/stores"
}

try_server_options() {
    while read -r group store; do
        is_ours "$store" || continue
        settings_of "$group" server >"$work/settings"
        while read -r name setting; do
            status=0
            start_server "$store" -- "--$setting" || status=$?
            know server "$store" "$name" "$setting"
        done <"$work/settings"
        start_server "$store" -- || die "$store: $(complaint)"
    done <"$work/stores"
}

# A setting that no store takes in any of its values is a mistake on the command
# line; one in a file may be of a store that was not chosen.
check_settings() {
    wrong=$(awk -F '\t' '
        FILENAME == ARGV[1] { known[$1, $3]; next }
        FILENAME == ARGV[2] { said[$1, $2] = $3 ": " $4; next }
        $1 == 0 && ($2 == "set" || $2 == "server") && !(($2, $3) in known) {
            print ($2 == "set" ? "--set: " : "--server-option: ") \
                (($2, $3) in said ? said[$2, $3] : \
                    $3 ": none of the stores takes any")
            exit
        }' "$work/known" "$work/unknown" "$work/axes")
    [ -z "$wrong" ] || misuse "$wrong"
}

# ---- The cells -------------------------------------------------------------

# Leaves in accepted the lines of sweep-cells.awk whose runner takes them, and in
# refused the traits of others with what it said.
check_cells() {
    while read -r group store; do
        combine "$group" "$store"
    done <"$work/stores" | awk '!seen[$0]++' >"$work/candidates"
    : >"$work/accepted"
    : >"$work/refused"
    while IFS= read -r line; do
        store=${line%%"$tab"*}
        words=${line##*"$tab"}
        if eval "\"\$bin/\${store}_ubench\" $words --help" >/dev/null \
            2>"$folder/errors"; then
            printf '%s\n' "$line" >>"$work/accepted"
        else
            printf '%s\t%s\n' "$(printf '%s\n' "$line" | cut -f 3)" \
                "$(complaint)" >>"$work/refused"
        fi
    done <"$work/candidates"
    # A value on the command line that is in no cell at all is a mistake.
    wrong=$(awk -F '\t' -v unit="$unit" '
        FILENAME == ARGV[1] {
            count = $1 == 0 ? split($3, names, "/") : 0
            for (i = 1; i <= count; i++) typed[names[i]]
            next
        }
        FILENAME == ARGV[2] {
            count = split($3, traits, unit)
            for (i = 2; i <= count; i++) used[traits[i]]
            next
        }
        {
            count = split($1, traits, unit)
            for (i = 2; i <= count; i++) {
                key = traits[i]
                sub(/=.*/, "", key)
                if (key in typed && !(traits[i] in used)) { print $2; exit }
            }
        }' "$work/axes" "$work/accepted" "$work/refused")
    [ -z "$wrong" ] || misuse "$wrong"
    [ -s "$work/accepted" ] || die "no cell is left: $(cut -f 2 "$work/refused" | sed 1q)"
    wrong=$(awk -F '\t' '
        FILENAME == ARGV[1] { chosen[$2]; next }
        FILENAME == ARGV[2] { if ($1 in chosen) has[$3]; next }
        $1 == 0 && ($2 == "option" || $2 == "flag") {
            count = split($3, names, "/")
            for (i = 1; i <= count; i++)
                if (names[i] in has) next
            print "--" names[1]
            exit
        }' "$work/stores" "$work/options" "$work/axes")
    [ -z "$wrong" ] || misuse "$wrong: none of the stores has it"
}

# Leaves in named what is accepted and has a name of what distinguishes it:
# store, server's options, operations, preload, operations of a try, name, words.
name_cells() {
    awk -F '\t' -v unit="$unit" '
        function number(text) {
            return text * (text ~ /k$/ ? 1e3 : text ~ /M$/ ? 1e6 :
                text ~ /G$/ ? 1e9 : 1)
        }
        {
            cells[NR] = $0
            count = split($3, traits, unit)
            for (i = 2; i <= count; i++) {
                key = traits[i]
                sub(/=.*/, "", key)
                keys[key]
                value[NR, key] = traits[i]
                if (!(key in first)) first[key] = traits[i]
                if (first[key] != traits[i]) varies[key]
            }
            total[$1]++
        }
        END {
            # Where some cells of a store have it and others not, it also does.
            for (key in keys) {
                split("", have)
                for (n = 1; n <= NR; n++) {
                    split(cells[n], field, "\t")
                    have[field[1]] += (n, key) in value
                }
                for (store in have)
                    if (have[store] > 0 && have[store] < total[store])
                        varies[key]
            }
            for (n = 1; n <= NR; n++) {
                split(cells[n], field, "\t")
                count = split(field[3], traits, unit)
                name = field[1]
                split("count=100 threads=1 preload=0", part, " ")
                for (i in part) {
                    split(part[i], pair, "=")
                    has[pair[1]] = pair[2]
                }
                for (i = 2; i <= count; i++) {
                    key = traits[i]
                    sub(/=.*/, "", key)
                    has[key] = substr(traits[i], length(key) + 2)
                    if (key in varies) name = name " " traits[i]
                }
                if (length(name) > 190) name = field[1] " cell " n
                small = number(has["threads"])
                if (small < 100) small = 100
                count = number(has["count"])
                if (small > count) small = count
                printf "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", field[1], field[2],
                    count, number(has["preload"]), small, name, field[4]
            }
        }' "$work/accepted" >"$work/named"
}

# The seconds that the operations of the last run took.
operations_seconds() {
    awk '{
        while (match($0, /"elapsed_ns":[0-9]+/)) {
            sum += substr($0, RSTART + 13, RLENGTH - 13)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }
    END { printf "%.6f\n", sum / 1e9 }' "$folder/run.jsonl"
}

# estimate STORE COUNT PRELOAD SMALL WORD...: sets estimate, the seconds that a
# run will take; status is not 0 if it cannot be run.
estimate() {
    store=$1 count=$2 preload=$3 small=$4
    shift 4
    run "$store" "$@" -n "$small" --preload 0 --warmup 0 -R 1
    [ "$status" -eq 0 ] || return 0
    took=$(operations_seconds)
    # Too short to say much?
    if [ "$count" -ge 10000 ] && [ "${took%%.*}" -eq 0 ] &&
        expr "$took" : '0\.0[0-4]' >/dev/null; then
        small=10000
        run "$store" "$@" -n "$small" --preload 0 --warmup 0 -R 1
        [ "$status" -eq 0 ] || return 0
        took=$(operations_seconds)
    fi
    around=$(awk -v all="$seconds" -v took="$took" 'BEGIN { print all - took }')
    per_lease=0
    if [ "$preload" -ge 10000 ]; then
        run "$store" "$@" -n "$small" --preload 10000 --warmup 0 -R 1
        [ "$status" -eq 0 ] || return 0
        per_lease=$(awk -v all="$seconds" -v took="$(operations_seconds)" \
            -v around="$around" 'BEGIN {
                more = (all - took - around) / 10000
                print more > 0 ? more : 0
            }')
    fi
    estimate=$(awk -v around="$around" -v took="$took" -v count="$count" \
        -v small="$small" -v per_lease="$per_lease" -v preload="$preload" \
        'BEGIN {
            took *= count / small
            printf "%.2f", around + took + per_lease * preload
        }')
}

# Leaves in cells those that a short try could run.
try_cells() {
    cell=1
    running=
    : >"$folder/cells"
    : >"$folder/broken"
    if [ "$reference" != none ]; then
        try_cell 0 "${reference%% *}" -- 2000 0 100 reference \
            "${reference#* }"
        [ "$status" -eq 0 ] || die "--reference: $(complaint)"
    fi
    while IFS="$tab" read -r store server count preload small name words; do
        try_cell "$cell" "$store" "$server" "$count" "$preload" "$small" \
            "$name" "$words"
        if [ "$status" -eq 0 ]; then
            cell=$((cell + 1))
        else
            echo "$name: $(complaint)" >>"$folder/broken"
        fi
    done <"$work/named"
    [ "$cell" -gt 1 ] || die "no cell can be run: $(sed 1q "$folder/broken")"
}

# try_cell NUMBER STORE SERVER COUNT PRELOAD SMALL NAME WORDS
try_cell() {
    number=$1 store=$2 server=$3 name=$7 words=$8
    if [ "$server" != -- ] && [ "$store $server" != "$running" ]; then
        running="$store $server"
        eval "start_server \"\$store\" $server" || {
            status=1
            running=
            return
        }
    fi
    eval "estimate \"\$store\" $4 $5 $6 $words"
    [ "$status" -eq 0 ] || return 0
    [ -z "$restart" ] || ! is_ours "$store" ||
        estimate=$(echo "$estimate $start_seconds" | awk '{ print $1 + $2 }')
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$number" "$store" \
        "$estimate" "$name" "$server" "$words" >>"$folder/cells"
}

# ---- The plan --------------------------------------------------------------

# Lehmer's generator (Park and Miller, Communications of the ACM 31, 1988) and
# Fisher's and Yates' shuffle: the same order from a seed in every awk.
make_plan() {
    awk -F '\t' -v seed="$order_seed" -v blocks="$blocks" '
        function below(n) {
            seed = seed * 16807 % 2147483647
            return int(seed / 2147483647 * n)
        }
        function put(role, cell) {
            print ++run "\t" block "\t" ++position "\t" role "\t" cell
        }
        $1 == 0 { reference = 1 }
        $1 > 0 { order[++cells] = $1 }
        END {
            for (i = 1; i <= 10; i++) below(1)
            for (block = 1; block <= blocks; block++) {
                for (i = cells; i > 1; i--) {
                    k = below(i) + 1
                    swap = order[i]; order[i] = order[k]; order[k] = swap
                }
                position = 0
                if (reference) put("reference", 0)
                for (i = 1; i <= cells; i++) put("cell", order[i])
                if (reference) put("reference", 0)
            }
        }' "$folder/cells" >"$folder/plan"
    printf '%s\t%s\n' "$campaign" "$order_seed" >"$folder/campaign"
}

# Prints the seconds that the runs which are not in through will take: as long
# as others of their cell, or as was estimated, times how wrong that was so far.
seconds_left() {
    awk -F '\t' '
        FILENAME == ARGV[1] { estimate[$1] = $3; next }
        FILENAME == ARGV[2] {
            sum[$1] += $2; runs[$1]++
            measured += $2; estimated += estimate[$1]
            next
        }
        FILENAME == ARGV[3] { through[$1]; next }
        !(($2 " " $3) in through) {
            left += $5 in runs ? sum[$5] / runs[$5] : \
                estimate[$5] * (estimated > 0 ? measured / estimated : 1)
        }
        END { printf "%.1f\n", left }' "$folder/cells" "$folder/times" \
        "$folder/through" "$folder/plan"
}

# until SECONDS: the time of day then, and the day if it is another.
until_when() {
    then=$(date +%s | awk -v s="$1" '{ printf "%d", $1 + s }')
    if [ "$(date -d "@$then" +%F)" = "$(date +%F)" ]; then
        date -d "@$then" +%H:%M
    else
        date -d "@$then" '+%H:%M on %F'
    fi
}

show_broken() {
    [ -s "$folder/broken" ] || return 0
    echo "cannot be run:"
    sed 's/^/  /' "$folder/broken"
}

show_plan() {
    awk -F '\t' '{ printf "%s\t%s\n", $1, $4 }' "$folder/cells" | sed '/^0/d' |
        awk -F '\t' '{ printf "  %3d  %s\n", $1, $2 }'
    [ "$reference" = none ] || echo "  reference: $reference"
    if [ -s "$work/refused" ] || [ -s "$work/left_out" ]; then
        echo "left out:"
        cut -f 2 "$work/refused" | cat "$work/left_out" - | sort -u |
            sed 's/^/  /'
    fi
    show_broken
    runs=$(wc -l <"$folder/plan")
    each=$((runs / blocks))
    left=$(seconds_left)
    echo "$runs runs in blocks of $each: about $(show_time "$left")," \
        "until $(until_when "$left")"
    echo "campaign $campaign, order seed $order_seed, results go to $output"
}

# Dry: what order the runs would have.
show_order() {
    awk -F '\t' '
        $2 != block { printf "%sblock %d:", (NR > 1 ? "\n" : ""), block = $2 }
        { printf " %s", $4 == "reference" ? "R" : $5 }
        END { print "" }' "$folder/plan"
}

# ---- The campaign ----------------------------------------------------------

# Prints the blocks and positions whose runs are in the output.
finished_runs() {
    awk -v mark="\"labels\":{\"campaign\":\"$campaign\",\"block\":\"" '
        {
            at = index($0, mark)
            if (at == 0 || !index($0, "\"incomplete\":false,\"error\":"))
                next
            split(substr($0, at + length(mark)), part, "\"")
            print part[1] " " part[5]
        }' "$output"
}

# After a crash: half a line at the end of the output is cut off, and a run that
# was done but not yet there is added.
settle() {
    if [ -s "$output" ] && [ -n "$(tail -c 1 "$output")" ]; then
        tail -n 1 "$output" | grep -q '^{"format":"ubench' ||
            die "$output: its last line has no end and is not of ours"
        truncate -s "$(head -n "$(wc -l <"$output")" "$output" | wc -c)" \
            "$output"
    fi
    if grep -q '"incomplete":false,"error":.*}$' "$folder/run.jsonl" \
        2>/dev/null; then
        labels=$(grep -o '"labels":{"campaign":"[^"]*","block":"[0-9]*","position":"[0-9]*"' \
            "$folder/run.jsonl")
        grep -qF -e "$labels" "$output" || cat "$folder/run.jsonl" >>"$output"
    fi
    rm -f "$folder/run.jsonl"
}

# do_run BLOCK POSITION ROLE STORE SERVER NAME WORDS
do_run() {
    block=$1 position=$2 role=$3 store=$4 server=$5 name=$6
    status=0
    started=$(now)
    if is_ours "$store"; then
        eval "start_server \"\$store\" ${restart:+$server}" || status=$?
    fi
    [ "$status" -eq 0 ] || return 0
    # These first: finished_runs looks for them.
    eval "set -- \
        --label \"campaign=\$campaign\" --label \"block=\$block\" \
        --label \"position=\$position\" --label \"role=\$role\" \
        --label \"cell=\$name\" $7"
    run "$store" "$@"
    [ "$status" -ne 0 ] || cat "$folder/run.jsonl" >>"$output"
    rm -f "$folder/run.jsonl"
}

run_plan() {
    runs=$(wc -l <"$folder/plan")
    while IFS="$tab" read -r number block position role cell; do
        ! grep -qx "$block $position" "$folder/through" || continue
        IFS="$tab" read -r _ store _ name server words <<END
$(awk -F '\t' -v cell="$cell" '$1 == cell' "$folder/cells")
END
        left=$(seconds_left)
        printf '%s' "[$number/$runs] block $block of $blocks," \
            " $(show_time "$left") left: $name"
        do_run "$block" "$position" "$role" "$store" "$server" "$name" "$words"
        if [ "$status" -eq 0 ]; then
            printf ', %s\n' "$(show_time "$seconds")"
            printf '%s\t%s\n' "$cell" "$(since "$started")" >>"$folder/times"
        else
            printf ', FAILED (exit status %s)\n' "$status"
            complaint | sed 's/^/    /'
            printf '%s\t%s\n' "$status" "$name" >>"$work/failed"
        fi
        echo "$block $position" >>"$folder/through"
    done <"$folder/plan"
}

# A block in which the machine changed shows by its two references.
show_drift() {
    awk -v mark="\"labels\":{\"campaign\":\"$campaign\",\"block\":\"" '
        {
            at = index($0, mark)
            if (at == 0 || !index($0, "\"role\":\"reference\"")) next
            split(substr($0, at + length(mark)), part, "\"")
            sum = 0
            while (match($0, /"elapsed_ns":[0-9]+/)) {
                sum += substr($0, RSTART + 13, RLENGTH - 13)
                $0 = substr($0, RSTART + RLENGTH)
            }
            block = part[1]
            if (part[5] == 1) first[block] = sum
            else last[block] = sum
            if (block > blocks) blocks = block + 0
        }
        END {
            for (b = 1; b <= blocks; b++) {
                if (!(first[b] > 0 && last[b] > 0)) continue
                ratio = last[b] / first[b]
                if (ratio > 1.1 || ratio < 1 / 1.1)
                    printf "WARNING: the machine changed during block %d:" \
                        " at its end the reference took %.2f times as long\n",
                        b, ratio
            }
        }' "$output"
}

summary() {
    failed=$(wc -l <"$work/failed")
    echo "$(finished_runs | wc -l) of $(wc -l <"$folder/plan") runs are in" \
        "$output; $failed failed"
    if [ "$failed" -gt 0 ]; then
        cut -f 2 "$work/failed" | sort | uniq -c | sed 's/^/  /'
        echo "The same command tries them again."
    fi
    show_broken
    show_drift
    cat <<END

  ./ubench_report tables $output
  ./ubench_report page $output >${output%.jsonl}.html
END
}

# ---- From the beginning ----------------------------------------------------

clean_up() {
    code=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ -z "$stopped" ] || code=$stopped
    stopped=
    [ -z "$private" ] || leave_servers || :
    if [ -n "$folder" ]; then
        if [ "$folder" = "$output.sweep" ]; then
            rm -f "$folder/started"
        else
            rm -rf "$folder"
        fi
    fi
    if [ "$code" -gt 128 ] && [ "$folder" = "$output.sweep" ]; then
        echo
        say "interrupted: the same command goes on, and so does" \
            "sweep.sh --resume $folder"
    fi
    rm -rf "$work"
    exit "$code"
}

# A runner that outlived a killed sweep holds this lock and is waited for.
lock_runner() {
    exec 9>"$1/runner.lock"
    flock -n 9 || {
        say "waiting for a run that an earlier sweep left behind"
        flock 9
    }
}

choose_output() {
    if [ -z "$output" ]; then
        output=sweep.jsonl
        [ -z "$sweep_file" ] ||
            output=$(basename "$sweep_file" .sweep).jsonl
    fi
    parent=$(dirname "$output")
    [ -w "$parent/." ] || die "--output: cannot write to $parent"
    if [ -s "$output" ] && [ "$(head -c 1 "$output")" != '{' ]; then
        die "--output: $output has something else than results in it"
    fi
    # Two sweeps at a time would disturb each other.
    exec 8<"$parent"
    flock -n 8 || die "another sweep is at work in $parent"
}

prepare() {
    folder=$output.sweep.new
    if [ -e "$folder" ]; then
        lock_runner "$folder"
        cp "$folder/started" "$work/started"
        rm -rf "$folder"
    fi
    mkdir "$folder"
    lock_runner "$folder"
    mv "$work/started" "$folder/started"
    prepare_servers
    [ -z "$restart" ] || try_server_options
    try_settings
    check_settings
    check_cells
    name_cells
    try_cells
    make_plan
    : >"$folder/times"
    : >"$folder/through"
}

# Sets up what make_plan left behind, after an interruption or a crash.
resume() {
    folder=$output.sweep
    lock_runner "$folder"
    IFS="$tab" read -r campaign order_seed <"$folder/campaign"
    : >>"$output"
    settle
    finished_runs >"$folder/through"
    done=$(wc -l <"$folder/through")
    runs=$(wc -l <"$folder/plan")
    if [ "$done" -eq "$runs" ]; then
        echo "campaign $campaign is done; another --output begins another one"
        return
    fi
    echo "campaign $campaign: $done of $runs runs are done"
    cut -f 1,2 "$folder/cells" >"$work/stores"
    prepare_servers
}

# begin: a new campaign; its folder appears when it is complete.
begin() {
    prepare
    show_plan
    if [ -n "$dry_run" ]; then
        show_order
        return
    fi
    echo
    mv "$work/command" "$folder/command"
    mv "$folder" "$output.sweep"
    folder=$output.sweep
    : >>"$output"
}

stopped='' runner='' private='' folder='' output=''
work=$(mktemp -d)
trap clean_up EXIT
trap 'stop INT 130' INT
trap 'stop TERM 143' TERM HUP
for list in axes known unknown left_out failed started; do
    : >"$work/$list"
done
group=0 blocks='' reference='' order_seed='' campaign='' restart='' dry_run=''
sweep_file=''
case ${1:-} in
--resume) [ $# -ne 2 ] || set -- "--resume=$2" ;;
esac
case ${1:-} in
--resume=*)
    [ $# -eq 1 ] || misuse "--resume stands alone: the other options are known"
    [ -s "${1#--resume=}/command" ] ||
        misuse "--resume: '${1#--resume=}' is not the folder of a sweep"
    resumed=$(cd "${1#--resume=}" && pwd)
    set --
    {
        read -r place
        while IFS= read -r word; do
            set -- "$@" "$word"
        done
    } <"$resumed/command"
    cd "$place"
    ;;
esac
printf '%s\n' "$PWD" "$@" >"$work/command"
learn_options
parse "$@"
read_sweep
check_own_options
check_stores
choose_output
if [ -z "$dry_run" ] && [ -e "$output.sweep" ]; then
    cmp -s "$work/command" "$output.sweep/command" ||
        die "$output is of another command, see $output.sweep/command:" \
            "choose another --output"
    resume
else
    begin
fi
if [ -z "$dry_run" ]; then
    run_plan
    summary
    # The worst of all: 3, a wrong answer; else 1.
    if grep -q '^3' "$work/failed"; then
        exit 3
    fi
    [ ! -s "$work/failed" ] && [ ! -s "$folder/broken" ]
fi
