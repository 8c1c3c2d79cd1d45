/* SPDX-License-Identifier: ISC */
#include "store/sql/candidates.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "store/sql/ownership.h"

/* Labels a section for errors by file and line: "--sql: FILE:12: setup". */
static void label_section(const struct sql_file *file, const struct sql_section *section,
                          char label[static SQL_LABEL_SIZE])
{
    (void)snprintf(label, SQL_LABEL_SIZE, "--sql: %.100s:%u: %s", file->path, section->line,
                   section->name);
}

/* Runs the sections of that name in order, until one fails or, if asked, all of them.  Returns 0,
   or -1 with the first error. */
static int run_sections(const struct sql_statements *statements, struct connection *connection,
                        const struct sql_file *file, const char *name, bool all, struct err *err)
{
    int status = 0;

    for (size_t i = 0; i < file->count && (status == 0 || all); i++) {
        const struct sql_section *const section = &file->sections[i];
        char label[SQL_LABEL_SIZE];
        struct err failure;

        if (strcmp(section->name, name) != 0)
            continue;
        label_section(file, section, label);
        if (statements->dialect->change(connection, label, section->sql, &failure) == 0)
            continue;
        if (status == 0)
            *err = failure;
        status = -1;
    }
    return status;
}

/* --- What is in the database --- */

enum { OBJECTS_MAX = 4096 };

/* The objects of a database, each by a hash of its row (store/sql/ownership.h). */
struct sql_objects {
    size_t count;
    bool too_many; /* there are more than these */
    uint64_t hashes[OBJECTS_MAX];
    const struct sql_objects *before; /* to compare with; may be NULL */
    size_t known;                     /* number of objects that existed before */
    char added[SQL_NAME_SIZE];        /* the first new object, in words; or "" */
};

static uint64_t hash_object(const char *const *row)
{
    enum { COLUMNS = 5 };
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (size_t i = 0; i < COLUMNS; i++) {
        const char *const text = row[i] != NULL ? row[i] : "";

        for (size_t k = 0; k <= strlen(text); k++)
            hash = (hash ^ (unsigned char)text[k]) * UINT64_C(1099511628211);
    }
    return hash;
}

static bool has_object(const struct sql_objects *objects, uint64_t hash)
{
    bool has = false;

    for (size_t i = 0; i < objects->count && !has; i++)
        has = objects->hashes[i] == hash;
    return has;
}

static void take_object(void *context, const char *const *row)
{
    struct sql_objects *const objects = context;
    const uint64_t hash = hash_object(row);

    objects->too_many = objects->count == OBJECTS_MAX;
    if (objects->too_many)
        return;
    objects->hashes[objects->count++] = hash;
    if (objects->before == NULL)
        return;
    if (has_object(objects->before, hash))
        objects->known++;
    else if (objects->added[0] == '\0' && strcmp(row[0], "column") != 0)
        (void)snprintf(objects->added, sizeof objects->added, "%.40s %.200s", row[0], row[1]);
}

/* Lists all objects, and compares them with those before, if given.  NULL with err on failure. */
static struct sql_objects *list_objects(const struct sql_statements *statements,
                                        struct connection *connection,
                                        const struct sql_objects *before, struct err *err)
{
    struct sql_objects *const objects = err_calloc(1, sizeof *objects, err);

    if (objects == NULL)
        return NULL;
    objects->before = before;
    if (statements->dialect->rows(connection, "listing the objects",
                                  *statements->dialect->catalogue, take_object, objects,
                                  err) == 0 &&
        !objects->too_many)
        return objects;
    if (objects->too_many)
        (void)err_set(err,
                      "%s: --sql: the database has more than %d objects, too many to compare; name "
                      "another database with -f",
                      statements->dialect->store, OBJECTS_MAX);
    free(objects);
    return NULL;
}

/* --- Comparing a candidate with the store's own statement --- */

struct comparison {
    const struct sql_statements *statements;
    const struct sql_statement *own;
    const struct sql_statement *candidate;
    struct sql_shape wanted;
    struct sql_shape found;
    struct err *err;
};

static int refuse_count(const struct comparison *comparison, const char *what, size_t found,
                        size_t wanted)
{
    return err_usage(comparison->err, "%s: %s: expected %zu %s, not %zu",
                     comparison->statements->dialect->store, comparison->candidate->label, wanted,
                     what, found);
}

/* Compares the types of a parameter or column, if the database knows them. */
static int compare_type(const struct comparison *comparison, const char *what, size_t number,
                        unsigned value, const char *found, const char *wanted)
{
    if (found[0] == '\0' || wanted[0] == '\0' || strcmp(found, wanted) == 0 ||
        comparison->statements->table->kinds[value] == SQL_UNUSED)
        return 0;
    return err_usage(comparison->err, "%s: %s: %s %zu (%s) is %s; expected %s",
                     comparison->statements->dialect->store, comparison->candidate->label, what,
                     number, sql_value_name(comparison->statements->table->family, value), found,
                     wanted);
}

static int compare(const struct comparison *comparison)
{
    const struct sql_statement *const own = comparison->own;
    const struct sql_shape *const found = &comparison->found;
    const bool may_give_rows =
        own->column_count == 0 && comparison->statements->dialect->counts_rows;

    if (found->param_count != own->param_count)
        return refuse_count(comparison, "parameters", found->param_count, own->param_count);
    if (found->column_count != own->column_count && !may_give_rows)
        return refuse_count(comparison, "columns", found->column_count, own->column_count);
    for (size_t i = 0; i < own->param_count; i++) {
        if (compare_type(comparison, "parameter", i + 1, own->params[i], found->params[i],
                         comparison->wanted.params[i]) != 0)
            return -1;
    }
    for (size_t i = 0; i < own->column_count; i++) {
        if (compare_type(comparison, "column", i + 1, own->columns[i], found->columns[i],
                         comparison->wanted.columns[i]) != 0)
            return -1;
    }
    return 0;
}

/* Replaces the statement's text by the file's, and labels it with file and line for errors. */
static void replace_text(struct sql_statement *statement, const struct sql_dialect *dialect,
                         const struct sql_file *file, const struct sql_section *section)
{
    label_section(file, section, statement->label);
    (void)snprintf(statement->sql, sizeof statement->sql, "%s", section->sql);
    (void)sql_statement_find_marks(statement, dialect->mark);
    statement->calls = strncasecmp(statement->sql, "CALL", 4) == 0;
}

static int try_statement(struct sql_statements *statements, struct connection *connection,
                         const struct sql_file *file, const struct sql_section *section,
                         struct err *err)
{
    const struct sql_dialect *const dialect = statements->dialect;
    struct sql_statement *statement = statements->items;

    while (strcmp(statement->name, section->name) != 0)
        statement++;
    const struct sql_statement own = *statement;
    struct comparison comparison = {
        .statements = statements, .own = &own, .candidate = statement, .err = err
    };
    replace_text(statement, dialect, file, section);
    if (dialect->describe(connection, &own, &comparison.wanted, err) != 0)
        return -1;
    return dialect->describe(connection, statement, &comparison.found, err) == 0
               ? compare(&comparison)
               : -1;
}

/* --- A run --- */

/* Checks that the database has the objects it had before.  Returns 0, or -1 with err. */
static int check_left(const struct sql_statements *statements, struct connection *connection,
                      const char *path, struct err *err)
{
    struct sql_objects *const now = list_objects(statements, connection, statements->before, err);
    int status = now != NULL ? 0 : -1;

    if (status == 0 && now->added[0] != '\0')
        status = err_set(err, "%s: --sql: %s: " SQL_TEARDOWN " left %s: drop it by hand",
                         statements->dialect->store, path, now->added);
    else if (status == 0 && now->known < statements->before->count)
        status = err_set(
            err, "%s: --sql: %s: " SQL_TEARDOWN " dropped what " SQL_SETUP " had not created",
            statements->dialect->store, path);
    free(now);
    return status;
}

/* Creates the objects of the file.  Returns 0, or -1 with err; call sql_candidates_close after
   both. */
static int set_up(struct sql_statements *statements, struct connection *connection,
                  const struct store_config *config, struct err *err)
{
    const struct sql_file *const file = config->statements;

    if (!sql_file_has_setup(file))
        return 0;
    if (!statements->table->made_by_us)
        return err_usage(err,
                         "--sql: %s: a section setup cannot be used in a database with tables that "
                         "ubench did not create; name another database with -f",
                         file->path);
    statements->before = list_objects(statements, connection, NULL, err);
    return statements->before != NULL
               ? run_sections(statements, connection, file, SQL_SETUP, false, err)
               : -1;
}

int sql_candidates_open(struct sql_statements *statements, struct connection *connection,
                        const struct store_config *config, struct err *err)
{
    const struct sql_file *const file = config->statements;

    if (file == NULL)
        return 0;
    int status = set_up(statements, connection, config, err);
    for (size_t i = 0; i < file->count && status == 0; i++) {
        if (!sql_section_is_change(&file->sections[i]))
            status = try_statement(statements, connection, file, &file->sections[i], err);
    }
    statements->set_up = status == 0;
    if (status != 0 && err->kind == ERR_OTHER)
        err->kind = ERR_USAGE;
    return status;
}

int sql_candidates_close(struct sql_statements *statements, struct connection *connection,
                         const struct store_config *config, struct err *err)
{
    if (statements->before == NULL)
        return 0;
    const struct sql_file *const file = config->statements;
    int status = run_sections(statements, connection, file, SQL_TEARDOWN, true, err);
    /* Objects that were not created cannot be dropped: then only what is left counts. */
    if (status == 0 || (!statements->set_up && err->kind != ERR_TIMEOUT))
        status = check_left(statements, connection, file->path, err);
    if (status == 0) {
        free(statements->before);
        statements->before = NULL;
    }
    return status;
}
