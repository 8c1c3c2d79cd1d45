/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <stdio.h>
#include <string.h>

enum { KIND, NAME, DEFINITION, BEFORE }; /* of a row; BEFORE: the marker's definition */

enum {
    TEXT_SIZE = 512,
    SHORT_ENOUGH = 80, /* of a definition in a message */
};

static void take_text(void *context, const char *const *row)
{
    (void)snprintf(context, SQL_NAME_SIZE, "%s", row[0]);
}

/* Describes an object that ubench did not create, or that has changed since. */
static void take_change(void *context, const char *const *row)
{
    const char *const is = row[DEFINITION] != NULL ? row[DEFINITION] : "";
    const char *const was = row[BEFORE];
    const bool is_short = strlen(is) < SHORT_ENOUGH && strchr(is, '\n') == NULL;

    if (was == NULL)
        (void)snprintf(context, TEXT_SIZE, "ubench did not create the %s %s", row[KIND], row[NAME]);
    else if (is_short && strlen(was) < SHORT_ENOUGH)
        (void)snprintf(context, TEXT_SIZE, "the %s %s was changed to %s from %s", row[KIND],
                       row[NAME], is, was);
    else
        (void)snprintf(context, TEXT_SIZE, "the %s %s was changed", row[KIND], row[NAME]);
}

static enum sql_owner refuse(const struct sql_database *db, const struct store_config *config,
                             const char *found, struct err *err)
{
    (void)err_set(err, "%s: database %s: %s; ubench changed nothing: name another database with -f",
                  db->store, config->target, found);
    return SQL_REFUSED;
}

/* Compares the database with the marker's list or, without a list, checks the marks. */
static enum sql_owner compare(const struct sql_contents *contents, const struct sql_database *db,
                              const struct store_config *config, struct err *err)
{
    static const char action[] = "comparing the database with ubench_marker";
    char change[TEXT_SIZE] = "";
    char server[SQL_NAME_SIZE] = "";

    if (sql_ask(db, action, take_change, change, err,
                "SELECT listed.kind, listed.name, listed.definition, kept.definition"
                " FROM (%s) AS listed"
                " LEFT JOIN %s AS kept ON kept.kind = listed.kind AND kept.name = listed.name"
                " WHERE listed.kind <> 'server' AND"
                " CASE WHEN EXISTS (SELECT 1 FROM %s WHERE kind IS NOT NULL)"
                " THEN kept.definition IS NULL OR kept.definition <> listed.definition"
                " ELSE listed.mark <> 'ubench' END"
                " ORDER BY kept.definition IS NULL DESC, listed.kind DESC, listed.name LIMIT 1",
                db->catalogue, contents->marker, contents->marker) != 0 ||
        sql_ask(db, action, take_text, server, err,
                "SELECT definition FROM %s WHERE kind = 'server'", contents->marker) != 0)
        return SQL_REFUSED;
    if (change[0] == '\0')
        return SQL_UBENCH;
    (void)refuse(db, config, change, err);
    if (strcmp(server, contents->server) == 0)
        return SQL_REFUSED;
    if (server[0] == '\0')
        err_add(err, "; a run was killed while it created its tables");
    else
        err_add(err, "; the server was upgraded from version %s to %s", server, contents->server);
    err_add(err, "; if nothing in the database is yours, create it again: %s", db->again);
    return SQL_REFUSED;
}

/* Checks a scratch copy for tables that would lose rows with the lease table, and for names that
   ubench uses. */
static enum sql_owner check_scratch(const struct sql_contents *contents,
                                    const struct sql_database *db,
                                    const struct store_config *config, struct err *err)
{
    char change[TEXT_SIZE] = "";

    if (sql_ask(db, "looking for tables", take_change, change, err,
                "SELECT kind, name, definition, NULL FROM (%s) AS listed"
                " WHERE refers = '%s' OR mark = 'named' ORDER BY kind DESC, name LIMIT 1",
                db->catalogue, sql_table_name(config->family)) != 0)
        return SQL_REFUSED;
    if (change[0] == '\0' && !contents->has_leases)
        (void)snprintf(change, sizeof change, "it has no table %s", contents->lease_table);
    else if (change[0] == '\0' && config->schema != SCHEMA_KEA && !config->keep)
        (void)snprintf(change, sizeof change,
                       "%s was not created by ubench; it can only be used with --schema kea",
                       contents->lease_table);
    return change[0] == '\0' ? SQL_ITS_OWNER : refuse(db, config, change, err);
}

/* Identifies the owner of a marker without a list: an owner's, that of an earlier version, or not a
   marker. */
static enum sql_owner read_owner(const struct sql_contents *contents, const struct sql_database *db,
                                 const struct store_config *config, struct err *err)
{
    char says[SQL_NAME_SIZE] = "";
    char found[2 * TEXT_SIZE];

    /* The query orders rows that do not permit the use first. */
    if ((contents->has_lease4 || contents->has_lease6) &&
        sql_ask(db, "reading ubench_marker", take_text, says, err,
                "SELECT says FROM (SELECT %s AS says FROM %s UNION SELECT %s FROM %s) AS marker"
                " WHERE says <> '' ORDER BY says = '" SQL_SCRATCH "', says LIMIT 1",
                contents->has_lease4 ? "lease4" : "lease6", contents->marker,
                contents->has_lease6 ? "lease6" : "lease4", contents->marker) != 0)
        return SQL_REFUSED;
    if (strcmp(says, SQL_SCRATCH) == 0 && db->scratch != NULL)
        return check_scratch(contents, db, config, err);
    (void)snprintf(
        found, sizeof found, "an earlier version of ubench, or somebody else, created %s%s%s%s",
        contents->marker, says[0] != '\0' ? " (it has '" : "", says, says[0] != '\0' ? "')" : "");
    (void)refuse(db, config, found, err);
    err_add(err, ", or, if nothing in this one is yours, create it again: %s", db->again);
    return SQL_REFUSED;
}

static void take_object(void *context, const char *const *row)
{
    struct sql_contents *const contents = context;
    const size_t length = strlen(contents->marker);
    const bool is_marker = strncmp(row[NAME], contents->marker, length) == 0;
    const bool is_lease_table = strcmp(row[NAME], contents->lease_table) == 0;

    if (strcmp(row[KIND], "server") == 0) {
        (void)snprintf(contents->server, sizeof contents->server, "%s", row[DEFINITION]);
    } else if (is_marker && row[NAME][length] == '.') {
        const char *const column = strcmp(row[KIND], "column") == 0 ? row[NAME] + length + 1 : "";
        contents->has_list |= strcmp(column, "definition") == 0;
        contents->has_lease4 |= strcmp(column, "lease4") == 0;
        contents->has_lease6 |= strcmp(column, "lease6") == 0;
    } else if (is_marker && row[NAME][length] == '\0') {
        contents->has_marker = true;
    } else {
        contents->has_leases |= is_lease_table && strcmp(row[KIND], "table") == 0;
        contents->has_hosts |= strcmp(row[NAME], contents->hosts) == 0;
        if (contents->other[0] == '\0' || is_lease_table)
            (void)snprintf(contents->other, sizeof contents->other, "%s", row[NAME]);
    }
}

enum sql_owner sql_look(struct sql_contents *contents, const struct sql_database *db,
                        const struct store_config *config, struct err *err)
{
    const char *const table = sql_table_name(config->family);
    char found[2 * TEXT_SIZE];

    *contents = (struct sql_contents){ .has_leases = false };
    (void)snprintf(contents->lease_table, SQL_NAME_SIZE, "%s%s", db->prefix, table);
    (void)snprintf(contents->marker, SQL_NAME_SIZE, "%subench_marker", db->prefix);
    (void)snprintf(contents->hosts, SQL_NAME_SIZE, "%subench_hosts", db->prefix);
    /* The LIMIT overrides MySQL's sql_select_limit. */
    if (sql_ask(db, "looking for tables", take_object, contents, err,
                "SELECT kind, name, definition FROM (%s) AS listed"
                " ORDER BY kind <> 'table', kind DESC, name LIMIT 1000000",
                db->catalogue) != 0)
        return SQL_REFUSED;
    if (contents->has_list)
        return compare(contents, db, config, err);
    if (contents->has_marker)
        return read_owner(contents, db, config, err);
    if (contents->other[0] == '\0')
        return SQL_NOBODY;
    (void)snprintf(found, sizeof found, "it has %s and no table %s", contents->other,
                   contents->marker);
    (void)refuse(db, config, found, err);
    if (contents->has_leases && db->scratch != NULL)
        err_add(err,
                ", or, to let ubench delete its leases, run: %s AS SELECT '" SQL_SCRATCH "' AS %s",
                db->scratch, table);
    return SQL_REFUSED;
}

int sql_list_objects(const struct sql_contents *contents, const struct sql_database *db,
                     struct err *err)
{
    return sql_run(db, "writing ubench_marker", err,
                   "INSERT INTO %s (kind, name, definition)"
                   " SELECT kind, name, definition FROM (%s) AS listed"
                   " WHERE mark = 'ubench' OR kind = 'server'%s",
                   contents->marker, db->catalogue, db->locked ? " OR 1 = 1" : "");
}
