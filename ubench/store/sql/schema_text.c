/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

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
            const size_t length = strspn(name, name_letters);
            (void)snprintf(made->name, sizeof made->name, "%.*s", (int)length,
                           name);
            made->what = beginnings[i].what;
            made->text = *at = name + length;
            return true;
        }
    }
    return false;
}

const char *schema_text_find(const char *schema, enum sql_what what,
                             const char *name)
{
    struct sql_made made;

    while (schema_text_next(&schema, &made)) {
        if (made.what == what && strcasecmp(made.name, name) == 0)
            return made.text;
    }
    return NULL;
}

bool schema_text_defines(const char *text, const char *definition)
{
    const char *const end = strstr(text, "CREATE ");
    const char *const found =
        definition[0] != '\0' ? strstr(text, definition) : NULL;

    return found != NULL && (end == NULL || found < end);
}

void sql_names_add(char names[static SQL_NAMES_SIZE], const char *name)
{
    const size_t length = strlen(names);

    (void)snprintf(names + length, SQL_NAMES_SIZE - length, "%s%s ",
                   length == 0 ? " " : "", name);
}

void sql_names_missing(const char *names, const char *others,
                       char missing[static SQL_OBJECT_SIZE])
{
    char name[SQL_OBJECT_SIZE + 2];
    int length;

    missing[0] = '\0';
    for (; *names != '\0' && names[1] != '\0'; names += length + 1) {
        length = (int)strcspn(names + 1, " ");
        (void)snprintf(name, sizeof name, "%.*s", length + 2, names);
        if (strstr(others, name) == NULL)
            (void)snprintf(missing, SQL_OBJECT_SIZE, "%.*s", length, names + 1);
    }
}

void schema_text_odd_column(const char *text, const char *columns,
                            char odd[static SQL_OBJECT_SIZE])
{
    static const char begin[] = "\n    ";
    const char *const end = strstr(text, "\n)");
    char made[SQL_NAMES_SIZE] = "";
    char name[SQL_OBJECT_SIZE];

    for (const char *line = strstr(text, begin); line != NULL && line < end;
         line = strstr(line + 1, begin)) {
        if (sscanf(line + sizeof begin - 1, "%64[a-z0-9_]", name) == 1)
            sql_names_add(made, name);
    }
    sql_names_missing(made, columns, odd);
    if (odd[0] == '\0')
        sql_names_missing(columns, made, odd);
}
