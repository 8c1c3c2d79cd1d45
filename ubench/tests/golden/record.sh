# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What records.sh and records-servers.sh share: one command, the text that it prints
# and the line that it appends, against records/NAME.txt; what is measured is masked.
. "$(dirname "$0")/lib.sh"

# masked [--loose]: the files of the last command.
masked() {
    echo "exit $status"
    python3 -B "$here/mask.py" text "$@" <"$work/out" 2>&1
    sed 's/^/2> /' "$work/err"
    [ ! -e out.jsonl ] || {
        echo
        python3 -B "$here/mask.py" json "$@" <out.jsonl 2>&1
    }
}

# record NAME PROGRAM OPTION...; $loose is --loose where the end is a matter of chance,
# $before is a command that runs the runner.
record() {
    name=$1 program=$2
    shift 2
    echo "\$ $program $*" >"$work/masked"
    rm -f out.jsonl
    # shellcheck disable=SC2086 # words
    ${before:-} "$bin/$program" --progress none -O out.jsonl "$@" >"$work/out" 2>"$work/err"
    status=$?
    # shellcheck disable=SC2086 # a word or none
    masked ${loose:-} >>"$work/masked"
    compare "records/$name.txt" "$work/masked"
}
