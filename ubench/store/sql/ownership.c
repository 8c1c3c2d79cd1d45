/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char marker_name[] = "ubench_marker";
static const char a_table[] = "a table";

/* The marker's columns: of a server, whose lease tables are made one by one,
   with a key, which may be one that the server has added; and of a file, whose
   tables are made at once. */
enum {
    HAS_LEASE4 = 1 << 0,
    HAS_LEASE6 = 1 << 1,
    HAS_SCHEMA = 1 << 2,
    HAS_MADE_AT = 1 << 3,
    HAS_MADE_WITH = 1 << 4,
    HAS_KEY = 1 << 5,
    HAS_HIDDEN_KEY = 1 << 6,
    HAS_RESTORE = 1 << 7, /* what of a server's settings is to be restored */
    HAS_OTHER = 1 << 8,
    HAS_OF_SERVER = HAS_LEASE4 | HAS_LEASE6,
    HAS_OF_FILE = HAS_SCHEMA | HAS_MADE_AT | HAS_MADE_WITH,
};
static const char *const marker_columns[] = {
    "lease4", "lease6", "schema", "made_at", "made_with", "row_id", "my_row_id",
    "restore",
};

/* What else ubench makes. */
static const char *const our_tables[] = {
    "lease4",
    "lease6",
    "lease_state",
    "lease6_types",
    "lease_hwaddr_source",
    "ubench_hosts",
    "ubench_lease4_stat",
    "ubench_lease4_pool_stat",
    "ubench_lease6_stat",
    "ubench_lease6_pool_stat",
};

enum {
    ALIKE = 1 << 0,
    MARKER = 1 << 1,
    OTHERS = 1 << 2,
    LEASE = 1 << 3,
    TABLE = 1 << 4, /* and it is one */
    KEEP = 1 << 5,
    OURS = 1 << 6,    /* the marker says that ubench made it, */
    SCRATCH = 1 << 7, /* that its owner made it as a scratch copy */
    TIED = 1 << 8,    /* triggers or references */
    AS_MADE = 1 << 9, /* it has just the columns of the schema */
    SCHEMA = 1 << 10, /* ours: the one asked for; an owner's: Kea's */
    FITS = 1 << 11,
};

/* The first that has all of yes and none of no decides. */
static const struct {
    unsigned yes;
    unsigned no;
    enum sql_verdict verdict;
} cases[] = {
    { ALIKE, 0, SQL_REFUSE_ALIKE },
    { LEASE, OURS | SCRATCH, SQL_REFUSE_LEASES },
    { OTHERS, MARKER, SQL_REFUSE_OTHERS },
    { KEEP, LEASE, SQL_ABSENT },
    { 0, LEASE, SQL_MAKE },
    { 0, TABLE, SQL_REFUSE_KIND },
    { KEEP, 0, SQL_USE },
    { TIED, 0, SQL_REFUSE_TIED },
    { OURS | SCHEMA | FITS, 0, SQL_USE },
    { OURS, AS_MADE, SQL_REFUSE_SHAPE },
    { OURS, 0, SQL_MAKE_ANEW },
    { 0, SCHEMA, SQL_REFUSE_SCHEMA },
    { 0, FITS, SQL_REFUSE_OPTION },
    { 0, 0, SQL_USE },
};

/* Listing. */

static void copy(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}

static bool is_ours(const char *table)
{
    size_t i = 0;

    while (i < sizeof our_tables / sizeof *our_tables &&
           strcmp(table, our_tables[i]) != 0)
        i++;
    return i < sizeof our_tables / sizeof *our_tables;
}

static void list_relation(struct sql_contents *contents,
                          const struct sql_listing *listing)
{
    const char *const table = listing->table;
    const char *const lease = sql_table_name(contents->family);

    if (strcmp(table, marker_name) == 0) {
        copy(contents->marker, sizeof contents->marker, listing->kind);
        return;
    }
    if (!is_ours(table))
        contents->foreign++;
    if (strcmp(table, lease) == 0) {
        contents->lease = true;
        copy(contents->kind, sizeof contents->kind, listing->kind);
        return;
    }
    if (strcasecmp(table, lease) == 0 || strcasecmp(table, marker_name) == 0)
        copy(contents->alike, sizeof contents->alike, table);
    contents->others++;
    if (contents->others == 1 || strcmp(listing->name, contents->example) < 0)
        copy(contents->example, sizeof contents->example, listing->name);
}

static void list_column(struct sql_contents *contents,
                        const struct sql_listing *listing)
{
    /* Of the schema that has all. */
    const struct sql_table table = { .family = contents->family,
                                     .schema = SCHEMA_KEA_STATS };
    const size_t count = sizeof marker_columns / sizeof *marker_columns;

    if (strcmp(listing->table, marker_name) == 0) {
        size_t i = 0;

        while (i < count && strcmp(listing->name, marker_columns[i]) != 0)
            i++;
        contents->marker_has |= 1U << i; /* HAS_OTHER is behind the last */
    } else if (strcmp(listing->table, sql_table_name(contents->family)) == 0) {
        const enum sql_column column = sql_table_find(&table, listing->name);

        if (column < SQL_COLUMNS)
            contents->has[column] = true;
        else
            copy(contents->stranger, sizeof contents->stranger, listing->name);
    }
}

/* Of Kea's own tables, which lose with lease6 what belongs to its leases. */
static bool is_reference_of_kea(const char *name)
{
    static const char *const of[] = { " of lease6_relay_id",
                                      " of lease6_remote_id" };
    const char *const end = strstr(name, " of ");

    return end != NULL && (strcmp(end, of[0]) == 0 || strcmp(end, of[1]) == 0);
}

static void list_tie(struct sql_contents *contents,
                     const struct sql_listing *listing)
{
    const char *const lease = sql_table_name(contents->family);
    const bool is_trigger = listing->what == SQL_IS_TRIGGER;
    char *const to = is_trigger || is_reference_of_kea(listing->name)
                         ? contents->trigger
                         : contents->reference;
    char ours[32];

    (void)snprintf(ours, sizeof ours, "ubench_%s_", lease);
    if (strcmp(listing->table, lease) == 0 &&
        !(is_trigger && strncmp(listing->name, ours, strlen(ours)) == 0))
        (void)snprintf(to, SQL_NAME_SIZE, "%s %s", listing->kind,
                       listing->name);
}

void sql_contents_list(struct sql_contents *contents,
                       const struct sql_listing *listing)
{
    switch (listing->what) {
    case SQL_IS_RELATION:
        list_relation(contents, listing);
        break;
    case SQL_IS_COLUMN:
        list_column(contents, listing);
        break;
    case SQL_IS_TRIGGER:
    case SQL_IS_REFERENCE:
        list_tie(contents, listing);
        break;
    }
}

/* The marker. */

static bool has_marker_columns(const struct sql_contents *contents)
{
    const unsigned has = contents->marker_has;
    const unsigned more = has & ~(unsigned)HAS_OF_SERVER;

    return strcmp(contents->marker, a_table) == 0 &&
           (has == HAS_OF_FILE ||
            (has != more &&
             (more & ~(unsigned)(HAS_KEY | HAS_HIDDEN_KEY | HAS_RESTORE)) == 0));
}

bool sql_contents_marker_query(const struct sql_contents *contents,
                               const char *prefix,
                               char sql[static SQL_MARKER_QUERY_SIZE])
{
    const unsigned has = contents->marker_has;
    const char *lease4 = (has & HAS_LEASE4) != 0 ? "lease4" : "NULL";
    const char *lease6 = (has & HAS_LEASE6) != 0 ? "lease6" : "NULL";

    if (has == HAS_OF_FILE)
        lease4 = lease6 = "schema";
    const bool v4 = contents->family == LEASE_FAMILY_V4;
    (void)snprintf(sql, SQL_MARKER_QUERY_SIZE,
                   "SELECT %s, %s FROM %subench_marker%s LIMIT 99",
                   v4 ? lease4 : lease6, v4 ? lease6 : lease4, prefix,
                   (has & HAS_RESTORE) != 0 ? " WHERE restore IS NULL" : "");
    return has_marker_columns(contents);
}

static bool is_schema(const char *word)
{
    enum schema i = SCHEMA_LEAN;

    while (i <= SCHEMA_KEA_STATS && strcmp(word, sql_schema_name(i)) != 0)
        i++;
    return i <= SCHEMA_KEA_STATS;
}

void sql_contents_row(struct sql_contents *contents, const char *own,
                      const char *other)
{
    const char *const words[] = { own, other };
    bool says = false;

    contents->rows++;
    for (size_t i = 0; i < 2; i++) {
        if (words[i] == NULL)
            continue;
        says = true;
        if (strcmp(words[i], SQL_SCRATCH) == 0)
            contents->scratch = true;
        else if (!is_schema(words[i]))
            (void)snprintf(contents->odd_row, sizeof contents->odd_row, "'%s'",
                           words[i]);
        else if (i == 0)
            copy(contents->made, sizeof contents->made, words[i]);
    }
    if (!says)
        copy(contents->odd_row, sizeof contents->odd_row, "NULL");
}

/* A marker is a table with our columns and rows of ours, not only a name. */
static bool is_marked(const struct sql_contents *contents)
{
    return has_marker_columns(contents) && contents->rows > 0 &&
           contents->odd_row[0] == '\0';
}

/* What there is in the place of a marker, in words. */
static void describe_marker(const struct sql_contents *contents,
                            const char *prefix, char *text, size_t size)
{
    const char *what = contents->marker;
    char more[96] = "";

    if (what[0] == '\0')
        what = "no table";
    else if (strcmp(what, a_table) != 0)
        (void)snprintf(more, sizeof more, ", which is no table");
    else if (!has_marker_columns(contents))
        (void)snprintf(more, sizeof more, " with other columns than ubench's");
    else if (contents->rows == 0)
        what = "an empty table";
    else if (contents->odd_row[0] != '\0')
        (void)snprintf(more, sizeof more,
                       " that this ubench did not write (%s in a row)",
                       contents->odd_row);
    else
        (void)snprintf(more, sizeof more, " that does not have %s",
                       sql_table_name(contents->family));
    (void)snprintf(text, size, "%s %subench_marker%s", what, prefix, more);
}

/* Judging. */

bool sql_made_by_us(const struct sql_contents *contents)
{
    return is_marked(contents) && contents->made[0] != '\0';
}

bool sql_is_refusal(enum sql_verdict verdict)
{
    return verdict <= SQL_REFUSE_SHAPE;
}

/* Writes what is not as in the schema that the marker has for the table: a
   column too many or one too few. */
static bool is_as_made(const struct sql_contents *contents, const char **column)
{
    const struct store_config made = {
        .family = contents->family,
        .schema = strcmp(contents->made, sql_schema_name(SCHEMA_LEAN)) == 0
                      ? SCHEMA_LEAN
                      : SCHEMA_KEA,
    };
    struct sql_table whole;

    sql_table_init_whole(&whole, &made);
    *column = contents->stranger;
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        if (contents->has[i] != whole.has[i])
            *column = sql_column_name(contents->family, i);
    }
    return (*column)[0] == '\0';
}

enum sql_verdict sql_judge(const struct sql_contents *contents,
                           const struct store_config *config, bool fits)
{
    const bool ours = sql_made_by_us(contents);
    const bool marked = is_marked(contents);
    const char *const schema =
        ours ? contents->made : sql_schema_name(SCHEMA_KEA);
    /* A marker without a row is what a killed run leaves of its first step. */
    const bool others = contents->others > 0 ||
                        (contents->marker[0] != '\0' &&
                         (!has_marker_columns(contents) || contents->rows > 0));
    const char *column;
    unsigned facts = 0;
    size_t i = 0;

    facts |= contents->alike[0] != '\0' ? ALIKE : 0;
    facts |= marked ? MARKER : 0;
    facts |= others ? OTHERS : 0;
    facts |= contents->lease ? LEASE : 0;
    facts |= strcmp(contents->kind, a_table) == 0 ? TABLE : 0;
    facts |= config->keep ? KEEP : 0;
    facts |= ours ? OURS : 0;
    facts |= marked && contents->scratch ? SCRATCH : 0;
    facts |= contents->reference[0] != '\0' ? TIED : 0;
    facts |= ours && contents->trigger[0] != '\0' ? TIED : 0;
    facts |= is_as_made(contents, &column) ? AS_MADE : 0;
    facts |= strcmp(schema, sql_schema_name(config->schema)) == 0 ? SCHEMA : 0;
    facts |= fits ? FITS : 0;
    while ((facts & cases[i].yes) != cases[i].yes || (facts & cases[i].no) != 0)
        i++;
    /* For a process that joins, the first one has made the table. */
    return config->joins && cases[i].verdict > SQL_ABSENT &&
                   cases[i].verdict != SQL_USE
               ? SQL_ABSENT
               : cases[i].verdict;
}

/* Refusing. */

static int refuse_unmarked(enum sql_verdict verdict,
                           const struct sql_contents *contents,
                           const struct store_config *config,
                           const struct sql_place *place, struct err *err)
{
    const char *const table = sql_table_name(config->family);
    char marker[SQL_NAME_SIZE];
    char found[2 * SQL_NAME_SIZE] = "";
    char hint[224] = "";

    describe_marker(contents, place->prefix, marker, sizeof marker);
    if (verdict == SQL_REFUSE_OTHERS) {
        if (contents->others > 0)
            (void)snprintf(found, sizeof found, "tables (%u, %s is one) and ",
                           contents->others, contents->example);
        return err_set(err,
                       "%s: database %s has %s%s: it is not ubench's and was "
                       "not touched; name another, empty one with -f",
                       place->store, config->target, found, marker);
    }
    if (contents->leases[0] != '\0')
        (void)snprintf(found, sizeof found, ", with %s leases",
                       contents->leases);
    if (place->create_marker != NULL && !has_marker_columns(contents))
        (void)snprintf(hint, sizeof hint,
                       ", or mark a scratch copy as yours to lose with: "
                       "%s AS SELECT '" SQL_SCRATCH "' AS %s",
                       place->create_marker, table);
    else if (place->create_marker != NULL)
        (void)snprintf(
            hint, sizeof hint,
            ", or mark a scratch copy as yours to lose with: "
            "INSERT INTO ubench_marker (%s) VALUES ('" SQL_SCRATCH "')",
            (contents->marker_has & HAS_LEASE4) != 0 ? "lease4" : "lease6");
    return err_set(err,
                   "%s: database %s: %s%s is there%s, and %s: it is not "
                   "ubench's and was not touched; name another database with "
                   "-f%s",
                   place->store, config->target, place->prefix, table, found,
                   marker, hint);
}

/* What the lease table has or is that refuses it. */
static void describe_lease(enum sql_verdict verdict,
                           const struct sql_contents *contents, char *text,
                           size_t size)
{
    const char *column = "";

    if (verdict == SQL_REFUSE_TIED)
        (void)snprintf(text, size, "has %s, which ubench did not make",
                       contents->reference[0] != '\0' ? contents->reference
                                                      : contents->trigger);
    else if (!is_as_made(contents, &column))
        (void)snprintf(text, size,
                       "is not as ubench made it (see its column %s)", column);
}

int sql_refuse(enum sql_verdict verdict, const struct sql_contents *contents,
               const struct store_config *config, const struct sql_place *place,
               struct err *err)
{
    const char *const database = config->target;
    const char *const table = sql_table_name(config->family);
    char why[SQL_NAME_SIZE + 64] = "";

    switch (verdict) {
    case SQL_REFUSE_ALIKE:
        return err_set(err,
                       "%s: database %s has %s%s, a name of ubench's in other "
                       "case: it was not touched; name another database with "
                       "-f",
                       place->store, database, place->prefix, contents->alike);
    case SQL_REFUSE_LEASES:
    case SQL_REFUSE_OTHERS:
        return refuse_unmarked(verdict, contents, config, place, err);
    case SQL_REFUSE_TIED:
    case SQL_REFUSE_SHAPE:
        describe_lease(verdict, contents, why, sizeof why);
        return err_set(err,
                       "%s: database %s: %s%s %s: it was not touched; name "
                       "another database with -f",
                       place->store, database, place->prefix, table, why);
    case SQL_REFUSE_KIND:
        return err_set(err, "%s: database %s: %s%s is %s, not a table",
                       place->store, database, place->prefix, table,
                       contents->kind);
    case SQL_REFUSE_SCHEMA:
    case SQL_REFUSE_OPTION:
        return err_set(err,
                       "%s: database %s: %s%s was not made by ubench; it can "
                       "only be used with --schema kea",
                       place->store, database, place->prefix, table);
    case SQL_ABSENT:
    case SQL_MAKE:
    case SQL_MAKE_ANEW:
    case SQL_USE:
        break;
    }
    return err_set(err, "%s: database %s: there is no table %s%s", place->store,
                   database, place->prefix, table);
}
