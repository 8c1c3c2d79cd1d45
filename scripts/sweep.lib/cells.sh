# shellcheck shell=sh disable=SC2034,SC2154 # sweep.sh has the other half
# SPDX-License-Identifier: ISC
# From axes to cells: what the stores have, what they refuse, how long it takes.

# combine GROUP STORE [bare]: the cells of a group, see cells.awk.
combine() {
    awk -v group="$1" -v store="$2" -v bare="${3:+1}" \
        -f "$top/scripts/sweep.lib/cells.awk" \
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

# Leaves in accepted the lines of cells.awk whose runner takes them, and in
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
            if (text ~ /k$/) return text * 1e3
            if (text ~ /M$/) return text * 1e6
            return text * (text ~ /G$/ ? 1e9 : 1)
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
                printf "%.9f", (more > 0 ? more : 0)
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
