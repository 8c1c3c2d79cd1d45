/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <string.h>

#include "store/sql/columns.h"

enum { NO, YES, ANY };

/* The first that fits decides. */
static const struct {
    unsigned char marker;
    unsigned char others;
    unsigned char lease;
    unsigned char table; /* and it is one */
    unsigned char keep;  /* what is asked for */
    unsigned char ours;
    unsigned char schema; /* ours: the same; an owner's: Kea's */
    unsigned char fits;
    enum sql_verdict verdict;
} cases[] = {
    { NO, ANY, YES, ANY, ANY, ANY, ANY, ANY, SQL_REFUSE_LEASES },
    { NO, YES, NO, ANY, ANY, ANY, ANY, ANY, SQL_REFUSE_OTHERS },
    { ANY, ANY, NO, ANY, YES, ANY, ANY, ANY, SQL_ABSENT },
    { ANY, ANY, NO, ANY, NO, ANY, ANY, ANY, SQL_MAKE },
    { YES, ANY, YES, NO, ANY, ANY, ANY, ANY, SQL_REFUSE_KIND },
    { YES, ANY, YES, YES, YES, ANY, ANY, ANY, SQL_USE },
    { YES, ANY, YES, YES, NO, YES, YES, YES, SQL_USE },
    { YES, ANY, YES, YES, NO, YES, ANY, ANY, SQL_MAKE_ANEW },
    { YES, ANY, YES, YES, NO, NO, NO, ANY, SQL_REFUSE_SCHEMA },
    { YES, ANY, YES, YES, NO, NO, YES, NO, SQL_REFUSE_OPTION },
    { YES, ANY, YES, YES, NO, NO, YES, YES, SQL_USE },
};

static bool is_so(unsigned char wanted, bool given)
{
    return wanted == ANY || (wanted == YES) == given;
}

bool sql_made_by_us(const struct sql_contents *contents)
{
    return contents->made[0] != '\0';
}

enum sql_verdict sql_judge(const struct sql_contents *contents,
                           const struct store_config *config, bool fits)
{
    const bool ours = sql_made_by_us(contents);
    const char *const asked = sql_schema_name(config->schema);
    const bool schema =
        strcmp(ours ? contents->made : sql_schema_name(SCHEMA_KEA), asked) == 0;
    size_t i = 0;

    while (!is_so(cases[i].marker, contents->marker) ||
           !is_so(cases[i].others, contents->others) ||
           !is_so(cases[i].lease, contents->lease) ||
           !is_so(cases[i].table, !contents->not_a_table) ||
           !is_so(cases[i].keep, config->keep) || !is_so(cases[i].ours, ours) ||
           !is_so(cases[i].schema, schema) || !is_so(cases[i].fits, fits))
        i++;
    return cases[i].verdict;
}

int sql_refuse(enum sql_verdict verdict, const struct sql_contents *contents,
               const struct store_config *config, const char *store,
               const char *prefix, struct err *err)
{
    const char *const database = config->target;
    const char *const table = sql_table_name(config->family);

    if (verdict == SQL_REFUSE_LEASES)
        return err_set(err,
                       "%s: database %s: %s%s is there, with %s leases, and no "
                       "table %subench_marker: it is not ubench's and was not "
                       "touched; name another database with -f, or mark a "
                       "scratch copy as yours to lose with: " SQL_MARKER,
                       store, database, prefix, table, contents->leases,
                       prefix);
    if (verdict == SQL_REFUSE_OTHERS)
        return err_set(err,
                       "%s: database %s has tables (%s, %s is one) and no "
                       "table %subench_marker: it is not ubench's and was not "
                       "touched; name another, empty one with -f",
                       store, database, contents->count, contents->example,
                       prefix);
    if (verdict == SQL_REFUSE_KIND)
        return err_set(err, "%s: database %s: %s%s is %s, not a table", store,
                       database, prefix, table, contents->kind);
    if (verdict == SQL_REFUSE_SCHEMA)
        return err_set(err,
                       "%s: database %s: %s%s was not made by ubench; it can "
                       "only be used with --schema kea",
                       store, database, prefix, table);
    return err_set(err, "%s: database %s: there is no table %s%s", store,
                   database, prefix, table);
}
