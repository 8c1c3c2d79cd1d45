/* SPDX-License-Identifier: ISC */
#include "store/server/connection.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"

int connection_open(struct connection *connection, const struct sql_client *client,
                    struct endpoints *endpoints, bool in_turn, uint64_t limit_s, struct err *err)
{
    const unsigned first = in_turn ? atomic_fetch_add(&endpoints->turn, 1) : 0;
    struct sql_link *const link = (struct sql_link *)connection;

    link->client = client;
    link->endpoints = endpoints;
    for (unsigned i = 0; i < endpoints->count; i++) {
        link->endpoint = &endpoints->items[(first + i) % endpoints->count];
        link->at = "";
        link->lost = false;
        atomic_store(&link->watched.timed_out, false);
        if (client->connect(connection, limit_s, err) == 0) {
            link->at = link->endpoint->at;
            (void)atomic_fetch_add(&link->endpoint->sessions, in_turn ? 1 : 0);
            return 0;
        }
        connection_close(connection);
        if (err->kind != ERR_LOST)
            return -1;
    }
    return -1;
}

void connection_close(struct connection *connection)
{
    struct sql_link *const link = (struct sql_link *)connection;

    if (link == NULL || link->client == NULL)
        return;
    watchdog_remove(&link->endpoints->watchdog, &link->watched);
    link->client->close(connection);
    link->lost = true;
}

bool connection_is_lost(const struct connection *connection)
{
    const struct sql_link *const link = (const struct sql_link *)connection;

    return link->client == NULL || link->lost;
}

int sql_link_fail(struct sql_link *link, const char *action, enum err_class class, const char *text,
                  const char *code, struct err *err)
{
    struct watchdog *const watchdog = &link->endpoints->watchdog;
    char line[sizeof err->text];

    link->lost = link->lost || class == ERR_LOST;
    if (atomic_load(&watchdog->canceled))
        return err_set_class(err, ERR_CANCELED, "%s: %s%s: canceled", link->client->store, action,
                             link->at);
    if (atomic_load(&link->watched.timed_out))
        return err_set_class(
            err, ERR_TIMEOUT,
            "%s: %s%s: no answer from the server within %" PRIu64 " s (--read-timeout)",
            link->client->store, action, link->at, (uint64_t)atomic_load(&watchdog->limit_s));
    text_one_line(line, sizeof line, text);
    return err_set_class(err, class, code[0] != '\0' ? "%s: %s%s: %s (%s)" : "%s: %s%s: %s",
                         link->client->store, action, link->at, line, code);
}

int connection_rows(struct connection *connection, const char *action, const char *sql,
                    sql_take_row *take, void *context, struct err *err)
{
    const struct sql_client *const client = ((struct sql_link *)connection)->client;

    return client->run(connection, action, sql, take, context, err);
}

__attribute__((format(printf, 6, 0))) static int run(struct connection *connection,
                                                     const char *action, sql_take_row *take,
                                                     void *context, struct err *err,
                                                     const char *format, va_list args)
{
    char sql[4096];
    const int length = vsnprintf(sql, sizeof sql, format, args);

    return length >= 0 && (size_t)length < sizeof sql
               ? connection_rows(connection, action, sql, take, context, err)
               : err_set(err, "%s: %s: a name or value is too long",
                         ((struct sql_link *)connection)->client->store, action);
}

int connection_run(struct connection *connection, const char *action, struct err *err,
                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int status = run(connection, action, NULL, NULL, err, format, args);
    va_end(args);
    return status;
}

struct value {
    char *text; /* NULL: already written */
    size_t size;
};

static void take_value(void *context, const char *const *row)
{
    struct value *const value = context;

    if (value->text != NULL)
        (void)snprintf(value->text, value->size, "%s", row[0] != NULL ? row[0] : "");
    value->text = NULL;
}

int connection_value(struct connection *connection, const char *action, char *value, size_t size,
                     struct err *err, const char *format, ...)
{
    struct value to = { value, size };
    va_list args;

    value[0] = '\0';
    va_start(args, format);
    const int status = run(connection, action, take_value, &to, err, format, args);
    va_end(args);
    return status;
}
