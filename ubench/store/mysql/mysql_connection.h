/* SPDX-License-Identifier: ISC */
/*
 * One connection to a server of MySQL's or MariaDB's, through libmysqlclient or MariaDB
 * Connector/C, and what is said of its errors.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_CONNECTION_H
#define UBENCH_STORE_MYSQL_MYSQL_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <mysql.h>

#include "store/backend.h"
#include "store/server/connection.h"

enum { VALUE_SIZE = sizeof((struct property *)NULL)->value };

/* Errors that are acted upon.  By number, since each library's mysqld_error.h lacks some of the
   other's. */
enum mysql_code {
    CODE_UNKNOWN_DATABASE = 1049,
    CODE_NO_COLUMN = 1054,
    CODE_DUPLICATE = 1062,
    CODE_NO_TABLE = 1146,
    CODE_NO_PRIVILEGE = 1227,
    CODE_GLOBAL_VARIABLE = 1229,
    CODE_UNKNOWN_ENGINE = 1286,
    CODE_TRIGGER_LOGGED = 1419,
};

/* The server's number for the connection that has our locks; "": none has. */
struct lock_holder {
    char connection[24];
};

struct connection {
    struct sql_link link;
    MYSQL *mysql;                      /* NULL: not connected */
    const struct store_config *config; /* with the endpoint's host and port */
    bool mariadb;                      /* or else MySQL */
    bool in_cluster;                   /* of Galera, where a deadlock is a conflict */
};

/* Before and after everything that waits for the server. */
static inline void connection_toggle(struct connection *connection)
{
    watchdog_toggle(&connection->link.watched);
}

/* Connects in the way in which Kea does. */
extern const struct sql_client mysql_client;

/* Writes the sentence and its class: what was done, what the server says to it and its number.
   Always returns -1. */
int connection_fail(struct connection *connection, const char *action, unsigned code,
                    const char *text, struct err *err);

/* Takes the lock of the name that an SQL expression has, for as long as the connection lives, and
   notes who has it.  A run that has just ended may have it for a moment longer; the holder may be a
   connection of ours that is lost, and then it is kept.  Returns 0, or -1 with err: busy, if
   another has it. */
int connection_lock(struct connection *connection, const char *name, const char *busy,
                    struct lock_holder *holder, struct err *err);

/* Writes a path in the folder of InnoDB's log, which is what is synced when a change is
   acknowledged, or "" if it is another machine's or cannot be told. */
void connection_log_path(struct connection *connection, char *path, size_t size);

#endif
