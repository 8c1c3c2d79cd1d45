/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The rows of the marker that ubench wrote: WHERE lease4 IN ... */
#define OUR_ROWS "('lean', 'kea', 'kea+stats')"

enum { RUN_SIZE = 512 }; /* of the SQL that is given to run */

static const char marker_name[] = "ubench_marker";
static const char a_table[] = "a table";

/* The marker's columns.  A server's lease tables are made one by one; its
   marker may have a key, also one that the server has added, and settings that
   the next run restores.  A file's tables are made at once. */
static const char server_columns[] = " lease4 lease6 restore row_id my_row_id ";
static const char file_columns[] = " schema made_at made_with ";

/* --- What a file of schema/ makes, by its text --- */

/* How a line begins that makes something; the longer of two goes first. */
static const struct {
    const char *text;
    enum sql_what what;
} beginnings[] = {
    { "CREATE TABLE IF NOT EXISTS ", SQL_RELATION },
    { "CREATE TABLE ", SQL_RELATION },
    { "CREATE INDEX IF NOT EXISTS ", SQL_INDEX },
    { "CREATE INDEX ", SQL_INDEX },
    { "CREATE UNIQUE INDEX ", SQL_INDEX },
    { "    INDEX ", SQL_INDEX },
    { "    UNIQUE INDEX ", SQL_INDEX },
    { "CREATE TRIGGER ", SQL_TRIGGER },
    { "CREATE OR REPLACE FUNCTION ", SQL_ROUTINE },
    { "CREATE PROCEDURE ", SQL_ROUTINE },
};

bool schema_text_next(const char **at, struct sql_made *made)
{
    for (const char *line = *at; (line = strchr(line, '\n')) != NULL;) {
        line++;
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
            const size_t begin = strlen(beginnings[i].text);

            if (strncmp(line, beginnings[i].text, begin) != 0)
                continue;
            const char *const name = line + begin;
            const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
            (void)snprintf(made->name, sizeof made->name, "%.*s", (int)length, name);
            made->what = beginnings[i].what;
            made->text = *at = name + length;
            return true;
        }
    }
    return false;
}

/* The text of one by its kind and name, in whatever case; NULL if there is none. */
static const char *find_in(const char *schema, enum sql_what what, const char *name)
{
    struct sql_made made;

    while (schema_text_next(&schema, &made)) {
        if (made.what == what && strcasecmp(made.name, name) == 0)
            return made.text;
    }
    return NULL;
}

/* True if its definition is this part of its text. */
static bool defines(const char *text, const char *definition)
{
    const char *const end = strstr(text, "CREATE ");
    const char *const found = definition[0] != '\0' ? strstr(text, definition) : NULL;

    return found != NULL && (end == NULL || found < end);
}

/* Adds a name to " a b ", which becomes " a b c "; "" is " " without names. */
static void add_name(char names[static SQL_NAMES_SIZE], const char *name)
{
    const size_t length = strlen(names);

    (void)snprintf(names + length, SQL_NAMES_SIZE - length, "%s%s ", length == 0 ? " " : "", name);
}

/* True if each of the names is among the others; else odd is one that is not. */
static bool are_among(const char *names, const char *others, char odd[static SQL_OBJECT_SIZE])
{
    char name[SQL_OBJECT_SIZE + 2];
    bool all = true;
    int length;

    for (; *names != '\0' && names[1] != '\0'; names += length + 1) {
        length = (int)strcspn(names + 1, " ");
        (void)snprintf(name, sizeof name, "%.*s", length + 2, names);
        if (strstr(others, name) == NULL) {
            (void)snprintf(odd, SQL_OBJECT_SIZE, "%.*s", length, names + 1);
            all = false;
        }
    }
    return all;
}

/* True if a table's text has the columns " a b c ", and no others; else odd is one that only one
   of them has. */
static bool has_columns(const char *text, const char *columns, char odd[static SQL_OBJECT_SIZE])
{
    static const char begin[] = "\n    ";
    const char *const end = strstr(text, "\n)");
    char made[SQL_NAMES_SIZE] = "";

    for (const char *line = strstr(text, begin); line != NULL && line < end;
         line = strstr(line + 1, begin)) {
        if (sscanf(line + sizeof begin - 1, "%64[a-z0-9_]", odd) == 1)
            add_name(made, odd);
    }
    return are_among(made, columns, odd) && are_among(columns, made, odd);
}

/* The text that makes it in one of the files; NULL: it has no name of ubench's, in whatever case.
   A lease table is that of the schema that the marker has, if it has one. */
static const char *find_made(const struct sql_contents *contents, enum sql_what what,
                             const char *name)
{
    const struct sql_database *const db = contents->db;
    const char *const files[] = {
        contents->made[LEASE_FAMILY_V4],
        db->schemas[LEASE_FAMILY_V4][SCHEMA_KEA_STATS],
        contents->made[LEASE_FAMILY_V6],
        db->schemas[LEASE_FAMILY_V6][SCHEMA_KEA_STATS],
        db->hosts,
    };
    const char *text = strcasecmp(name, marker_name) == 0 ? "" : NULL;

    for (size_t i = 0; text == NULL && i < sizeof files / sizeof *files; i++)
        text = files[i] != NULL ? find_in(files[i], what, name) : NULL;
    return text;
}

/* --- Listing --- */

/* NULL if it is not there. */
static const struct sql_item *find_item(const struct sql_contents *contents, enum sql_what what,
                                        const char *name)
{
    for (size_t i = 0; i < contents->count; i++) {
        if (contents->items[i].what == what && strcmp(contents->items[i].name, name) == 0)
            return &contents->items[i];
    }
    return NULL;
}

static void add_item(struct sql_contents *contents, enum sql_what what, const char *name,
                     const char *kind)
{
    struct sql_item *const item = &contents->items[contents->count];

    if (contents->count == SQL_ITEMS_MAX)
        return; /* of what has one name: it is noted as odd */
    contents->count++;
    *item = (struct sql_item){ .what = what };
    (void)snprintf(item->name, sizeof item->name, "%s", name);
    (void)snprintf(item->kind, sizeof item->kind, "%s", kind);
}

/* Notes what is not as ubench makes it, in words: that an object "is", "a view", or "has", "the
   trigger", NAME.  beside: it matters also beside an owner's tables, as what has a name like the
   marker's does, and then goes before what does not. */
static void note_odd(struct sql_contents *contents, bool beside, const char *object,
                     const char *verb, const char *what, const char *name)
{
    beside |= strncasecmp(object, "ubench_", strlen("ubench_")) == 0;
    if (contents->odd[0] != '\0' && (contents->odd_beside || !beside))
        return;
    contents->odd_beside = beside;
    (void)snprintf(contents->odd, sizeof contents->odd, "%s%s %s %s%s%s", contents->db->prefix,
                   object, verb, what, name[0] != '\0' ? " " : "", name);
}

static void take_facts(struct sql_table *table, const char *text)
{
    for (size_t i = 0; i < SQL_FACTS; i++) {
        const size_t length = strcspn(text, "\n");

        (void)snprintf(table->facts[i], SQL_FACT_SIZE, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void list_relation(struct sql_contents *contents, const struct sql_listed *row)
{
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *const name = row->table;
    const bool is_lease = strcmp(name, contents->table.name) == 0;
    const bool is_made = find_made(contents, SQL_RELATION, name) != NULL;

    if (is_lease || (contents->other[0] == '\0' && strcmp(name, marker_name) != 0))
        (void)snprintf(contents->other, sizeof contents->other, "%s", row->name);
    if (!is_made && find_made(contents, SQL_INDEX, name) == NULL) {
        contents->foreign = true;
        return;
    }
    add_item(contents, SQL_RELATION, name, row->kind);
    if (strcmp(row->kind, a_table) != 0 || !is_made || strpbrk(name, upper) != NULL)
        note_odd(contents, is_lease, name, "is", row->kind, "");
    if (is_lease) {
        contents->lease = true;
        take_facts(&contents->table, row->text);
    }
}

static void list_column(struct sql_contents *contents, const struct sql_listed *row)
{
    const struct sql_item *const table = find_item(contents, SQL_RELATION, row->table);

    if (table != NULL)
        add_name(contents->items[table - contents->items].columns, row->name);
    if (strcmp(row->table, contents->table.name) != 0)
        return;
    const char *const wanted =
        sql_table_add(&contents->table, contents->db->dialect, row->name, row->kind);
    if (strcmp(row->text, "key") == 0)
        add_name(contents->key, row->name);
    if (wanted != NULL && (wanted[0] != '\0' || row->text[0] != '\0'))
        (void)snprintf(contents->wrong, sizeof contents->wrong,
                       "the column %.40s is %.20s, not %.20s", row->name, row->kind,
                       wanted[0] != '\0' ? wanted : "one of the schema");
}

/* An index, a trigger or a routine.  Other indexes of a table of ours go when
   it is made anew; MySQL makes one for a foreign key. */
static void list_part(struct sql_contents *contents, const struct sql_listed *row)
{
    const char *const text = find_made(contents, row->what, row->name);
    const bool on_ours = find_made(contents, SQL_RELATION, row->table) != NULL;
    const bool on_lease = strcmp(row->table, contents->table.name) == 0;
    const bool as_made =
        text != NULL && (row->what == SQL_INDEX ? on_ours : defines(text, row->text));
    char constraint[SQL_OBJECT_SIZE + 16];

    (void)snprintf(constraint, sizeof constraint, "CONSTRAINT %s ", row->name);
    if (text != NULL)
        add_item(contents, row->what, row->name, row->kind);
    contents->stray |= on_lease && row->what == SQL_INDEX &&
                       find_in(contents->asked, SQL_INDEX, row->name) == NULL &&
                       strstr(contents->asked, constraint) == NULL;
    contents->table.triggers += on_lease && row->what == SQL_TRIGGER;
    if (row->what == SQL_TRIGGER && !as_made && (on_ours || text != NULL))
        note_odd(contents, false, row->table, "has", row->kind, row->name);
    else if (row->what != SQL_TRIGGER && !as_made && text != NULL)
        note_odd(contents, false, row->name, "is", row->kind, "");
}

/* Kea's own tables lose with lease6 what belongs to its leases. */
static void list_reference(struct sql_contents *contents, const struct sql_listed *row)
{
    const bool of_kea = fnmatch("* of lease6_relay_id", row->name, 0) == 0 ||
                        fnmatch("* of lease6_remote_id", row->name, 0) == 0;

    if (strcmp(row->table, sql_table_name(LEASE_FAMILY_V4)) == 0 ||
        strcmp(row->table, sql_table_name(LEASE_FAMILY_V6)) == 0)
        note_odd(contents, strcmp(row->table, contents->table.name) == 0 && !of_kea, row->table,
                 "has", row->kind, row->name);
}

static void list(void *context, const char *const *texts)
{
    struct sql_contents *const contents = context;
    const struct sql_listed row = { (enum sql_what)texts[0][0], texts[1], texts[2], texts[3],
                                    texts[4] };

    if (row.what == SQL_RELATION)
        list_relation(contents, &row);
    else if (row.what == SQL_COLUMN)
        list_column(contents, &row);
    else if (row.what == SQL_REFERENCE)
        list_reference(contents, &row);
    else
        list_part(contents, &row);
}

/* --- The marker --- */

/* A marker has ubench's columns, not only the name. */
static bool is_marker(const struct sql_item *item)
{
    char odd[SQL_OBJECT_SIZE];

    return item != NULL && strcmp(item->kind, a_table) == 0 &&
           ((strstr(item->columns, " lease") != NULL &&
             are_among(item->columns, server_columns, odd)) ||
            (are_among(item->columns, file_columns, odd) &&
             are_among(file_columns, item->columns, odd)));
}

/* Takes what a row says of lease4 and of lease6. */
static void take_marker_row(void *context, const char *const *row)
{
    struct sql_contents *const contents = context;

    contents->marked = true;
    for (enum lease_family i = LEASE_FAMILY_V4; i <= LEASE_FAMILY_V6; i++) {
        enum schema schema = SCHEMA_LEAN;

        if (row[i] == NULL)
            continue;
        while (schema <= SCHEMA_KEA_STATS && strcmp(row[i], sql_schema_name(schema)) != 0)
            schema++;
        if (schema <= SCHEMA_KEA_STATS)
            contents->made[i] = contents->db->schemas[i][schema];
        else if (strcmp(row[i], SQL_SCRATCH) == 0 && contents->db->create_marker != NULL)
            contents->scratch = true;
        else
            (void)snprintf(contents->odd_row, sizeof contents->odd_row, "%s", row[i]);
    }
    if (row[LEASE_FAMILY_V4] == NULL && row[LEASE_FAMILY_V6] == NULL)
        (void)snprintf(contents->odd_row, sizeof contents->odd_row, "NULL");
}

static int read_marker(struct sql_contents *contents, struct err *err)
{
    const struct sql_item *const marker = find_item(contents, SQL_RELATION, marker_name);
    const char *columns[2];
    char sql[RUN_SIZE];

    if (!is_marker(marker))
        return 0;
    for (enum lease_family i = LEASE_FAMILY_V4; i <= LEASE_FAMILY_V6; i++)
        columns[i] = strstr(marker->columns, " schema ") != NULL          ? "schema"
                     : strstr(marker->columns, sql_table_name(i)) != NULL ? sql_table_name(i)
                                                                          : "NULL";
    (void)snprintf(sql, sizeof sql, "SELECT %s, %s FROM %subench_marker%s LIMIT 99",
                   columns[LEASE_FAMILY_V4], columns[LEASE_FAMILY_V6], contents->db->prefix,
                   strstr(marker->columns, " restore ") != NULL ? " WHERE restore IS NULL" : "");
    if (contents->db->read(contents->db->connection, "reading ubench_marker", sql, take_marker_row,
                           contents, err) != 0)
        return -1;
    contents->marked &= contents->odd_row[0] == '\0';
    contents->table.made_by_us =
        contents->marked && contents->made[contents->config->family] != NULL;
    return 0;
}

/* Notes each table that has other columns, or that the marker does not have. */
static void check_tables(struct sql_contents *contents)
{
    for (size_t i = 0; i < contents->count; i++) {
        const struct sql_item *const item = &contents->items[i];
        const char *const text = find_made(contents, item->what, item->name);
        char odd[SQL_OBJECT_SIZE];

        if (item->what == SQL_RELATION && text != NULL && strcmp(item->name, marker_name) != 0 &&
            !has_columns(text, item->columns, odd))
            note_odd(contents, false, item->name, "differs in", "the column", odd);
    }
}

/* --- Judging --- */

/* Says what is there, and what is in the place of a marker; if that is nothing,
   also how the owner of leases permits ubench to delete them. */
static enum sql_verdict refuse_unmarked(const struct sql_contents *contents,
                                        const struct sql_item *marker, struct err *err)
{
    const struct sql_database *const db = contents->db;
    const char *const lease = contents->table.name;
    const bool has_odd_row = contents->odd_row[0] != '\0';
    char state[SQL_NAME_SIZE] = "";
    char hint[SQL_NAME_SIZE] = "";

    if (marker != NULL && !is_marker(marker))
        (void)snprintf(state, sizeof state, " that differs from ubench's");
    else if (marker != NULL)
        (void)snprintf(state, sizeof state, " that %s %s", has_odd_row ? "has" : "does not have",
                       has_odd_row ? contents->odd_row : lease);
    else if (contents->lease && db->create_marker != NULL)
        (void)snprintf(hint, sizeof hint,
                       ", or, to let ubench delete its leases, run: %s AS SELECT '" SQL_SCRATCH
                       "' AS %s",
                       db->create_marker, lease);
    (void)err_set(err,
                  "%s: database %s has %s%s%s %subench_marker%s; ubench did not create this and "
                  "changed nothing: name another database with -f%s",
                  db->store, contents->config->target, contents->other,
                  contents->other[0] != '\0' ? " and " : "",
                  marker == NULL ? "no table" : marker->kind, db->prefix, state, hint);
    return SQL_REFUSE;
}

static enum sql_verdict refuse(const struct sql_contents *contents, const char *found,
                               const char *more, struct err *err)
{
    (void)err_set(err, "%s: database %s: %s%s", contents->db->store, contents->config->target,
                  found, more);
    return SQL_REFUSE;
}

/* True if there is all that the schema makes, and nothing else on the lease
   table.  A run that was killed had made the first ones alone. */
static bool is_whole(const struct sql_contents *contents)
{
    const char *at = contents->asked;
    struct sql_made made;

    while (schema_text_next(&at, &made)) {
        if (find_item(contents, made.what, made.name) == NULL)
            return false;
    }
    return !contents->stray && contents->made[contents->config->family] == contents->asked;
}

static enum sql_verdict judge(const struct sql_contents *contents, const char *fact,
                              struct err *err)
{
    const struct store_config *const config = contents->config;
    const struct sql_item *const marker = find_item(contents, SQL_RELATION, marker_name);
    const bool borrowed = contents->lease && !contents->table.made_by_us;
    /* A marker without a row is what a killed run leaves of its first step. */
    const bool empty = contents->other[0] == '\0' &&
                       (marker == NULL || (is_marker(marker) && contents->odd_row[0] == '\0'));
    char lease[SQL_NAME_SIZE];

    (void)snprintf(lease, sizeof lease, "%s%s", contents->db->prefix, contents->table.name);
    if (borrowed ? !contents->marked || !contents->scratch : !contents->marked && !empty)
        return refuse_unmarked(contents, marker, err);
    if (contents->odd[0] != '\0' && (contents->odd_beside || !borrowed))
        return refuse(
            contents, contents->odd,
            "; ubench did not create that and changed nothing: name another database with -f", err);
    if (contents->lease && config->keep)
        return SQL_USE;
    if (borrowed && config->schema != SCHEMA_KEA)
        return refuse(contents, lease,
                      " was not created by ubench; it can only be used with --schema kea", err);
    if (borrowed)
        return SQL_BORROW;
    if (contents->lease && is_whole(contents) &&
        (fact == NULL || strcmp(fact, contents->table.facts[0]) == 0))
        return SQL_USE;
    if (config->keep || config->joins)
        return refuse(contents, "it has no table ", lease, err);
    return SQL_MAKE;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sql_item *)a)->name, ((const struct sql_item *)b)->name);
}

enum sql_verdict sql_look(struct sql_contents *contents, const struct sql_database *db,
                          const struct store_config *config, const char *fact, struct err *err)
{
    *contents = (struct sql_contents){ .db = db,
                                       .config = config,
                                       .asked = db->schemas[config->family][config->schema] };
    sql_table_init(&contents->table, config, false);
    contents->table.prefix = db->prefix;
    if (db->read(db->connection, "looking for tables", db->catalogue, list, contents, err) != 0 ||
        read_marker(contents, err) != 0)
        return SQL_REFUSE;
    check_tables(contents);
    qsort(contents->items, contents->count, sizeof *contents->items, by_name);
    return judge(contents, fact, err);
}

/* --- Making --- */

static int run(const struct sql_contents *contents, const char *action, const char *sql,
               struct err *err)
{
    return contents->db->read(contents->db->connection, action, sql, NULL, NULL, err);
}

/* Drops what ubench made of the lease table and what counts its leases; and all else that was not
   there before.  By their names, the lease table goes before what its triggers need, and last the
   marker, which is the permission to drop the rest. */
static int drop(const struct sql_contents *contents, const struct sql_contents *before,
                struct err *err)
{
    const char *const lease = contents->table.name;
    char counters[32];
    char sql[RUN_SIZE];

    const int length = snprintf(counters, sizeof counters, "ubench_%s_", lease);
    for (const struct sql_item *item = contents->items; item < contents->items + contents->count;
         item++) {
        if ((item->what != SQL_RELATION && item->what != SQL_ROUTINE) ||
            (strcmp(item->name, lease) != 0 && strncmp(item->name, counters, (size_t)length) != 0 &&
             find_item(before, item->what, item->name) != NULL))
            continue;
        (void)snprintf(sql, sizeof sql, "DROP %s %s%s", strchr(item->kind, ' ') + 1,
                       contents->db->prefix, item->name);
        if (run(contents, "dropping ubench's tables", sql, err) != 0)
            return -1;
    }
    return 0;
}

/* Makes the lease table in the place of what ubench made before, and looks
   again.  The marker's row is there all the time. */
static int make(const struct sql_contents *before, struct sql_contents *now, const char *fact,
                struct err *err)
{
    static const char action[] = "making the lease table";
    const struct sql_database *const db = before->db;
    const struct sql_table *const table = &before->table;
    char sql[RUN_SIZE];

    /* A file of schema/ adds "+stats" to what is in the row. */
    (void)snprintf(sql, sizeof sql, "UPDATE %subench_marker SET %s = '%s' WHERE %s IN " OUR_ROWS,
                   db->prefix, table->name, table->schema == SCHEMA_LEAN ? "lean" : "kea",
                   table->name);
    if (drop(before, before, err) != 0 ||
        (table->made_by_us && run(before, action, sql, err) != 0) ||
        run(before, action, before->asked, err) != 0 ||
        (db->alter != NULL && db->alter(db->connection, table, err) != 0) ||
        sql_look(now, db, before->config, NULL, err) == SQL_REFUSE)
        return -1;
    /* MySQL's enforce_storage_engine and the like replace it without a word. */
    return strcmp(now->table.facts[0], fact) == 0
               ? 0
               : err_usage(err, "%s: the server created the table with %s instead of %s",
                           db->option, now->table.facts[0], fact);
}

/* Drops what was made since the look before. */
static void undo(const struct sql_contents *before)
{
    const char *const name = before->table.name;
    struct sql_contents now;
    struct err ignored;
    char sql[RUN_SIZE];

    /* If another has made something since we looked, it stays. */
    if (sql_look(&now, before->db, before->config, NULL, &ignored) == SQL_REFUSE ||
        (now.lease && !now.table.made_by_us))
        return;
    (void)snprintf(sql, sizeof sql, "DELETE FROM %subench_marker WHERE %s IN " OUR_ROWS,
                   before->db->prefix, name);
    (void)drop(&now, before, &ignored);
    if (!before->table.made_by_us)
        (void)run(before, "undoing", sql, &ignored);
}

/* Refuses a table whose columns or key are not as the statements need them. */
static int check_usable(const struct sql_contents *contents, struct err *err)
{
    const struct sql_table *const table = &contents->table;
    const char *wrong = contents->wrong;
    char missing[SQL_NAME_SIZE];

    sql_table_missing(table, true, missing, sizeof missing);
    if (wrong[0] == '\0' && strcmp(contents->key, " address ") != 0)
        wrong = "the column address is not the primary key";
    if (wrong[0] == '\0' && missing[0] == '\0')
        return 0;
    return err_set(err, "%s: %s%s: %s%s", contents->db->store, table->prefix, table->name,
                   wrong[0] != '\0' ? wrong : "it has no ", wrong[0] != '\0' ? "" : missing);
}

int sql_open_table(struct sql_table *table, const struct sql_database *db,
                   const struct store_config *config, const char *fact, struct err *err)
{
    struct sql_contents before;
    struct sql_contents now;

    const enum sql_verdict verdict = sql_look(&before, db, config, fact, err);
    if (verdict == SQL_BORROW && strcmp(before.table.facts[0], fact) != 0)
        return err_usage(err, "%s: %s%s was not created by ubench and remains %s, not %s: see %s",
                         db->store, db->prefix, before.table.name, before.table.facts[0], fact,
                         db->option);
    now = before;
    if (verdict != SQL_REFUSE && (verdict != SQL_MAKE || make(&before, &now, fact, err) == 0) &&
        check_usable(&now, err) == 0 &&
        (!config->reservations || config->keep || config->joins ||
         run(&now, "making ubench_hosts", db->hosts, err) == 0)) {
        *table = now.table;
        return 0;
    }
    if (verdict == SQL_MAKE && !db->transactional)
        undo(&before);
    return -1;
}
