# shellcheck shell=sh source=../lib/cases.sh
# SPDX-License-Identifier: ISC
# Shared by sqlite.sh, mysql.sh and pgsql.sh: the statements on leases and reservations
# that a runner prepares, against STORE.txt, and how often it executes them.  A library that
# is preloaded sees them (sql_log.c).  --update writes STORE.txt anew.  Whether the
# statements are right is for the conformance suite: it executes all of them.
# HELPERS is the folder of the test programs.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd) || exit 1
LC_ALL=C
export LC_ALL
update=no
[ "${1:-}" != --update ] || update=yes

# run OPTION...: its statements into $work/log, after those of the runs before.
run() {
    UBENCH_SQL_LOG=$work/log LD_PRELOAD=$helpers/sql_log.so \
        "$bin/${store:?}_ubench" -v no -s no -O "$work/lines" "$@" >"$work/out" 2>"$work/err" ||
        not_ok "$*" "$(cat "$work/err")"
}

# prepared: what was, each once.
prepared() {
    sed -n 's/ *$//; s/^prepare\t\(\(INSERT\|UPDATE\|DELETE\|SELECT [a-z]\).*\)/\1/p' "$work/log" |
        sort -u
}

# executed PATTERN: how often statements that match it were, since the tables were emptied.
executed() {
    awk -F '\t' -v pattern="$1" '$1 == "prepare" { next }
        $2 ~ /^(DELETE FROM|TRUNCATE( TABLE)?) lease[46] *$/ { n = 0 }
        $2 ~ pattern { n++ }
        END { print n + 0 }' "$work/log"
}

# once_each OPTION...: each of 7 operations of each phase is one statement; groups of 2 are
# 4 transactions in each phase that changes leases, and one more has the leases before.
# $making more: on PostgreSQL the tables are made and emptied in one.
making=0
once_each() {
    for options in '' '-c no' '--preload 4 --batch 2'; do
        : >"$work/log"
        # shellcheck disable=SC2086 # words
        run -n 7 "$@" $options
        preloaded=0 groups=0
        [ "$options" = "${options#--preload}" ] || preloaded=4 groups=13
        check "$* $options: created" "$(executed '^INSERT INTO lease')" $((7 + preloaded))
        check "$* $options: updated" "$(executed '^UPDATE lease')" 7
        check "$* $options: deleted" "$(executed '^DELETE FROM lease.*WHERE')" 7
        check "$* $options: transactions" "$(executed '^COMMIT')" $((groups + making))
    done
}

# statements: all of this store.
statements() {
    : >"$work/log"
    run -S lean -n 2
    run -S kea -n 2 --preload 3 -w guests
    run -S kea -n 2 --preload 3 -w dora --hosts 3
    for workload in reclaim purge; do
        run -S kea -n 2 --preload 3 -w $workload
        run -S kea -6 -n 2 --preload 3 -w $workload
    done
    run -S kea -6 -n 2 --preload 3 -w guests
    prepared >"$work/statements"
    [ $update = no ] || cp "$work/statements" "$here/$store.txt"
    if diff -u "$here/$store.txt" "$work/statements"; then
        ok statements
    else
        not_ok statements "they differ from $store.txt"
    fi
    once_each -S lean
    once_each -S kea -6
    lines=$(python3 -B "$here/../lib/check_results.py" "$work/lines" | grep -v ': right$')
    check "each line is right" "$lines" ''
    summary
}
