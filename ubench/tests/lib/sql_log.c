// SPDX-License-Identifier: ISC
// Writes each SQL text that a runner sends into the file that $UBENCH_SQL_LOG
// names, a line each: what is done with it (prepare, run or text), a tab and
// the text, with white space as single blanks.  Preloaded, so that it sees what
// a store does through the functions of its client library, whatever its own
// code looks like: SQLite, MariaDB's or MySQL's library, and libpq.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for RTLD_NEXT
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What was prepared: `owner` is the statement, or libpq's connection, in which
// `name` tells statements apart.
struct prepared {
    const void *owner;
    char *name;
    char *text;
    struct prepared *next;
};

// A library may call its own functions by name; the store did not.
static _Thread_local bool inside;

static struct prepared *all_prepared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The library's own function of that name, into `function`.
static void find_next(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL)
        abort();
    memcpy(function, &symbol, sizeof symbol);
}

#define NEXT(result, name, ...)  \
    result (*next)(__VA_ARGS__); \
    find_next(&next, #name)

#define FORWARD(type, call)         \
    const bool was_inside = inside; \
    inside = true;                  \
    type const answer = call;       \
    inside = was_inside;            \
    return answer

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Appends `text` to `line`, `used` bytes long: without comments, and with white
// space as single blanks; returns how long it is.
static size_t append_text(char *line, size_t used, const char *text, size_t length)
{
    bool in_comment = false, in_quotes = false;
    for (size_t i = 0; i < length && text[i] != '\0'; i++) {
        if (text[i] == '\'')
            in_quotes = !in_quotes && !in_comment;
        if (text[i] == '\n')
            in_comment = false;
        else if (!in_quotes && i + 1 < length && text[i] == '-' && text[i + 1] == '-')
            in_comment = true;
        if (!in_comment && !is_space(text[i]))
            line[used++] = text[i];
        else if (!in_comment && !is_space(line[used - 1]))
            line[used++] = ' ';
    }
    return used;
}

// In one write, since threads share the file.  `values` are parameters, or
// NULL.
static void log_text(const char *what, const char *text, size_t length, int count,
                     const char *const *values)
{
    const char *path = getenv("UBENCH_SQL_LOG");
    if (path == NULL || inside)
        return;
    size_t size = length + 20;
    for (int i = 0; i < count; i++)
        size += values[i] == NULL ? 10 : strlen(values[i]) + 10;
    char *line = malloc(size);
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (line == NULL || fd < 0)
        abort();
    size_t used = (size_t)sprintf(line, "%s\t", what);
    used = append_text(line, used, text, length);
    for (int i = 0; i < count; i++)
        used += (size_t)sprintf(line + used, "%s%s", i == 0 ? " <- " : ", ",
                                values[i] == NULL ? "NULL" : values[i]);
    line[used++] = '\n';
    if (write(fd, line, used) != (ssize_t)used)
        abort();
    close(fd);
    free(line);
}

static size_t length_of(const char *text, long length)
{
    return length < 0 ? strlen(text) : (size_t)length;
}

static struct prepared *find_prepared(const void *owner, const char *name)
{
    struct prepared *p = all_prepared;
    while (p != NULL && (p->owner != owner || strcmp(p->name, name) != 0))
        p = p->next;
    return p;
}

static void log_prepare(const void *owner, const char *name, const char *text, size_t length)
{
    log_text("prepare", text, length, 0, NULL);
    pthread_mutex_lock(&lock);
    struct prepared *p = find_prepared(owner, name);
    if (p == NULL) {
        p = calloc(1, sizeof *p);
        if (p == NULL)
            abort();
        p->owner = owner;
        p->name = strdup(name);
        p->next = all_prepared;
        all_prepared = p;
    }
    free(p->text);
    p->text = strndup(text, length);
    pthread_mutex_unlock(&lock);
}

static void log_run(const void *owner, const char *name)
{
    pthread_mutex_lock(&lock);
    const struct prepared *p = find_prepared(owner, name);
    const char *text = p == NULL ? "(never prepared)" : p->text;
    log_text("run", text, strlen(text), 0, NULL);
    pthread_mutex_unlock(&lock);
}

// ---- SQLite: a statement runs when it is stepped first ----

int sqlite3_prepare_v2(void *db, const char *sql, int length, void **statement, const char **tail);
int sqlite3_prepare_v3(void *db, const char *sql, int length, unsigned flags, void **statement,
                       const char **tail);
int sqlite3_step(void *statement);
int sqlite3_exec(void *db, const char *sql, void *callback, void *data, char **error);

int sqlite3_prepare_v2(void *db, const char *sql, int length, void **statement, const char **tail)
{
    NEXT(int, sqlite3_prepare_v2, void *, const char *, int, void **, const char **);
    log_text("prepare", sql, length_of(sql, length), 0, NULL);
    FORWARD(int, next(db, sql, length, statement, tail));
}

int sqlite3_prepare_v3(void *db, const char *sql, int length, unsigned flags, void **statement,
                       const char **tail)
{
    NEXT(int, sqlite3_prepare_v3, void *, const char *, int, unsigned, void **, const char **);
    log_text("prepare", sql, length_of(sql, length), 0, NULL);
    FORWARD(int, next(db, sql, length, flags, statement, tail));
}

int sqlite3_step(void *statement)
{
    NEXT(int, sqlite3_step, void *);
    int (*is_busy)(void *);
    const char *(*text_of)(void *);
    find_next(&is_busy, "sqlite3_stmt_busy");
    find_next(&text_of, "sqlite3_sql");
    if (!inside && !is_busy(statement)) {
        const char *text = text_of(statement);
        log_text("run", text, strlen(text), 0, NULL);
    }
    FORWARD(int, next(statement));
}

int sqlite3_exec(void *db, const char *sql, void *callback, void *data, char **error)
{
    NEXT(int, sqlite3_exec, void *, const char *, void *, void *, char **);
    log_text("text", sql, strlen(sql), 0, NULL);
    FORWARD(int, next(db, sql, callback, data, error));
}

// ---- MariaDB's and MySQL's library ----

int mysql_query(void *link, const char *sql);
int mysql_real_query(void *link, const char *sql, unsigned long length);
int mysql_stmt_prepare(void *statement, const char *sql, unsigned long length);
int mysql_stmt_execute(void *statement);
int mysql_set_character_set(void *link, const char *name);

int mysql_query(void *link, const char *sql)
{
    NEXT(int, mysql_query, void *, const char *);
    log_text("text", sql, strlen(sql), 0, NULL);
    FORWARD(int, next(link, sql));
}

int mysql_real_query(void *link, const char *sql, unsigned long length)
{
    NEXT(int, mysql_real_query, void *, const char *, unsigned long);
    log_text("text", sql, length, 0, NULL);
    FORWARD(int, next(link, sql, length));
}

// What it sends is seen in libraries that call their own functions by name, not
// in those that are linked with -Bsymbolic-functions.
int mysql_set_character_set(void *link, const char *name)
{
    NEXT(int, mysql_set_character_set, void *, const char *);
    char sql[64];
    const int length = snprintf(sql, sizeof sql, "SET NAMES %s", name);
    log_text("text", sql, (size_t)length, 0, NULL);
    FORWARD(int, next(link, name));
}
int mysql_stmt_prepare(void *statement, const char *sql, unsigned long length)
{
    NEXT(int, mysql_stmt_prepare, void *, const char *, unsigned long);
    log_prepare(statement, "", sql, length);
    FORWARD(int, next(statement, sql, length));
}

int mysql_stmt_execute(void *statement)
{
    NEXT(int, mysql_stmt_execute, void *);
    log_run(statement, "");
    FORWARD(int, next(statement));
}

// ---- libpq ----

void *PQexec(void *link, const char *sql);
void *PQexecParams(void *link, const char *sql, int count, const unsigned *types,
                   const char *const *values, const int *lengths, const int *formats, int format);
void *PQprepare(void *link, const char *name, const char *sql, int count, const unsigned *types);
void *PQexecPrepared(void *link, const char *name, int count, const char *const *values,
                     const int *lengths, const int *formats, int format);
int PQsendQuery(void *link, const char *sql);
int PQsendQueryParams(void *link, const char *sql, int count, const unsigned *types,
                      const char *const *values, const int *lengths, const int *formats,
                      int format);
int PQsendPrepare(void *link, const char *name, const char *sql, int count, const unsigned *types);
int PQsendQueryPrepared(void *link, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats, int format);

void *PQexec(void *link, const char *sql)
{
    NEXT(void *, PQexec, void *, const char *);
    log_text("text", sql, strlen(sql), 0, NULL);
    FORWARD(void *, next(link, sql));
}

void *PQexecParams(void *link, const char *sql, int count, const unsigned *types,
                   const char *const *values, const int *lengths, const int *formats, int format)
{
    NEXT(void *, PQexecParams, void *, const char *, int, const unsigned *, const char *const *,
         const int *, const int *, int);
    log_text("text", sql, strlen(sql), count, values);
    FORWARD(void *, next(link, sql, count, types, values, lengths, formats, format));
}

void *PQprepare(void *link, const char *name, const char *sql, int count, const unsigned *types)
{
    NEXT(void *, PQprepare, void *, const char *, const char *, int, const unsigned *);
    log_prepare(link, name, sql, strlen(sql));
    FORWARD(void *, next(link, name, sql, count, types));
}

void *PQexecPrepared(void *link, const char *name, int count, const char *const *values,
                     const int *lengths, const int *formats, int format)
{
    NEXT(void *, PQexecPrepared, void *, const char *, int, const char *const *, const int *,
         const int *, int);
    log_run(link, name);
    FORWARD(void *, next(link, name, count, values, lengths, formats, format));
}

int PQsendQuery(void *link, const char *sql)
{
    NEXT(int, PQsendQuery, void *, const char *);
    log_text("text", sql, strlen(sql), 0, NULL);
    FORWARD(int, next(link, sql));
}

int PQsendQueryParams(void *link, const char *sql, int count, const unsigned *types,
                      const char *const *values, const int *lengths, const int *formats, int format)
{
    NEXT(int, PQsendQueryParams, void *, const char *, int, const unsigned *, const char *const *,
         const int *, const int *, int);
    log_text("text", sql, strlen(sql), count, values);
    FORWARD(int, next(link, sql, count, types, values, lengths, formats, format));
}

int PQsendPrepare(void *link, const char *name, const char *sql, int count, const unsigned *types)
{
    NEXT(int, PQsendPrepare, void *, const char *, const char *, int, const unsigned *);
    log_prepare(link, name, sql, strlen(sql));
    FORWARD(int, next(link, name, sql, count, types));
}

int PQsendQueryPrepared(void *link, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats, int format)
{
    NEXT(int, PQsendQueryPrepared, void *, const char *, int, const char *const *, const int *,
         const int *, int);
    log_run(link, name);
    FORWARD(int, next(link, name, count, values, lengths, formats, format));
}
