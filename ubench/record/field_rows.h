/* SPDX-License-Identifier: ISC */
/*
 * How the rows of tables of fields are written, for the files that have such
 * tables and for no others.
 */
#ifndef UBENCH_RECORD_FIELD_ROWS_H
#define UBENCH_RECORD_FIELD_ROWS_H

#include "record/fields.h"
#include "record/record.h"

/* A row has its kind and the member of OF that it is, which does not compile
   for a member of another type, its flags, and what it means.  Its name is that
   of the member but with an _AS. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types, members, texts */
#define AT(m, wanted) _Generic(((OF *)0)->m, wanted : offsetof(OF, m))
#define ROW(of_kind, json, at, set, ...)                                   \
    {                                                                      \
        .kind = FIELD_##of_kind, .name = json, .offset = at, .flags = set, \
        .help = __VA_ARGS__                                                \
    }
#define FLAG(m, help)       ROW(FLAG, #m, AT(m, bool), 0, help)
#define COUNT(m, set, help) COUNT_AS(#m, m, set, help)
#define COUNT_AS(json, m, set, help) \
    ROW(COUNT, json, AT(m, uint64_t), set, help)
#define REAL(m, set, help)          REAL_AS(#m, m, set, help)
#define REAL_AS(json, m, set, help) ROW(REAL, json, AT(m, double), set, help)
#define FIGURE(m, set, help)        FIGURE_AS(#m, m, set, help)
#define FIGURE_AS(json, m, set, help) \
    ROW(FIGURE, json, AT(m, double), set, help)
#define TEXT(m, set, match, help) TEXT_AS(#m, m, set, match, help)
#define TEXT_AS(json, m, set, match, help) \
    ROW(TEXT, json, AT(m, const char *), set, help, .pattern = match)
#define PROPERTIES(m, set, match, help)                             \
    ROW(PROPERTIES, #m, AT(m, struct record_properties), set, help, \
        .place = #m, .pattern = match)
#define OBJECT(json, m, of, where, set, help)                               \
    ROW(OBJECT, json, AT(m, struct record_##of), set, help, .table = &(of), \
        .place = where)
#define HISTOGRAM(m, help) HISTOGRAM_AS(#m, m, help)
#define HISTOGRAM_AS(json, m, help) \
    OBJECT(json, m, histogram, NULL, NULLED, help)
#define POINTER(of_kind, json, m, of, help)                          \
    ROW(of_kind, json, AT(m, const struct record_##of *), OUT, help, \
        .table = &(of))
#define LIST(of_kind, json, m, size, of, where, set, help)           \
    ROW(of_kind, json, AT(m, const struct record_##of *), set, help, \
        .second = AT(size, size_t), .table = &(of), .place = where)
#define TABLE(json, of, ...)                                        \
    static const struct field_table of = { json, of##_rows,         \
                                           sizeof of##_rows /       \
                                               sizeof of##_rows[0], \
                                           sizeof(OF), __VA_ARGS__ }
/* NOLINTEND(bugprone-macro-parentheses) */

enum {
    NEEDED = FIELD_NEEDED,
    NULLED = FIELD_NULL,
    OUT = FIELD_OUT,
    FILLED = FIELD_FILLED,
    ABOVE_0 = FIELD_ABOVE_0,
    KEPT = FIELD_KEPT,
    MOST = FIELD_MOST,
};

/* What survives, of a struct record. */
extern const struct field_table durability_fields;

#endif
