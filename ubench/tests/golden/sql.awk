# SPDX-License-Identifier: ISC
# From what sql_log.so logged of several runs, a line "== NAME" before each: all
# texts, each once, sorted, but the name of what is a file of schema/; and for each run
# what was executed, in that order, without what is selected and set, and without the
# settings that are read, since they are read each second.  A run that begins as one
# before has only what is different.  What repeats stands once, `n x` before it.  Of a
# run whose name begins with "=~" each row stands once, and its texts have no values:
# it has too many of them, or as many as the time allows.

# What is not the same each time: times, and numbers that a server gives.
function mask(text) {
    gsub(/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9][ T][0-9][0-9]:[0-9][0-9]:[0-9][0-9]/,
        "TIME", text)
    gsub(/[0-9]+\.[0-9]+\.[0-9]+/, "VERSION", text)
    gsub(/\/tmp\/[A-Za-z0-9._\/]*/, "PATH", text)
    if (text ~ /<- [0-9]+$/)
        sub(/<- [0-9]+$/, "<- OID", text)
    if (once && text ~ /^(SELECT|INSERT|UPDATE|DELETE)/) {
        gsub(/'[^']*'/, "'?'", text)
        gsub(/[^A-Za-z0-9_][0-9]+/, " ?", text)
    }
    return text
}

function short(text) {
    if (text == "")
        return "(nothing)"
    sub(/^schema\/.*/, "a file of schema/", text)
    sub(/^SELECT .* FROM/, "SELECT", text)
    sub(/^DELETE FROM/, "DELETE", text)
    sub(/^INSERT INTO /, "INSERT ", text)
    if (text ~ /^UPDATE/)
        sub(/ SET .* WHERE/, " WHERE", text)
    if (text ~ /^INSERT/)
        sub(/ ?\(.*\)/, "", text)
    if (text ~ /^CREATE/)
        sub(/ ?\(.*/, "", text)
    if (text !~ /^(SET|PRAGMA)/) {
        gsub(/'[^']*'/, "?", text)
        gsub(/= [0-9]+/, "= ?", text)
        gsub(/[?$][0-9]+/, "?", text)
    }
    return length(text) > 100 ? substr(text, 1, 97) "..." : text
}

# repeats FROM LENGTH: how often the block there stands one after the other.
function repeats(from, size,    i, n) {
    for (n = 1; from + (n + 1) * size - 1 <= rows; n++)
        for (i = 0; i < size; i++)
            if (row[from + i] != row[from + n * size + i])
                return n
    return n
}

# as_in RUN: how many rows are as in that run, as far as the last reset in common.
function as_in(run,    i, reset) {
    for (i = 1; i <= rows && (run, i) in old && row[i] == old[run, i]; i++)
        if (row[i] ~ /^(DELETE lease.|TRUNCATE .*)$/)
            reset = i
    return reset > 0 ? reset : i - 1
}

# put_rows: the run's, but for those that are as in one before.
function put_rows(    i, k, n, best, size) {
    for (k = 1; k < runs; k++) {
        n = as_in(k)
        if (n > i) {
            i = n
            best = k
        }
    }
    if (i > 0)
        order = order "    (as in run " best ": " i ")\n"
    i++
    for (; i <= rows; i += best * size) {
        best = size = 1
        for (k = 1; k <= 12; k++) {
            n = repeats(i, k)
            if (n > 1 && n * k > best * size) {
                best = n
                size = k
            }
        }
        for (k = 0; k < size; k++)
            order = order "    " (best == 1 ? "" : k == 0 ? best " x " : "  | ") \
                row[i + k] "\n"
    }
    for (i = 1; i <= rows; i++)
        old[runs, i] = row[i]
    rows = 0
    split("", is_row)
}

BEGIN { FS = "\t" }

/^=[=~] / {
    put_rows()
    order = order "== run " (++runs) ": " substr($0, 4) "\n"
    once = /^=~/
    next
}

$1 == "schema" { sub(/ +$/, "", $3); file_of[$3] = $2; next }

{
    text = $2
    sub(/ +$/, "", text)
    text = text in file_of ? file_of[text] : mask($2)
}

$1 != "run" { seen[$1 "\t" text] = 1 }

$1 != "prepare" && text !~ /^SHOW |current_setting/ {
    text = short(text)
    if ((once || text == "(nothing)") && text in is_row)
        next
    is_row[text] = 1
    row[++rows] = text
}

END {
    put_rows()
    print "Texts"
    sort = "LC_ALL=C sort | sed 's/\t/  /; s/; */;\\n        /g; s/^/    /; s/\\n *$//'"
    for (key in seen)
        print key | sort
    close(sort)
    print ""
    print "Runs"
    printf "%s", order
}
