/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The rows of the marker that ubench wrote: WHERE lease4 IN ... */
#define OUR_ROWS "('lean', 'kea', 'kea+stats')"

static const char marker_name[] = "ubench_marker";
static const char a_table[] = "a table";

/* The marker's columns: of a server, whose lease tables are made one by one,
   with a key, which may be one that the server has added, and with settings
   that the next run restores; and of a file, whose tables are made at once. */
enum {
    HAS_LEASE4 = 1 << 0,
    HAS_LEASE6 = 1 << 1,
    HAS_RESTORE = 1 << 2,
    HAS_KEY = 1 << 3,
    HAS_HIDDEN_KEY = 1 << 4,
    HAS_SCHEMA = 1 << 5,
    HAS_MADE_AT = 1 << 6,
    HAS_MADE_WITH = 1 << 7,
    HAS_OTHER = 1 << 8,
    HAS_OF_SERVER = HAS_LEASE4 | HAS_LEASE6,
    HAS_OF_FILE = HAS_SCHEMA | HAS_MADE_AT | HAS_MADE_WITH,
};
static const char *const marker_columns[] = {
    "lease4",    "lease6", "restore", "row_id",
    "my_row_id", "schema", "made_at", "made_with",
};

static void copy(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}

/* --- What ubench makes --- */

static const char *lease_name(const struct sql_contents *contents)
{
    return sql_table_name(contents->config->family);
}

static const char *schema_of(const struct sql_contents *contents,
                             enum schema schema)
{
    const char *const *const schemas =
        contents->db->schemas[contents->config->family];

    return schemas[schema] != NULL ? schemas[schema] : schemas[SCHEMA_KEA];
}

/* Its text in the schema, or in the file of the reservations' table. */
static const char *find_made(const struct sql_contents *contents,
                             enum schema schema, enum sql_what what,
                             const char *name)
{
    const char *const text =
        schema_text_find(schema_of(contents, schema), what, name);

    return text != NULL ? text
                        : schema_text_find(contents->db->hosts, what, name);
}

/* odd: a column that is not as ubench makes it. */
static bool is_as_made(const struct sql_contents *contents,
                       const struct sql_item *item,
                       char odd[static SQL_OBJECT_SIZE])
{
    odd[0] = '\0';
    if (item->what != SQL_RELATION || strcmp(item->name, marker_name) == 0)
        return item->as_made;
    const enum schema schema = strcmp(item->name, lease_name(contents)) == 0
                                   ? contents->made
                                   : SCHEMA_KEA_STATS;
    return strcmp(item->kind, a_table) == 0 &&
           schema_text_has_columns(
               find_made(contents, schema, item->what, item->name),
               item->columns, odd);
}

/* --- Listing --- */

/* Its place among the items, or their number if it is not there. */
static size_t find_item(const struct sql_contents *contents, enum sql_what what,
                        const char *name)
{
    size_t i = 0;

    while (i < contents->count && (contents->items[i].what != what ||
                                   strcmp(contents->items[i].name, name) != 0))
        i++;
    return i;
}

/* Notes what has a name of ubench's.  text is what makes it. */
static struct sql_item *add_item(struct sql_contents *contents,
                                 enum sql_what what, const char *name,
                                 const char *const *row, const char *text)
{
    struct sql_item *const item = &contents->items[contents->count];

    contents->count += contents->count < SQL_ITEMS_MAX - 1 ? 1 : 0;
    *item = (struct sql_item){ .what = what, .columns = " " };
    copy(item->name, sizeof item->name, name);
    copy(item->table, sizeof item->table, row[SQL_LISTED_TABLE]);
    copy(item->kind, sizeof item->kind, row[SQL_LISTED_KIND]);
    item->as_made = schema_text_defines(text, row[SQL_LISTED_TEXT]);
    return item;
}

static void list_relation(struct sql_contents *contents, const char *const *row)
{
    const char *const table = row[SQL_LISTED_TABLE];
    const char *const shown = row[SQL_LISTED_NAME];
    const char *const lease = lease_name(contents);
    const bool v4 = contents->config->family == LEASE_FAMILY_V4;
    char lower[SQL_OBJECT_SIZE];
    size_t i = 0;

    for (; table[i] != '\0' && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)table[i]);
    lower[i] = '\0';
    const char *const text =
        find_made(contents, SCHEMA_KEA_STATS, SQL_RELATION, lower);
    if (text != NULL && strcmp(lower, table) == 0)
        (void)add_item(contents, SQL_RELATION, table, row, text);
    else if (text != NULL)
        copy(contents->alike, sizeof contents->alike, table);
    else if (find_made(contents, SCHEMA_KEA_STATS, SQL_INDEX, table) != NULL)
        (void)add_item(contents, SQL_INDEX, table, row, "");
    else if (strcmp(table, v4 ? "lease6" : "lease4") != 0)
        contents->foreign++;
    if (strcmp(table, lease) == 0) {
        contents->lease = true;
        copy(contents->lease_text, sizeof contents->lease_text,
             row[SQL_LISTED_TEXT]);
    } else if (strcmp(table, marker_name) != 0) {
        contents->others++;
        if (contents->others == 1 || strcmp(shown, contents->example) < 0)
            copy(contents->example, sizeof contents->example, shown);
    }
}

static void list_lease_column(struct sql_contents *contents,
                              const char *const *row)
{
    const char *const name = row[SQL_LISTED_NAME];
    const char *const type = row[SQL_LISTED_KIND];
    const enum sql_column column = sql_table_find(&contents->table, name);

    if (column < SQL_COLUMNS) {
        const char *const wanted = sql_table_add(
            &contents->table, contents->db->dialect, column, type);
        if (wanted != NULL)
            (void)snprintf(contents->wrong_type, sizeof contents->wrong_type,
                           "the column %.40s is %.20s, not %.20s", name, type,
                           wanted);
    } else if (!contents->unknown_needed) {
        copy(contents->unknown, sizeof contents->unknown, name);
        contents->unknown_needed = row[SQL_LISTED_TEXT][0] != '\0';
    }
}

static void list_column(struct sql_contents *contents, const char *const *row)
{
    const char *const name = row[SQL_LISTED_NAME];
    struct sql_item *const item =
        &contents
             ->items[find_item(contents, SQL_RELATION, row[SQL_LISTED_TABLE])];
    const size_t count = sizeof marker_columns / sizeof *marker_columns;

    if (item == &contents->items[contents->count])
        return;
    const size_t length = strlen(item->columns);
    (void)snprintf(item->columns + length, sizeof item->columns - length, "%s ",
                   name);
    if (strcmp(item->name, marker_name) == 0) {
        size_t i = 0;

        while (i < count && strcmp(name, marker_columns[i]) != 0)
            i++;
        contents->marker_has |= 1U << i; /* HAS_OTHER is behind the last */
    }
    if (strcmp(item->name, lease_name(contents)) == 0)
        list_lease_column(contents, row);
}

/* True if the schema that is asked for does not make it for the lease table. */
static bool is_stray(const struct sql_contents *contents, enum sql_what what,
                     const char *name)
{
    const char *const schema = schema_of(contents, contents->config->schema);
    char constraint[SQL_OBJECT_SIZE + 16];

    /* MySQL makes an index for a foreign key. */
    (void)snprintf(constraint, sizeof constraint, "CONSTRAINT %s FOREIGN",
                   name);
    return schema_text_find(schema, what, name) == NULL &&
           (what != SQL_INDEX || strstr(schema, constraint) == NULL);
}

/* An index, a trigger or a routine. */
static void list_part(struct sql_contents *contents, enum sql_what what,
                      bool of_lease, const char *const *row)
{
    const char *const name = row[SQL_LISTED_NAME];
    const char *const text = find_made(contents, SCHEMA_KEA_STATS, what, name);

    if (of_lease) {
        contents->triggers += what == SQL_TRIGGER ? 1 : 0;
        contents->stray |= is_stray(contents, what, name);
    }
    if (text != NULL && (of_lease || what != SQL_TRIGGER)) {
        struct sql_item *const item = add_item(contents, what, name, row, text);

        /* A table of ours is made anew with all its indexes. */
        if (what == SQL_INDEX)
            item->as_made = find_item(contents, SQL_RELATION, item->table) <
                            contents->count;
    } else if (of_lease && what == SQL_TRIGGER) {
        (void)snprintf(contents->tie, sizeof contents->tie, "%s %s",
                       row[SQL_LISTED_KIND], name);
    }
}

/* Kea's own tables lose with lease6 what belongs to its leases. */
static bool is_reference_of_kea(const char *name)
{
    const char *const of = strstr(name, " of ");

    return of != NULL && (strcmp(of, " of lease6_relay_id") == 0 ||
                          strcmp(of, " of lease6_remote_id") == 0);
}

static void list_reference(struct sql_contents *contents,
                           const char *const *row)
{
    char *const to = is_reference_of_kea(row[SQL_LISTED_NAME])
                         ? contents->tie
                         : contents->reference;

    (void)snprintf(to, SQL_NAME_SIZE, "%s %s", row[SQL_LISTED_KIND],
                   row[SQL_LISTED_NAME]);
}

static void list_key(struct sql_contents *contents, const char *const *row)
{
    contents->key_columns++;
    contents->key_is_address = strcmp(row[SQL_LISTED_NAME], "address") == 0;
    copy(contents->key, sizeof contents->key, row[SQL_LISTED_KIND]);
}

static void list(void *context, const char *const *row)
{
    struct sql_contents *const contents = context;
    const enum sql_what what = (enum sql_what)row[SQL_LISTED_WHAT][0];
    const bool of_lease =
        strcmp(row[SQL_LISTED_TABLE], lease_name(contents)) == 0;

    if (what == SQL_RELATION)
        list_relation(contents, row);
    else if (what == SQL_COLUMN)
        list_column(contents, row);
    else if (what == SQL_INDEX || what == SQL_TRIGGER || what == SQL_ROUTINE)
        list_part(contents, what, of_lease, row);
    else if (what == SQL_KEY && of_lease)
        list_key(contents, row);
    else if (what == SQL_REFERENCE && of_lease)
        list_reference(contents, row);
}

/* --- The marker --- */

static const char *marker_kind(const struct sql_contents *contents)
{
    const size_t i = find_item(contents, SQL_RELATION, marker_name);

    return i < contents->count ? contents->items[i].kind : "";
}

static bool has_marker_columns(const struct sql_contents *contents)
{
    const unsigned has = contents->marker_has;
    const unsigned more = has & ~(unsigned)HAS_OF_SERVER;

    return strcmp(marker_kind(contents), a_table) == 0 &&
           (has == HAS_OF_FILE ||
            (has != more && (more & ~(unsigned)(HAS_KEY | HAS_HIDDEN_KEY |
                                                HAS_RESTORE)) == 0));
}

/* The schema of that name, or one behind the last. */
static enum schema schema_named(const char *word)
{
    enum schema i = SCHEMA_LEAN;

    while (i <= SCHEMA_KEA_STATS && strcmp(word, sql_schema_name(i)) != 0)
        i++;
    return i;
}

/* Takes what a row says of our lease table, and of the other one. */
static void take_marker_row(void *context, const char *const *row)
{
    struct sql_contents *const contents = context;

    contents->rows++;
    for (size_t i = 0; i < 2; i++) {
        if (row[i] == NULL)
            continue;
        const enum schema schema = schema_named(row[i]);
        if (strcmp(row[i], SQL_SCRATCH) == 0) {
            contents->scratch = true;
        } else if (schema > SCHEMA_KEA_STATS) {
            (void)snprintf(contents->odd_row, sizeof contents->odd_row, "'%s'",
                           row[i]);
        } else if (i == 0) {
            contents->has_made = true;
            contents->made = schema;
        }
    }
    if (row[0] == NULL && row[1] == NULL)
        copy(contents->odd_row, sizeof contents->odd_row, "NULL");
}

static int read_marker(struct sql_contents *contents, struct err *err)
{
    const unsigned has = contents->marker_has;
    const bool v4 = contents->config->family == LEASE_FAMILY_V4;
    const char *lease4 = (has & HAS_LEASE4) != 0 ? "lease4" : "NULL";
    const char *lease6 = (has & HAS_LEASE6) != 0 ? "lease6" : "NULL";
    char sql[SQL_RUN_SIZE];

    if (!has_marker_columns(contents))
        return 0;
    if (has == HAS_OF_FILE)
        lease4 = lease6 = "schema";
    (void)snprintf(
        sql, sizeof sql, "SELECT %s, %s FROM %subench_marker%s LIMIT 99",
        v4 ? lease4 : lease6, v4 ? lease6 : lease4, contents->db->prefix,
        (has & HAS_RESTORE) != 0 ? " WHERE restore IS NULL" : "");
    return contents->db->read(contents->db->connection, "reading ubench_marker",
                              sql, take_marker_row, contents, err);
}

int sql_look(struct sql_contents *contents, const struct sql_database *db,
             const struct store_config *config, struct err *err)
{
    *contents = (struct sql_contents){ .db = db,
                                       .config = config,
                                       .made = SCHEMA_KEA_STATS };
    sql_table_init(&contents->table, config);
    if (db->read(db->connection, "looking for tables", db->catalogue, list,
                 contents, err) != 0 ||
        read_marker(contents, err) != 0)
        return -1;
    for (size_t i = 0; i < contents->count; i++) {
        const struct sql_item *const item = &contents->items[i];
        char odd[SQL_OBJECT_SIZE];

        if (strcmp(item->name, marker_name) != 0 &&
            !is_as_made(contents, item, odd))
            contents->foreign++;
    }
    return 0;
}

/* A marker is a table with our columns and rows of ours, not only a name. */
static bool is_marked(const struct sql_contents *contents)
{
    return has_marker_columns(contents) && contents->rows > 0 &&
           contents->odd_row[0] == '\0';
}

bool sql_made_by_us(const struct sql_contents *contents)
{
    return is_marked(contents) && contents->has_made;
}

/* --- Judging --- */

/* What there is in the place of a marker, in words. */
static void describe_marker(const struct sql_contents *contents, char *text,
                            size_t size)
{
    const char *what = marker_kind(contents);
    char more[96] = "";

    if (what[0] == '\0')
        what = "no table";
    else if (strcmp(what, a_table) != 0)
        (void)snprintf(more, sizeof more, ", which is not a table");
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
                       lease_name(contents));
    (void)snprintf(text, size, "%s %subench_marker%s", what,
                   contents->db->prefix, more);
}

static int refuse_others(const struct sql_contents *contents, struct err *err)
{
    char marker[SQL_NAME_SIZE];
    char found[2 * SQL_NAME_SIZE] = "";

    describe_marker(contents, marker, sizeof marker);
    if (contents->others > 0)
        (void)snprintf(found, sizeof found, "tables (%u, %s is one) and ",
                       contents->others, contents->example);
    return err_set(err,
                   "%s: database %s has %s%s: it is not ubench's and was not "
                   "touched; name another, empty one with -f",
                   contents->db->store, contents->config->target, found,
                   marker);
}

static void take_count(void *context, const char *const *row)
{
    (void)snprintf(context, SQL_OBJECT_SIZE, ", with %s leases", row[0]);
}

static int refuse_leases(const struct sql_contents *contents, struct err *err)
{
    const struct sql_database *const db = contents->db;
    const char *const table = lease_name(contents);
    char marker[SQL_NAME_SIZE];
    char leases[SQL_OBJECT_SIZE] = "";
    char sql[SQL_RUN_SIZE];
    char hint[224] = "";
    struct err ignored;

    describe_marker(contents, marker, sizeof marker);
    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s%s", db->prefix,
                   table);
    (void)db->read(db->connection, "counting", sql, take_count, leases,
                   &ignored);
    if (db->create_marker != NULL && !has_marker_columns(contents))
        (void)snprintf(hint, sizeof hint,
                       ", or, to let ubench delete its leases, run: %s AS "
                       "SELECT '" SQL_SCRATCH "' AS %s",
                       db->create_marker, table);
    else if (db->create_marker != NULL)
        (void)snprintf(
            hint, sizeof hint,
            ", or, to let ubench delete its leases, run: "
            "INSERT INTO ubench_marker (%s) VALUES ('" SQL_SCRATCH "')",
            (contents->marker_has & HAS_LEASE4) != 0 ? "lease4" : "lease6");
    return err_set(err,
                   "%s: database %s: %s%s is there%s, and %s: it is not "
                   "ubench's and was not touched; name another database with "
                   "-f%s",
                   db->store, contents->config->target, db->prefix, table,
                   leases, marker, hint);
}

static int refuse(const struct sql_contents *contents, const char *name,
                  struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(const struct sql_contents *contents, const char *name,
                  struct err *err, const char *format, ...)
{
    char why[SQL_NAME_SIZE + 64];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return err_set(err,
                   "%s: database %s: %s%s %s: it was not touched; name another "
                   "database with -f",
                   contents->db->store, contents->config->target,
                   contents->db->prefix, name, why);
}

static int refuse_item(const struct sql_contents *contents,
                       const struct sql_item *item, const char *odd,
                       struct err *err)
{
    const char *const name = item->name;

    if (item->what == SQL_TRIGGER)
        return refuse(contents, lease_name(contents), err,
                      "has the trigger %s, which is not as ubench makes it",
                      name);
    if (item->what != SQL_RELATION)
        return refuse(contents, name, err,
                      "is %s with a name of ubench's that ubench did not make",
                      item->kind);
    if (odd[0] == '\0')
        return refuse(contents, name, err, "is %s, not a table", item->kind);
    return refuse(contents, name, err,
                  "is not as ubench makes it (see its column %s)", odd);
}

/* True if the run would touch it and may only if it is as ubench makes it.  Of
   an owner's table that is what belongs to the reservations. */
static bool is_used(const struct sql_contents *contents,
                    const struct sql_item *item)
{
    const struct store_config *const config = contents->config;
    const bool borrowed = contents->lease && !sql_made_by_us(contents);

    if (strcmp(item->name, marker_name) == 0)
        return false;
    return (!borrowed && (item->what == SQL_TRIGGER ||
                          schema_text_find(schema_of(contents, config->schema),
                                           item->what, item->name) != NULL)) ||
           (config->reservations &&
            schema_text_find(contents->db->hosts, item->what, item->name) !=
                NULL);
}

/* Refuses what is another's of what a run would use.  0 if there is nothing. */
static int check_others(const struct sql_contents *contents, struct err *err)
{
    const char *const lease = lease_name(contents);
    const char *const tie = contents->reference[0] != '\0' ? contents->reference
                            : sql_made_by_us(contents)     ? contents->tie
                                                           : "";

    if (tie[0] != '\0')
        return refuse(contents, lease, err, "has %s, which ubench did not make",
                      tie);
    for (size_t i = 0; i < contents->count; i++) {
        const struct sql_item *const item = &contents->items[i];
        char odd[SQL_OBJECT_SIZE];

        if (is_used(contents, item) && !is_as_made(contents, item, odd))
            return refuse_item(contents, item, odd, err);
    }
    return contents->count < SQL_ITEMS_MAX - 1
               ? 0
               : refuse(contents, lease, err,
                        "is beside too many functions with ubench's names");
}

/* True if there is all that the schema makes, and nothing else on the lease
   table.  A run that was killed had made the first ones alone. */
static bool is_whole(const struct sql_contents *contents)
{
    const char *at = schema_of(contents, contents->config->schema);
    struct sql_made made;

    while (schema_text_next(&at, &made)) {
        if (find_item(contents, made.what, made.name) == contents->count)
            return false;
    }
    return !contents->stray && contents->made == contents->config->schema;
}

/* A marker without a row is what a killed run leaves of its first step. */
static bool has_others(const struct sql_contents *contents)
{
    return contents->others > 0 ||
           (marker_kind(contents)[0] != '\0' &&
            (!has_marker_columns(contents) || contents->rows > 0));
}

static enum sql_verdict judge_borrowed(const struct sql_contents *contents,
                                       struct err *err)
{
    if (check_others(contents, err) != 0)
        return SQL_REFUSE;
    if (contents->config->schema == SCHEMA_KEA)
        return SQL_BORROW;
    (void)err_set(err,
                  "%s: database %s: %s%s was not made by ubench; it can only "
                  "be used with --schema kea",
                  contents->db->store, contents->config->target,
                  contents->db->prefix, lease_name(contents));
    return SQL_REFUSE;
}

static enum sql_verdict absent(const struct sql_contents *contents,
                               struct err *err)
{
    (void)err_set(err, "%s: database %s: there is no table %s%s",
                  contents->db->store, contents->config->target,
                  contents->db->prefix, lease_name(contents));
    return SQL_REFUSE;
}

enum sql_verdict sql_judge(const struct sql_contents *contents, bool fits,
                           struct err *err)
{
    const struct store_config *const config = contents->config;
    const bool ours = sql_made_by_us(contents);
    const bool scratch = is_marked(contents) && contents->scratch;
    const struct sql_item *const lease =
        &contents
             ->items[find_item(contents, SQL_RELATION, lease_name(contents))];

    if (contents->alike[0] != '\0')
        (void)refuse(contents, contents->alike, err,
                     "is a name of ubench's in other case");
    else if (contents->lease && !ours && !scratch)
        (void)refuse_leases(contents, err);
    else if (!is_marked(contents) && has_others(contents))
        (void)refuse_others(contents, err);
    else if (!contents->lease && config->keep)
        return absent(contents, err);
    else if (contents->lease && strcmp(lease->kind, a_table) != 0)
        (void)refuse_item(contents, lease, "", err);
    else if (config->keep)
        return SQL_USE;
    else if (contents->lease && !ours)
        return judge_borrowed(contents, err);
    else if (check_others(contents, err) == 0)
        return contents->lease && is_whole(contents) && fits ? SQL_USE
               : config->joins ? absent(contents, err)
                               : SQL_MAKE;
    return SQL_REFUSE;
}

/* --- Making --- */

static int run(const struct sql_contents *contents, const char *action,
               const char *sql, struct err *err)
{
    return contents->db->run(contents->db->connection, action, sql, err);
}

/* In which turn it goes: the lease table with its triggers, which need the
   rest, and last the permission to drop it; -1: not at all. */
static int turn_of(const struct sql_contents *contents,
                   const struct sql_contents *before,
                   const struct sql_item *item)
{
    char counter[32];
    char odd[SQL_OBJECT_SIZE];

    (void)snprintf(counter, sizeof counter, "ubench_%s_", lease_name(contents));
    const bool is_lease = strcmp(item->name, lease_name(contents)) == 0;
    const bool is_marker = strcmp(item->name, marker_name) == 0;
    const bool goes =
        before != NULL
            ? find_item(before, item->what, item->name) == before->count
            : is_lease || strncmp(item->name, counter, strlen(counter)) == 0;

    /* A marker with settings to be restored is still needed. */
    if (!goes || (item->what != SQL_RELATION && item->what != SQL_ROUTINE) ||
        (is_marker ? (contents->marker_has & HAS_RESTORE) != 0
                   : !is_as_made(contents, item, odd)))
        return -1;
    return is_lease ? 0 : is_marker ? 2 : 1;
}

/* Drops what ubench made of the lease table and what counts its leases; or,
   unless before is NULL, all of it that was not there before. */
static int drop(const struct sql_contents *contents,
                const struct sql_contents *before, struct err *err)
{
    for (int turn = 0; turn <= 2; turn++) {
        for (size_t i = 0; i < contents->count; i++) {
            const struct sql_item *const item = &contents->items[i];
            char sql[SQL_RUN_SIZE];

            if (turn_of(contents, before, item) != turn)
                continue;
            (void)snprintf(sql, sizeof sql, "DROP %s %s%s",
                           strchr(item->kind, ' ') + 1, contents->db->prefix,
                           item->name);
            if (run(contents, "dropping ubench's tables", sql, err) != 0)
                return -1;
        }
    }
    return 0;
}

int sql_make(struct sql_contents *contents, struct err *err)
{
    static const char action[] = "making the lease table";
    const struct store_config *const config = contents->config;
    const char *const name = lease_name(contents);
    char sql[SQL_RUN_SIZE];

    /* A file of schema/ adds "+stats" to what is in the row. */
    (void)snprintf(sql, sizeof sql,
                   "UPDATE %subench_marker SET %s = '%s' WHERE %s IN " OUR_ROWS,
                   contents->db->prefix, name,
                   config->schema == SCHEMA_LEAN ? "lean" : "kea", name);
    if (drop(contents, NULL, err) != 0 ||
        (sql_made_by_us(contents) && run(contents, action, sql, err) != 0) ||
        run(contents, action, schema_of(contents, config->schema), err) != 0 ||
        sql_look(contents, contents->db, config, err) != 0)
        return -1;
    /* A file marks a table only if it makes it: one of another, made since we
       looked, has no row. */
    return sql_made_by_us(contents)
               ? 0
               : err_set(err,
                         "%s: database %s: meanwhile another has made %s: it "
                         "was not touched",
                         contents->db->store, config->target, name);
}

void sql_undo(const struct sql_contents *before)
{
    const char *const name = lease_name(before);
    struct sql_contents now;
    struct err ignored;
    char sql[SQL_RUN_SIZE];

    if (sql_look(&now, before->db, before->config, &ignored) != 0 ||
        (now.lease && !sql_made_by_us(&now)))
        return;
    (void)snprintf(sql, sizeof sql,
                   "DELETE FROM %subench_marker WHERE %s IN " OUR_ROWS,
                   before->db->prefix, name);
    (void)drop(&now, before, &ignored);
    if (!sql_made_by_us(before))
        (void)run(before, "undoing", sql, &ignored);
}

int sql_take_table(const struct sql_contents *contents, struct sql_table *table,
                   struct err *err)
{
    const bool ours = sql_made_by_us(contents);
    char why[SQL_NAME_SIZE] = "";

    *table = contents->table;
    table->made_by_us = ours;
    const char *const missing = sql_table_lacks(table);
    if (contents->wrong_type[0] != '\0')
        copy(why, sizeof why, contents->wrong_type);
    else if (contents->unknown[0] != '\0' && (ours || contents->unknown_needed))
        (void)snprintf(why, sizeof why, "the column %s is not of the schema %s",
                       contents->unknown, sql_schema_name(table->schema));
    else if (contents->key_columns != 1 || !contents->key_is_address)
        copy(why, sizeof why, "the column address is not the primary key");
    else if (missing != NULL)
        (void)snprintf(why, sizeof why, "the column %s is missing%s", missing,
                       ours ? "; ubench makes the table anew if you drop it"
                            : "");
    return why[0] == '\0' ? 0
                          : err_set(err, "%s: %s%s: %s", contents->db->store,
                                    contents->db->prefix, table->name, why);
}
