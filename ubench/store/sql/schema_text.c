/* SPDX-License-Identifier: ISC */
#include "store/sql/schema_text.h"

#include <stdio.h>
#include <string.h>

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* Passes over a word, if it stands there. */
static bool skip(const char **at, const char *word)
{
    const size_t length = strlen(word);
    const bool there = strncmp(*at, word, length) == 0;

    *at += there ? length : 0;
    return there;
}

/* Passes over the beginning of a statement that makes something. */
static bool skip_kind(const char **at, enum sql_what *what)
{
    static const struct {
        const char *word;
        enum sql_what what;
    } kinds[] = {
        { "TABLE ", SQL_RELATION },    { "INDEX ", SQL_INDEX },
        { "TRIGGER ", SQL_TRIGGER },   { "FUNCTION ", SQL_ROUTINE },
        { "PROCEDURE ", SQL_ROUTINE },
    };
    const bool create = skip(at, "CREATE ");

    if (create && !skip(at, "OR REPLACE "))
        (void)skip(at, "UNIQUE ");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *what = kinds[i].what;
        if ((create || *what == SQL_INDEX) && skip(at, kinds[i].word)) {
            (void)skip(at, "IF NOT EXISTS ");
            return true;
        }
    }
    return false;
}

bool schema_text_next(const char **at, struct sql_made *made)
{
    while (**at != '\0') {
        if (skip_kind(at, &made->what)) {
            const size_t length = strspn(*at, name_letters);

            (void)snprintf(made->name, sizeof made->name, "%.*s", (int)length,
                           *at);
            *at += length;
            made->text = *at;
            return true;
        }
        *at += **at != '\0';
    }
    return false;
}

const char *schema_text_find(const char *schema, enum sql_what what,
                             const char *name)
{
    struct sql_made made;

    while (schema_text_next(&schema, &made)) {
        if (made.what == what && strcmp(made.name, name) == 0)
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

/* Writes one of the names that is not among the others. */
static void find_missing(const char *names, const char *others,
                         char missing[static SQL_OBJECT_SIZE])
{
    for (names++; *names != '\0'; names += strcspn(names, " ") + 1) {
        char name[SQL_OBJECT_SIZE + 2];

        (void)snprintf(name, sizeof name, " %.*s ", (int)strcspn(names, " "),
                       names);
        if (strstr(others, name) == NULL)
            (void)snprintf(missing, SQL_OBJECT_SIZE, "%.*s",
                           (int)strcspn(names, " "), names);
    }
}

bool schema_text_has_columns(const char *text, const char *columns,
                             char odd[static SQL_OBJECT_SIZE])
{
    static const char begin[] = "\n    ";
    const char *const end = strstr(text, "\n)");
    char made[SQL_NAMES_SIZE] = " ";
    size_t length = 1;

    for (const char *line = strstr(text, begin); line != NULL && line < end;
         line = strstr(line + 1, begin)) {
        const char *const name = line + sizeof begin - 1;
        const int size = (int)strspn(name, name_letters);

        if (size > 0 && length < sizeof made)
            length += (size_t)snprintf(made + length, sizeof made - length,
                                       "%.*s ", size, name);
    }
    odd[0] = '\0';
    find_missing(made, columns, odd);
    find_missing(columns, made, odd);
    return odd[0] == '\0';
}
