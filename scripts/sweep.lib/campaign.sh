# shellcheck shell=sh disable=SC2034,SC2154 # sweep.sh has the other half
# SPDX-License-Identifier: ISC
# The plan of a campaign, its runs, and how it goes on after an interruption.

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
        --label \"cell=\$name\" --label \"order-seed=\$order_seed\" $7"
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
        check_stopped
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

# Of two cells that promise the same durability, if there are any.
suggest_comparison() {
    awk -v mark="\"labels\":{\"campaign\":\"$campaign\",\"block\":\"" '
        {
            at = index($0, mark)
            if (at == 0 || !index($0, "\"role\":\"cell\"")) next
            split(substr($0, at + length(mark)), part, "\"")
            split(substr($0, index($0, "\"class\":\"") + 9), class, "\"")
            cell = part[13]
            if (class[1] in first && first[class[1]] != cell) {
                print first[class[1]]
                print cell
                exit
            }
            first[class[1]] = cell
        }' "$output" | {
        read -r one && read -r other || return 0
        echo "  ./ubench_report compare --baseline 'cell=$one'" \
            "--candidate 'cell=$other' $output"
    }
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
    echo
    echo "  ./ubench_report tables $output"
    suggest_comparison
    echo "  ./ubench_report page $output >${output%.jsonl}.html"
}
