/* SPDX-License-Identifier: ISC */
/*
 * A loss of known kind for a runner that is started with this library: what a
 * duel has to find (docs/statistics.md).
 *
 *   BURN_NS=N      processor time, N ns for each reading of the clock
 *   TRIP_EVERY=N   one more round trip before every Nth prepared statement
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { GROUP = 16 }; /* readings that are paid for at once */

static long number_of(const char *name)
{
    const char *const text = getenv(name);

    return text != NULL ? atol(text) : 0;
}

/* The function of that name in the library that we stand before. */
static void find(void *function, const char *name)
{
    void **const at = function;

    if (*at == NULL)
        *at = dlsym(RTLD_NEXT, name);
}

static int64_t ns_of(const struct timespec *at)
{
    return (int64_t)at->tv_sec * 1000000000 + at->tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*real)(clockid_t, struct timespec *);
    static long burn_ns;
    static _Thread_local unsigned calls;

    if (real == NULL) {
        burn_ns = number_of("BURN_NS") * GROUP;
        find(&real, "clock_gettime");
    }
    const int status = real(clock, at);
    if (clock == CLOCK_MONOTONIC && burn_ns > 0 && ++calls % GROUP == 0) {
        struct timespec now;
        const int64_t until = ns_of(at) + burn_ns;

        do
            (void)real(clock, &now);
        while (ns_of(&now) < until);
        *at = now;
    }
    return status;
}

/* Whether a statement is the Nth one. */
static int is_due(void)
{
    static long every, calls;

    if (every == 0)
        every = number_of("TRIP_EVERY");
    return every > 0 && ++calls % every == 0;
}

int PQsendQueryPrepared(PGconn *conn, const char *name, int count,
                        const char *const *values, const int *lengths,
                        const int *formats, int form)
{
    static int (*real)(PGconn *, const char *, int, const char *const *,
                       const int *, const int *, int);
    static PGresult *(*exec)(PGconn *, const char *);
    static void (*clear)(PGresult *);

    find(&real, "PQsendQueryPrepared");
    find(&exec, "PQexec");
    find(&clear, "PQclear");
    if (is_due())
        clear(exec(conn, "SELECT 1"));
    return real(conn, name, count, values, lengths, formats, form);
}

int mysql_stmt_execute(MYSQL_STMT *stmt)
{
    static int (*real)(MYSQL_STMT *);
    static int (*ping)(MYSQL *);

    find(&real, "mysql_stmt_execute");
    find(&ping, "mysql_ping");
    if (is_due())
        (void)ping(stmt->mysql);
    return real(stmt);
}
