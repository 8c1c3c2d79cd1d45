# SPDX-License-Identifier: ISC
#
# awk -v store=S -v group=G [-v bare=1] -f cells.awk OPTIONS KNOWN AXES
#
# Prints a line for each combination of the values that the axes of one group
# have for one store: the store, options of its server as servers.sh takes them,
# the traits (the store and each KEY=VALUE, with \037 between them) and the words
# for its runner, quoted for a shell.  What the store does not have is left out;
# with bare=1 so is what can only be known by trying, --set and --server-option.
#
# OPTIONS  store, letter, long name, arg or flag: what the runners understand
# KNOWN    set or server, store, name: settings that a store has
# AXES     group, type, key, values; what comes first hides the same key later

BEGIN {
    FS = "\t"
    quote = sprintf("%c", 39)
}

FILENAME == ARGV[1] {
    has[$1, $3]
    next
}

FILENAME == ARGV[2] {
    known[$1, $2, $3]
    next
}

($1 == 0 || $1 == group) && !(($2, $3) in seen) {
    seen[$2, $3]
    name = own_name($2, $3)
    if (name == "")
        next
    add_axis($2, name, substr($0, length($1 $2 $3) + 4))
}

END {
    for (i = 1; i <= axes; i++)
        at[i] = 1
    do
        print_cell()
    while (next_cell())
}

# What the store calls it; "" if it does not have it.
function own_name(type, key,    names, count, i)
{
    if (type == "set" && (bare || !((store, "set") in has)))
        return ""
    if (type == "set" || type == "server")
        return (type, store, key) in known ? key : ""
    if (type == "store")
        return ""
    count = split(key, names, "/")
    for (i = 1; i <= count; i++)
        if ((store, names[i]) in has)
            return names[i]
    return ""
}

function add_axis(type, name, text,    parts, count, i)
{
    types[++axes] = type
    keys[axes] = name
    gsub(/\\,/, "\001", text)
    count = split(text, parts, ",")
    sizes[axes] = count > 0 ? count : 1
    for (i = 1; i <= sizes[axes]; i++) {
        gsub("\001", ",", parts[i])
        values[axes, i] = parts[i]
    }
}

# The last axis changes first, but a server's options last: a change of them
# starts it anew.
function next_cell(    pass, i)
{
    for (pass = 1; pass <= 2; pass++)
        for (i = axes; i >= 1; i--) {
            if ((types[i] == "server") != (pass == 2))
                continue
            if (at[i] < sizes[i]) {
                at[i]++
                return 1
            }
            at[i] = 1
        }
    return 0
}

function print_cell(    i, trait, traits, words, server)
{
    traits = store
    server = "--"
    for (i = 1; i <= axes; i++) {
        trait = keys[i] "=" values[i, at[i]]
        traits = traits "\037" trait
        if (types[i] == "server") {
            server = server " " quoted("--" trait)
            words = words " " quoted("--label=" trait)
        } else if (types[i] == "set")
            words = words " " quoted("--set=" trait)
        else if (types[i] == "flag")
            words = words " --" keys[i]
        else
            words = words " " quoted("--" trait)
    }
    print store "\t" server "\t" traits "\t" substr(words, 2)
}

function quoted(text,    parts, count, i, all)
{
    count = split(text, parts, quote)
    all = parts[1]
    for (i = 2; i <= count; i++)
        all = all quote "\\" quote quote parts[i]
    return quote all quote
}
