/* SPDX-License-Identifier: ISC */
#include "store/statement_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/nearest.h"
#include "core/text.h"
#include "store/sql/session.h"

static const char blanks[] = " \t\r";

/* The state of the reader of a file. */
struct reader {
    struct sql_file *file;
    const struct sql_statements *statements; /* the store's own */
    struct err *err;
    unsigned line;
    struct sql_section *section; /* the section being read; NULL before the first */
    char *end;                   /* end of its SQL so far */
};

/* Sets err to a message about a line.  Returns -1. */
__attribute__((format(printf, 3, 4))) static int refuse(const struct reader *reader, unsigned line,
                                                        const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_usage(reader->err, "--sql: %s:%u: %s", reader->file->path, line, text);
}

/* Writes the names of values, separated by commas. */
static void list_values(const struct sql_statements *statements, const unsigned char *values,
                        size_t count, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        text_append(text, size, "%s%s", i > 0 ? ", " : "",
                    sql_value_name(statements->table->family, values[i]));
}

/* --- Sections --- */

static bool is_setup(const struct sql_section *section)
{
    return strcmp(section->name, SQL_SETUP) == 0;
}

static bool is_teardown(const struct sql_section *section)
{
    return strcmp(section->name, SQL_TEARDOWN) == 0;
}

bool sql_section_is_change(const struct sql_section *section)
{
    return is_setup(section) || is_teardown(section);
}

static const struct sql_statement *find_statement(const struct reader *reader, const char *name)
{
    for (size_t i = 0; i < SQL_STATEMENTS; i++) {
        if (strcmp(reader->statements->items[i].name, name) == 0)
            return &reader->statements->items[i];
    }
    return NULL;
}

/* Refuses the name of a statement that the run does not use, which would seem to be measured. */
static int refuse_name(const struct reader *reader, const struct sql_section *section)
{
    const struct sql_statement *const statement = find_statement(reader, section->name);
    struct nearest nearest = { .typed = section->name };
    const char *const why =
        statement == NULL                     ? ""
        : statement->is == SQL_FIND_IN_SUBNET ? " without --ipv6"
        : statement->is == SQL_ADD_RESERVATION || statement->is == SQL_FIND_RESERVATION
            ? " without --hosts"
        : sql_is_listed(statement->is) ? " without --allocator=shared-flq"
                                       : "";

    (void)refuse(reader, section->head,
                 "'%s' is not a statement of this store%s: --print-sql prints those that are",
                 section->name, why);
    for (size_t i = 0; i < SQL_STATEMENTS; i++) {
        if (reader->statements->items[i].sql[0] != '\0')
            nearest_try(&nearest, reader->statements->items[i].name);
    }
    nearest_try(&nearest, SQL_SETUP);
    nearest_try(&nearest, SQL_TEARDOWN);
    return nearest_add(&nearest, "", reader->err);
}

static int begin_section(struct reader *reader, char *name)
{
    struct sql_file *const file = reader->file;

    if (file->count == SQL_SECTIONS_MAX)
        return refuse(reader, reader->line, "'%s': a file has %d sections at most", name,
                      SQL_SECTIONS_MAX);
    reader->end = strchr(name, ':');
    *reader->end++ = '\0';
    reader->section = &file->sections[file->count];
    *reader->section =
        (struct sql_section){ .name = name, .head = reader->line, .sql = reader->end };
    if (!sql_section_is_change(reader->section)) {
        const struct sql_statement *const statement = find_statement(reader, name);

        if (statement == NULL || statement->sql[0] == '\0')
            return refuse_name(reader, reader->section);
        for (size_t i = 0; i < file->count; i++) {
            if (strcmp(file->sections[i].name, name) == 0)
                return refuse(reader, reader->line,
                              "'%s' also begins in line %u; leave one of them out", name,
                              file->sections[i].head);
        }
    }
    file->count++;
    return 0;
}

/* Returns true if a word after the first one begins with ubench_, quoted or not. */
static bool names_ubench(const char *sql)
{
    const char *at = sql;

    while ((at = strstr(at + 1, "ubench_")) != NULL) {
        if (strchr(" \t\n`\"", at[-1]) != NULL)
            return true;
    }
    return false;
}

/* Checks a change of the schema: it begins with the keyword word, and one of its names begins with
   ubench_, as that of its object has to, by which a later run recognises it if this one is killed.
   The database refuses more than one statement, and the teardown is checked for what is left. */
static int check_change(const struct reader *reader, const char *word)
{
    const struct sql_section *const section = reader->section;
    const size_t length = strlen(word);

    if (strncasecmp(section->sql, word, length) != 0 ||
        strchr(" \t\n", section->sql[length]) == NULL)
        return refuse(reader, section->line, "%s: expected %s and one object", section->name, word);
    return names_ubench(section->sql)
               ? 0
               : refuse(reader, section->line,
                        "%s: expected an object whose name begins with ubench_", section->name);
}

static int check_parameters(const struct reader *reader)
{
    const struct sql_section *const section = reader->section;
    const struct sql_statement *const own = find_statement(reader, section->name);
    const char mark = reader->statements->dialect->mark;
    struct sql_statement candidate = *own;
    char names[512];

    (void)strcpy(candidate.sql, section->sql);
    const int count = sql_statement_find_marks(&candidate, mark);
    if (count >= 0 && (size_t)count == own->param_count)
        return 0;
    list_values(reader->statements, own->params, own->param_count, names, sizeof names);
    if (count < 0)
        return refuse(reader, section->line, "%s: expected parameters as %s, %d of them at most",
                      section->name, mark == '$' ? "$1, $2" : "? alone", SQL_MARKS_MAX);
    return refuse(reader, section->line, "%s: expected %zu parameters, not %d: %s", section->name,
                  own->param_count, count, names);
}

static int end_section(struct reader *reader)
{
    struct sql_section *const section = reader->section;

    if (section == NULL)
        return 0;
    while (reader->end > section->sql && strchr(" \t\r\n;", reader->end[-1]) != NULL)
        reader->end--;
    *reader->end = '\0';
    if (section->sql[0] == '\0')
        return refuse(reader, section->head, "'%s' has no SQL below it", section->name);
    if (is_setup(section))
        return check_change(reader, "CREATE");
    if (is_teardown(section))
        return check_change(reader, "DROP");
    if (strlen(section->sql) >= SQL_STATEMENT_SIZE)
        return refuse(reader, section->line, "%s: the statement has more than %d bytes",
                      section->name, SQL_STATEMENT_SIZE - 1);
    return check_parameters(reader);
}

/* --- Lines --- */

/* Returns true for a line that is a name in the first column and a colon. */
static bool is_head(const char *line)
{
    const size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_");

    return length > 0 && strcmp(line + length, ":") == 0;
}

static bool is_clean(const char *line)
{
    bool clean = true;

    while (*line != '\0' && clean) {
        if (*line == '\t')
            line++;
        else
            line += text_character(line, &clean);
    }
    return clean;
}

static int read_line(struct reader *reader, char *line)
{
    size_t length = strlen(line);

    while (length > 0 && strchr(blanks, line[length - 1]) != NULL)
        line[--length] = '\0';
    if (!is_clean(line))
        return refuse(reader, reader->line, "expected a text in UTF-8 without control characters");
    const char *const begin = line + strspn(line, blanks);
    if (*begin == '\0' || strncmp(begin, "--", 2) == 0)
        return 0;
    if (is_head(line))
        return end_section(reader) == 0 ? begin_section(reader, line) : -1;
    if (reader->section == NULL)
        return refuse(reader, reader->line,
                      "expected the name of a statement and a colon above its SQL, such as "
                      "find_by_address:");
    if (reader->end == reader->section->sql)
        reader->section->line = reader->line;
    /* In place: the text only becomes shorter. */
    length = strlen(begin);
    memmove(reader->end, begin, length);
    reader->end += length;
    *reader->end++ = '\n';
    return 0;
}

/* --- The file --- */

static char *read_text(const char *path, struct err *err)
{
    FILE *const in = fopen(path, "re");
    char *const text = err_calloc(SQL_FILE_MAX + 2, 1, err);

    if (in == NULL || text == NULL) {
        if (in == NULL)
            (void)err_usage(err, "--sql: %s: %s", path, strerror(errno));
        else
            (void)fclose(in);
        free(text);
        return NULL;
    }
    const size_t size = fread(text, 1, SQL_FILE_MAX + 1, in);
    const int why = ferror(in) ? errno : 0;
    (void)fclose(in);
    if (why == 0 && size <= SQL_FILE_MAX && strlen(text) == size)
        return text;
    if (why != 0)
        (void)err_usage(err, "--sql: %s: %s", path, strerror(why));
    else
        (void)err_usage(err, "--sql: %s: expected a text of %d bytes at most", path, SQL_FILE_MAX);
    free(text);
    return NULL;
}

/* Checks that a file is not empty, and that it has both setup and teardown or neither. */
static int check_whole(const struct reader *reader)
{
    const struct sql_file *const file = reader->file;
    size_t created = 0;
    size_t dropped = 0;

    for (size_t i = 0; i < file->count; i++) {
        created += is_setup(&file->sections[i]) ? 1 : 0;
        dropped += is_teardown(&file->sections[i]) ? 1 : 0;
    }
    if (file->count == 0)
        return err_usage(reader->err,
                         "--sql: %s has no statement: --print-sql prints those of this store",
                         file->path);
    return (created > 0) == (dropped > 0)
               ? 0
               : err_usage(reader->err,
                           "--sql: %s has a section %s and none %s: a run drops what it created",
                           file->path, created > 0 ? SQL_SETUP : SQL_TEARDOWN,
                           created > 0 ? SQL_TEARDOWN : SQL_SETUP);
}

int sql_file_read(struct sql_file *file, const char *path, const struct sql_dialect *dialect,
                  const struct store_config *config, struct err *err)
{
    struct sql_table table;
    struct sql_statements statements;
    struct reader reader = { .file = file, .statements = &statements, .err = err };

    sql_table_init(&table, config, true);
    sql_statements_init(&statements, dialect, &table, config);
    *file = (struct sql_file){ .path = path, .text = read_text(path, err) };
    char *rest = file->text;
    int status = rest != NULL ? 0 : -1;
    for (char *line; status == 0 && (line = strsep(&rest, "\n")) != NULL;) {
        reader.line++;
        status = read_line(&reader, line);
    }
    if (status == 0 && end_section(&reader) == 0 && check_whole(&reader) == 0)
        return 0;
    sql_file_release(file);
    return -1;
}

void sql_file_release(struct sql_file *file)
{
    free(file->text);
    *file = (struct sql_file){ .count = 0 };
}

bool sql_file_has_setup(const struct sql_file *file)
{
    bool has = false;

    for (size_t i = 0; i < file->count && !has; i++)
        has = is_setup(&file->sections[i]);
    return has;
}

/* --- Printing --- */

/* Prints words in lines that begin with before and end by column 96, except for longer words. */
static void print_words(FILE *out, const char *before, const char *text)
{
    enum { WIDTH = 96 };
    size_t column = 0;

    while (*text != '\0') {
        const size_t length = strcspn(text, " ");

        if (column > 0 && column + 1 + length > WIDTH) {
            (void)fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, "%s%.*s", column > 0 ? " " : before, (int)length, text);
        text += length + (text[length] == ' ');
    }
    (void)fputc('\n', out);
}

static void print_values(const struct sql_statements *statements, const char *what,
                         const unsigned char *values, size_t count, FILE *out)
{
    char names[512];
    char text[sizeof names + 32];

    if (count == 0)
        return;
    list_values(statements, values, count, names, sizeof names);
    (void)snprintf(text, sizeof text, "%s: %s", what, names);
    print_words(out, "-- ", text);
}

void sql_file_print(const struct sql_dialect *dialect, const struct store_config *config, FILE *out)
{
    struct sql_table table;
    struct sql_statements statements;

    sql_table_init(&table, config, true);
    sql_statements_init(&statements, dialect, &table, config);
    (void)fprintf(out,
                  "-- Statements of %s_ubench for %s, --schema=%s.\n"
                  "-- Keep those that you change, with the same parameters and columns.\n",
                  dialect->store, table.name, sql_schema_name(config->schema));
    for (size_t i = 0; i < SQL_STATEMENTS; i++) {
        const struct sql_statement *const statement = &statements.items[i];

        if (statement->sql[0] == '\0')
            continue;
        (void)fputc('\n', out);
        print_values(&statements, "parameters", statement->params, statement->param_count, out);
        print_values(&statements, "columns", statement->columns, statement->column_count, out);
        (void)fprintf(out, "%s:\n", statement->name);
        print_words(out, "    ", statement->sql);
    }
}
