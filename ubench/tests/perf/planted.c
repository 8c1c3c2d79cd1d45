/* SPDX-License-Identifier: ISC */
/* Makes a runner slower that is started with this library: what a duel has to
   find (results/duels-2026-11.md).  BURN_NS=N burns N ns of processor time for each
   reading of the clock; TRIP_EVERY=N makes one more round trip before every
   Nth prepared statement. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <stdlib.h>
#include <time.h>

enum { GROUP = 16 }; /* readings that are paid for at once */

/* The function of that name in the library behind this one. */
#define FIND(function, name) \
    ((function) != NULL ? (void)0 : (void)(*(void **)&(function) = dlsym(RTLD_NEXT, name)))

static long number_of(const char *name)
{
    const char *const text = getenv(name);

    return text != NULL ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*real)(clockid_t, struct timespec *);
    static long burn_ns = -1;
    static _Thread_local unsigned calls;
    struct timespec from;

    FIND(real, "clock_gettime");
    if (burn_ns < 0)
        burn_ns = number_of("BURN_NS") * GROUP;
    const int status = real(clock, at);
    if (clock == CLOCK_MONOTONIC && burn_ns > 0 && ++calls % GROUP == 0) {
        for (from = *at;
             (at->tv_sec - from.tv_sec) * 1000000000 + at->tv_nsec - from.tv_nsec < burn_ns;)
            (void)real(clock, at);
    }
    return status;
}

/* Whether a statement is the Nth one. */
static int is_due(void)
{
    static long every = -1, calls;

    if (every < 0)
        every = number_of("TRIP_EVERY");
    return every > 0 && ++calls % every == 0;
}

int PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats, int form)
{
    static int (*real)(PGconn *, const char *, int, const char *const *, const int *, const int *,
                       int);
    static PGresult *(*exec)(PGconn *, const char *);
    static void (*clear)(PGresult *);

    FIND(real, "PQsendQueryPrepared");
    FIND(exec, "PQexec");
    FIND(clear, "PQclear");
    if (is_due())
        clear(exec(conn, "SELECT 1"));
    return real(conn, name, count, values, lengths, formats, form);
}

int mysql_stmt_execute(MYSQL_STMT *stmt)
{
    static int (*real)(MYSQL_STMT *);
    static int (*ping)(MYSQL *);

    FIND(real, "mysql_stmt_execute");
    FIND(ping, "mysql_ping");
    if (is_due())
        (void)ping(stmt->mysql);
    return real(stmt);
}
