#!/bin/sh
# SPDX-License-Identifier: ISC
# man.sh PROGRAM: prints its manual page.  Synopsis, description and options are
# the text of --help, which comes from the option tables; ubench_report has such
# a text for each of its commands, too.
set -eu

program=$1
name=${program##*/}

# literal: a text that is set as it is typed.
literal() {
    sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/'
}

# section HEADING: that heading, and the text on standard input below it.
section() {
    printf '.SH %s\n.nf\n' "$1"
    literal
    printf '.fi\n'
}

# help: all of --help, of a runner with the options that are seldom used.
help() {
    "$program" --help all 2>/dev/null || "$program" --help
}

# part FIRST LAST: of the usage (u), the description (d) and the rest (r) of --help.
part() {
    help | awk -v part="$1" '
        NR == 1 || (p == "u" && /^ /) { p = "u" }
        p == "u" && /^$/ { next }
        p == "u" && NR > 1 && !/^ / { p = "d" }
        p == "d" && /^$/ { p = "r"; next }
        p == part { sub(/^[Uu]sage: /, ""); print }'
}

help >/dev/null # without it there is no page
printf '.TH %s 1 "" ubench\n.SH NAME\n%s \\- ' "$name" "$name"
part d | tr '\n' ' ' | sed 's/[.;] .*//; s/^./\l&/' | literal
echo
part u | section SYNOPSIS
part d | section DESCRIPTION
case "$name: $(part u)" in
ubench_report:*)
    part r | section COMMANDS
    part r | awk '/^  / { print $1 }' | while read -r command; do
        "$program" "$command" --help all | section "$name $command"
    done
    ;;
*TASK* | *COMMAND*) part r | section COMMANDS ;;
*) part r | section OPTIONS ;;
esac
