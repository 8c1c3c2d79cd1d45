/* SPDX-License-Identifier: ISC */
/*
 * Command lines from one table.  The parser, the defaults (a text, parsed
 * like input), --help and the report's parameter block all read the same
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
    OPT_KIND_END,      /* closes a table */
    OPT_KIND_FLAG,     /* bool, set by its presence; takes no argument */
    OPT_KIND_COUNT,    /* uint64_t in min..max; such as 100k, 1M or 1e6 */
    OPT_KIND_SHARE,    /* double in 0..1; such as 3% */
    OPT_KIND_RATE,     /* double above 0, at most max; 0.5 and 20k are
                          understood; 0 if unset */
    OPT_KIND_DURATION, /* uint64_t, ns, in min..max; 500ms, 2s, 10m */
    OPT_KIND_CHOICE,   /* int, the value of one of the choices */
    OPT_KIND_TEXT,     /* const char *, points into argv or the table; not "" */
    OPT_KIND_SECRET,   /* the same, copied and wiped from argv */
    OPT_KIND_SETTINGS, /* struct opt_settings, NAME=VALUE, repeatable */
};

struct opt_choice {
    const char *name; /* NULL closes a list */
    int value;
    const char *help;
};

/* NAME=VALUE pairs in the order given; texts point into argv, where the "="
   becomes their end. */
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
    char letter;                      /* 0 if there is none */
    bool usual;                       /* it is in the short --help */
    const char *name;                 /* without the dashes */
    const char *arg;                  /* its argument's name in --help */
    const char *alone;                /* the value if none is given: it may be omitted at the
                                         end and before the next option; NULL: required */
    const char *fallback;             /* the default, as a user would type it; NULL: unset */
    uint64_t min, max;                /* of a count, a duration, a rate (max alone) */
    const struct opt_choice *choices; /* OPT_KIND_CHOICE; of others, for help */
    size_t offset;                    /* of the field, by one of the macros below */
    /* For the table's owner: the programs that have the option, the loads that use it, and
       other traits. */
    unsigned scope;
    unsigned loads;
    unsigned traits;
    /* The same: fits the row to a program, and says whether that has it; says whether it
       means something for what the config asks for, and a phrase that says when. */
    bool (*fit)(struct opt *row, const void *program);
    bool (*applies)(const void *config);
    const char *condition;
    const char *group; /* heading in --help, on the first row of a group */
    const char *help;  /* a phrase, no full stop */
    /* With OPT_KIND_END: a table that also has the rows of other programs, and a
       function that names the programs of a row; NULL: no such table. */
    const struct opt *others;
    const char *(*owner)(const struct opt *row);
};

/*
 * A row begins with its kind and the field that takes the value, which does not
 * compile if the field has another type than the kind:
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
/* An int, or an enumeration: one without negative values is unsigned. */
#define OPT_CHOICE(type, field)                                                   \
    .kind = OPT_KIND_CHOICE, .offset = _Generic(((type *)0)->field, int           \
                                                : offsetof(type, field), unsigned \
                                                : offsetof(type, field))

/*
 * Fills config from the fallbacks and then from argv.  Returns 0, or -1 with
 * err (class ERR_USAGE) naming the option, the value and what was expected.
 * Secrets are overwritten in argv.  Texts in config live as long as argv.
 *
 * given[i] becomes true if argv has the option of row i; NULL: not asked for.
 */
int opt_parse(const struct opt *table, void *config, int argc, char **argv, bool *given,
              struct err *err);

/* Prints every option with its default, grouped, and its choices; or the usual
   options, a line each. */
void opt_print_help(const struct opt *table, bool all, FILE *out);

/*
 * Prints the table for programs, a line per option with tabs between: letter,
 * name, "flag" or "arg" (it takes an argument), the argument's name, default,
 * choices with commas between, help.  What an option does not have is empty.
 */
void opt_print_list(const struct opt *table, FILE *out);

/* Writes the value that config holds for an option as a user would type it;
   a secret is written as "(hidden)". */
void opt_show(const struct opt *row, const void *config, char *text, size_t size);

#endif
