#!/bin/sh
# SPDX-License-Identifier: ISC
# run.sh [--update] [NAME]...: runs the cases, FOLDER/CASE, each in an empty
# folder, and compares standard output, standard error and exit status with what
# they should be:
#   NAME.stdout       exact, or nothing if there is no such file
#   NAME.stdout.glob  the same, but * stands for any text in a line and a line
#                     ... for any lines
#   NAME.stderr[.glob]
#   NAME.exit         0 if there is no such file
# A case that exits with 77 was skipped, one that exits with 78 is left out.  --update writes the exact files anew.
# BIN is the folder of the runners (default: the checkout), HELPERS that of the
# test programs (default: $BIN/tests).
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=../lib/lanes.sh
. "$here/../lib/lanes.sh"
BIN=$(cd "${BIN:-$here/../../..}" && pwd) || exit 1
HELPERS=$(cd "${HELPERS:-$BIN/tests}" && pwd) || exit 1
CLI=$here
LC_ALL=C
TZ=UTC
export BIN HELPERS CLI LC_ALL TZ
# The settings of a user for his servers are not for these, nor are his ~/.my.cnf
# and ~/.pgpass: HOME is another folder.
unset UBENCH_USER UBENCH_PASSWORD UBENCH_MYSQL_HOST UBENCH_MYSQL_PORT \
    UBENCH_MYSQL_USER UBENCH_MYSQL_PASSWORD UBENCH_PGSQL_HOST \
    UBENCH_PGSQL_PORT UBENCH_PGSQL_USER UBENCH_PGSQL_PASSWORD \
    UBENCH_KEA_HOST UBENCH_KEA_PORT UBENCH_KEA_USER UBENCH_KEA_PASSWORD \
    MYSQL_PWD MYSQL_HOST PGHOST PGPORT PGUSER PGPASSWORD PGSERVICE
passed=0
failed=0
skipped=0

# On the disk of the build: /tmp may be memory.
work=$(mktemp -d "$HELPERS/cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# matches PATTERNS FILE: true if FILE is what the lines of PATTERNS say; else
# prints the first line that is not.
matches() {
    awk '
    function fits(line, pattern,    regex) {
        gsub(/[][\\.^$(){}+?|]/, "\\\\&", pattern)
        gsub(/\*/, ".*", pattern)
        return line ~ ("^" pattern "$")
    }
    NR == FNR { wanted[++patterns] = $0; next }
    { got[++lines] = $0 }
    END {
        for (p = l = 1; p <= patterns; p++) {
            if (wanted[p] != "...") {
                if (l > lines || !fits(got[l], wanted[p]))
                    break
                l++
            } else if (p == patterns) {
                l = lines + 1
            } else {
                while (l <= lines && !fits(got[l], wanted[p + 1]))
                    l++
            }
        }
        if (p > patterns && l > lines)
            exit 0
        print "wanted line " p ": " (p > patterns ? "(no more)" : wanted[p])
        print "got line    " l ": " (l > lines ? "(no more)" : got[l])
        exit 1
    }' "$1" "$2"
}

# compare STREAM: what came against what should have; if it differs, what came is
# shown, as whoever reads the log of another machine has nothing else.
compare() {
    if [ -e "$here/$name.$1.glob" ]; then
        matches "$here/$name.$1.glob" "$work/$1" || {
            sed "s/^/$1 | /" "$work/$1"
            false
        }
    elif [ -e "$here/$name.$1" ]; then
        diff -u "$here/$name.$1" "$work/$1"
    else
        diff -u /dev/null "$work/$1"
    fi
}

# rewrite STREAM: makes what came what should come; nothing needs no file.
rewrite() {
    if [ -e "$here/$name.$1.glob" ]; then
        return
    elif [ -s "$work/$1" ]; then
        cp "$work/$1" "$here/$name.$1"
    else
        rm -f "$here/$name.$1"
    fi
}

run_case() {
    rm -rf "$work/case" "$work/scratch"
    mkdir "$work/case" "$work/scratch"
    (
        cd "$work/case" &&
            HOME=$work/scratch SCRATCH=$work/scratch \
            timeout -k 5 3600 sh "$here/$name.sh"
    ) >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$?
    [ "$status" -ne 124 ] || echo "$name: not over after an hour"
    if [ "$status" -eq 77 ]; then
        echo "skip: $name: $(cat "$work/scratch/reason")"
        skipped=$((skipped + 1))
        return
    fi
    if [ "$status" -eq 78 ]; then
        echo "left out: $name: $(cat "$work/scratch/reason")"
        return
    fi
    echo "$status" >"$work/exit"
    if [ "$update" = yes ]; then
        rewrite stdout
        rewrite stderr
        [ "$status" -ne 0 ] || : >"$work/exit"
        rewrite exit
    fi
    [ -e "$here/$name.exit" ] || [ "$status" -ne 0 ] || : >"$work/exit"
    right=yes
    for stream in stdout stderr exit; do
        compare $stream || right=no
    done
    if [ $right = yes ]; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "not ok $name"
        failed=$((failed + 1))
    fi
}

update=no
if [ "${1:-}" = --update ]; then
    update=yes
    shift
fi
# all_cases: their names.
all_cases() {
    for file in "$here"/*/*.sh; do
        name=${file#"$here/"}
        echo "${name%.sh}"
    done
}

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # one word each
    set -- $(all_cases)
    if [ "$update" = no ]; then
        in_lanes 2 "$here/run.sh" <<END
$(printf '%s\n' "$@")
END
        set --
    fi
fi
for name; do
    run_case
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
