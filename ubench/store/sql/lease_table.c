/* SPDX-License-Identifier: ISC */
#include "store/sql/lease_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* --- Creating --- */

struct dropping {
    const struct sql_database *db;
    const char *marker;
    char sql[SQL_SIZE];
};

static void take_drop(void *context, const char *const *row)
{
    struct dropping *const dropping = context;
    const char *const quote = dropping->db->quote;
    const char *const name = row[1];

    if (strcmp(name, dropping->marker) != 0 && (quote[0] == '\0' || strstr(name, quote) == NULL))
        text_append(dropping->sql, sizeof dropping->sql, "DROP %s %s%s%s; ", row[0], quote, name,
                    quote);
}

/* Drops all objects that ubench created except the marker.  This order drops a view before its
   table, a table before the functions of its triggers, and a lease table before the tables that it
   refers to. */
static int drop(const struct sql_contents *contents, const struct sql_database *db, struct err *err)
{
    static const char action[] = "dropping ubench's tables";
    struct dropping dropping = { .db = db, .marker = contents->marker };

    if (sql_ask(db, action, take_drop, &dropping, err,
                "SELECT listed.kind, listed.name FROM (%s) AS listed LEFT JOIN %s AS kept"
                " ON kept.kind = listed.kind AND kept.name = listed.name"
                " WHERE (kept.definition = listed.definition OR listed.mark = 'ubench')"
                " AND listed.kind NOT IN ('server', 'column', 'index', 'constraint',"
                " 'foreign key', 'trigger', 'rule', 'child table')"
                " ORDER BY listed.kind DESC, listed.name LIMIT 1000000",
                db->catalogue, contents->marker) != 0)
        return -1;
    return dropping.sql[0] == '\0' ? 0 : sql_run(db, action, err, "%s", dropping.sql);
}

/* Creates the tables and functions of a free list. */
static int create_free_list(const struct sql_database *db, enum free_list list, struct err *err)
{
    int status = 0;

    for (unsigned i = FREE_LIST_NONE + 1; i <= (unsigned)list && status == 0; i++)
        status = sql_run(db, "creating the free list", err, "%s", db->free_lists[i]);
    return status;
}

int sql_create_tables(const struct sql_contents *contents, const struct sql_database *db,
                      const struct store_config *config, struct err *err)
{
    static const char action[] = "creating the lease table";
    const char *const schema = db->schemas[config->family][config->schema];
    struct sql_table table;

    sql_table_init(&table, config, false);
    table.prefix = db->prefix;
    if ((!contents->has_marker && sql_run(db, action, err, "%s", db->marker) != 0) ||
        drop(contents, db, err) != 0 ||
        sql_run(db, action, err, "DELETE FROM %s WHERE kind IS NOT NULL", contents->marker) != 0 ||
        sql_run(db, action, err, "%s", schema) != 0 ||
        (config->trips == TRIPS_PROCEDURE &&
         sql_run(db, action, err, "%s",
                 config->free_list == FREE_LIST_NONE ? db->procedures[config->family]
                                                     : db->listed_procedures) != 0) ||
        create_free_list(db, config->free_list, err) != 0 ||
        (db->alter != NULL && db->alter(db->connection, &table, config->free_list, err) != 0) ||
        (config->reservations && sql_run(db, action, err, "%s", db->hosts) != 0))
        return -1;
    return sql_list_objects(contents, db, err);
}

/* Drops the objects that were created since before was read, unless another client has also created
   some. */
static void undo(const struct sql_contents *before, const struct sql_database *db,
                 const struct store_config *config)
{
    struct sql_contents now;
    struct err ignored;

    if (sql_look(&now, db, config, &ignored) == SQL_UBENCH && drop(&now, db, &ignored) == 0)
        (void)sql_run(db, "undoing", &ignored,
                      before->has_marker ? "DELETE FROM %s WHERE kind IS NOT NULL"
                                         : "DROP TABLE %s",
                      now.marker);
}

/* --- Reading --- */

struct reading {
    struct sql_table *table;
    enum sql_dialect_name dialect;
    unsigned keys;             /* number of columns in the primary key */
    bool address_is_key;       /* the address is one of them */
    char wrong[SQL_NAME_SIZE]; /* a column that statements cannot use, in words */
};

static void take_column(struct reading *reading, const char *name, const char *type,
                        const char *use)
{
    const char *const wanted = sql_table_add(reading->table, reading->dialect, name, type);

    if (strcmp(use, "key") == 0) {
        reading->keys++;
        reading->address_is_key |= strcmp(name, "address") == 0;
    }
    if (wanted != NULL && (wanted[0] != '\0' || use[0] != '\0'))
        (void)snprintf(reading->wrong, sizeof reading->wrong,
                       "the column %.40s is %.20s, not %.20s", name, type,
                       wanted[0] != '\0' ? wanted : "one of the schema");
}

static void take_facts(struct sql_table *table, const char *text)
{
    for (size_t i = 0; i < SQL_FACTS; i++) {
        const size_t length = strcspn(text, "\n");

        (void)snprintf(table->facts[i], SQL_FACT_SIZE, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void take(void *context, const char *const *row)
{
    enum { KIND, TABLE, NAME, TYPE, TEXT };
    struct reading *const reading = context;

    if (strcmp(row[TABLE], reading->table->name) != 0)
        return;
    if (strcmp(row[KIND], "column") == 0)
        take_column(reading, row[NAME], row[TYPE], row[TEXT]);
    else if (strcmp(row[KIND], "facts") == 0)
        take_facts(reading->table, row[TEXT]);
    else
        reading->table->triggers = (unsigned)strtoul(row[TEXT], NULL, 10);
}

static int read_table(struct sql_table *table, const struct sql_database *db, struct err *err)
{
    struct reading reading = { .table = table, .dialect = db->dialect };
    const char *const wrong = reading.wrong;
    char missing[SQL_NAME_SIZE];

    if (db->read(db->connection, "looking at the lease table", db->tables, take, &reading, err) !=
        0)
        return -1;
    sql_table_missing(table, true, missing, sizeof missing);
    if (wrong[0] == '\0' && (!reading.address_is_key || reading.keys != 1))
        (void)snprintf(reading.wrong, sizeof reading.wrong,
                       "the column address is not the primary key");
    if (wrong[0] == '\0' && missing[0] == '\0')
        return 0;
    return err_set(err, "%s: %s%s: %s%s", db->store, table->prefix, table->name,
                   wrong[0] != '\0' ? wrong : "it has no ", wrong[0] != '\0' ? "" : missing);
}

/* --- Opening --- */

/* Opens the lease table of a scratch copy. */
static int open_scratch_copy(struct sql_table *table, const struct sql_contents *contents,
                             const struct sql_database *db, const struct store_config *config,
                             const char *fact, struct err *err)
{
    if (read_table(table, db, err) != 0)
        return -1;
    if (config->trips == TRIPS_PROCEDURE)
        return err_usage(err,
                         "--trips=procedure cannot be used in a database with tables that ubench "
                         "did not create; name another database with -f");
    if (strcmp(table->facts[0], fact) != 0)
        return err_usage(err, "%s: %s was not created by ubench and remains %s, not %s: see %s",
                         db->store, contents->lease_table, table->facts[0], fact, db->option);
    if (config->free_list != FREE_LIST_NONE)
        return err_usage(err,
                         "--allocator: %s: ubench creates no free list in a scratch copy; name "
                         "another database with -f",
                         db->store);
    return !config->reservations || contents->has_hosts
               ? 0
               : sql_run(db, "creating ubench_hosts", err, "%s", db->hosts);
}

int sql_open_table(struct sql_table *table, const struct sql_database *db,
                   const struct store_config *config, const char *fact, struct err *err)
{
    struct sql_contents contents;
    const enum sql_owner owner = sql_look(&contents, db, config, err);

    if (owner == SQL_REFUSED)
        return -1;
    sql_table_init(table, config, false);
    table->prefix = db->prefix;
    table->made_by_us = owner != SQL_ITS_OWNER;
    if (config->keep || config->joins)
        return contents.has_leases ? read_table(table, db, err)
                                   : err_set(err, "%s: database %s: it has no table %s", db->store,
                                             config->target, contents.lease_table);
    if (owner == SQL_ITS_OWNER)
        return open_scratch_copy(table, &contents, db, config, fact, err);
    int status = sql_create_tables(&contents, db, config, err);
    if (status == 0)
        status = read_table(table, db, err);
    /* MySQL's enforce_storage_engine and the like replace the engine silently. */
    if (status == 0 && strcmp(table->facts[0], fact) != 0)
        status = err_usage(err, "%s: the server created the table with %s instead of %s",
                           db->option, table->facts[0], fact);
    if (status != 0 && !db->transactional)
        undo(&contents, db, config);
    return status;
}
