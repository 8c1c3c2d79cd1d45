/* SPDX-License-Identifier: ISC */
/*
 * Parses command lines by one table.  The parser, the defaults (texts that are
 * parsed like input), --help and the report's parameters all read the same
 * rows, so that they cannot disagree.
 */
#ifndef UBENCH_CORE_OPT_H
#define UBENCH_CORE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"

enum opt_kind {
    OPT_KIND_END,      /* ends a table */
    OPT_KIND_FLAG,     /* bool, set if present; takes no argument */
    OPT_KIND_COUNT,    /* uint64_t in min..max, for example 100k, 1M, 1e6 */
    OPT_KIND_SHARE,    /* double in 0..1, for example 3% */
    OPT_KIND_RATE,     /* double above 0, at most max, for example 0.5, 20k; 0
                          if unset */
    OPT_KIND_DURATION, /* uint64_t, ns, in min..max, for example 500ms, 2s */
    OPT_KIND_CHOICE,   /* int, the value of one of the choices */
    OPT_KIND_TEXT,     /* const char *, points into argv or the table; not "" */
    OPT_KIND_SECRET,   /* likewise, but copied, and wiped from argv */
    OPT_KIND_SETTINGS, /* struct opt_settings, NAME=VALUE, repeatable */
};

struct opt_choice {
    const char *name; /* NULL ends a list */
    int value;
    const char *help;
};

/* NAME=VALUE pairs in the order given.  The texts point into argv, where a NUL
   replaces the "=". */
struct opt_setting {
    const char *name;
    const char *value;
};

enum { OPT_SETTINGS_MAX = 32, OPT_SETTING_NAME_MAX = 64, OPT_SECRET_MAX = 256 };

struct opt_settings {
    size_t count;
    struct opt_setting items[OPT_SETTINGS_MAX];
};

struct opt_secret {
    bool given;
    char text[OPT_SECRET_MAX];
};

struct opt {
    enum opt_kind kind;
    char letter;                      /* 0: none */
    bool usual;                       /* listed by the short --help */
    const char *name;                 /* without the dashes */
    const char *arg;                  /* name of its argument in --help */
    const char *alone;                /* value if the argument is omitted, which
                                         is allowed at the end and before
                                         another option; NULL: required */
    const char *fallback;             /* the default, as a user would type it; NULL: unset */
    uint64_t min, max;                /* of a count, a duration; a rate has max
                                         only */
    const struct opt_choice *choices; /* of OPT_KIND_CHOICE; for other kinds
                                         only shown in the help */
    size_t offset;                    /* of the field, set by a macro below */
    /* For the table's owner: the programs that have the option, the loads that use it, and
       other traits. */
    unsigned scope;
    unsigned loads;
    unsigned traits;
    /* For the table's owner: fit adapts the row to a program, and returns false
       if the program does not have the option.  applies returns whether the
       option has an effect with that config; condition is a phrase that says
       when it has. */
    bool (*fit)(struct opt *row, const void *program);
    bool (*applies)(const void *config);
    const char *condition;
    const char *group; /* heading in --help, on the first row of a group */
    const char *help;  /* a phrase, no full stop */
    /* In the row of OPT_KIND_END: a table that also has the rows of other
       programs, and a function that names the programs of a row; NULL: none. */
    const struct opt *others;
    const char *(*owner)(const struct opt *row);
};

/*
 * A row begins with its kind and the field for its value.  It does not compile
 * if the type of the field does not fit the kind:
 *
 *     { OPT_COUNT(struct config, threads), .name = "threads", ... }
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): wanted is a type */
#define OPT_FIELD(type, field, wanted) _Generic(((type *)0)->field, wanted : offsetof(type, field))
#define OPT_ROW(row_kind, type, field, wanted) \
    .kind = OPT_KIND_##row_kind, .offset = OPT_FIELD(type, field, wanted)
/* NOLINTEND(bugprone-macro-parentheses) */
#define OPT_FLAG(type, field)     OPT_ROW(FLAG, type, field, bool)
#define OPT_COUNT(type, field)    OPT_ROW(COUNT, type, field, uint64_t)
#define OPT_SHARE(type, field)    OPT_ROW(SHARE, type, field, double)
#define OPT_RATE(type, field)     OPT_ROW(RATE, type, field, double)
#define OPT_DURATION(type, field) OPT_ROW(DURATION, type, field, uint64_t)
#define OPT_TEXT(type, field)     OPT_ROW(TEXT, type, field, const char *)
#define OPT_SECRET(type, field)   OPT_ROW(SECRET, type, field, struct opt_secret)
#define OPT_SETTINGS(type, field) OPT_ROW(SETTINGS, type, field, struct opt_settings)
/* The field is an int or an enumeration, which is unsigned if it has no
   negative values. */
#define OPT_CHOICE(type, field)                                                   \
    .kind = OPT_KIND_CHOICE, .offset = _Generic(((type *)0)->field, int           \
                                                : offsetof(type, field), unsigned \
                                                : offsetof(type, field))

/*
 * Fills config from the defaults and then from argv.  Returns 0, or -1 with err
 * (class ERR_USAGE), which names the option, the value and what was expected.
 * Overwrites secrets in argv.  Texts in config point into argv.
 *
 * Sets given[i] to true if argv has the option of row i; given may be NULL.
 */
int opt_parse(const struct opt *table, void *config, int argc, char **argv, bool *given,
              struct err *err);

/* Prints the help: if all, every option with its default and its choices, in
   groups; otherwise the usual options, one per line. */
void opt_print_help(const struct opt *table, bool all, FILE *out);

/*
 * Prints the table for programs, one option per line, separated by tabs:
 * letter, name, "flag" or "arg" (takes an argument), name of the argument,
 * default, choices separated by commas, help.  Columns without a value are
 * empty.
 */
void opt_print_list(const struct opt *table, FILE *out);

/* Writes the value of an option in config as a user would type it; for a secret
   writes "(hidden)". */
void opt_show(const struct opt *row, const void *config, char *text, size_t size);

#endif
