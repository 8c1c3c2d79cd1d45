/* SPDX-License-Identifier: ISC */
/*
 * One connection to a server of MySQL's or MariaDB's, through libmysqlclient or
 * MariaDB Connector/C, and what is said of its errors.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_CONNECTION_H
#define UBENCH_STORE_MYSQL_MYSQL_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <mysql.h>

#include "store/backend.h"
#include "store/sql/endpoints.h"
#include "store/sql/watchdog.h"

/* Errors that are acted upon.  By number, since each library's mysqld_error.h
   lacks some of the other's. */
enum mysql_code {
    CODE_CHANGED_SINCE = 1020, /* with innodb_snapshot_isolation */
    CODE_NOT_READY = 1047,     /* a node of Galera that is cut off */
    CODE_UNKNOWN_DATABASE = 1049,
    CODE_SHUTDOWN = 1053,
    CODE_NO_COLUMN = 1054,
    CODE_DUPLICATE = 1062,
    CODE_DISK_FULL = 1021,
    CODE_CANNOT_WRITE = 1026,
    CODE_TABLE_FULL = 1114,
    CODE_NOT_BEHIND_INDEX = 1032, /* a search's: the index knows a row that is
                                    not there */
    CODE_BAD_INDEX = 1034,        /* and what else a table needs REPAIR for */
    CODE_CRASHED = 1194,
    CODE_CRASHED_BY_REPAIR = 1195,
    CODE_CORRUPT = 1877,
    CODE_LOCK_TIMEOUT = 1205,
    CODE_DEADLOCK = 1213,
    CODE_NO_PRIVILEGE = 1227,
    CODE_GLOBAL_VARIABLE = 1229,
    CODE_UNKNOWN_ENGINE = 1286,
    CODE_READ_ONLY = 1290,
    CODE_TRUNCATED_VALUE = 1292,
    CODE_NO_TABLE = 1146,
    CODE_COMMIT = 1180, /* Galera does not commit it */
    CODE_TRIGGER_LOGGED = 1419,
    CODE_CONNECTION_KILLED = 1927,
    CODE_STATEMENT_TIMEOUT = 1969,       /* MariaDB: max_statement_time */
    CODE_STATEMENT_TIMEOUT_MYSQL = 3024, /* MySQL: max_execution_time */
    CODE_GROUP_COMMIT = 3101, /* group replication does not commit it */
    CODE_NO_SOCKET = 2002,
    CODE_NO_HOST = 2003,
    CODE_UNKNOWN_HOST = 2005,
    CODE_GONE = 2006,
    CODE_LOST = 2013,
    CODE_LOST_TLS = 2026, /* the end of a connection, to TLS */
    CODE_LOST_EXTENDED = 2055,
};

/* The server's number for the connection that has our locks; "": none has. */
struct lock_holder {
    char connection[24];
};

struct connection {
    MYSQL *mysql;
    const struct store_config *config; /* with the endpoint's host and port */
    struct endpoint *endpoint;
    const char *at; /* of that, once it is connected to, for messages */
    struct watchdog *watchdog;
    struct watched watched;
    bool lost;       /* the server, at least once */
    bool mariadb;    /* or else MySQL */
    bool in_cluster; /* of Galera, where a deadlock is a conflict */
};

/* Before and after everything that waits for the server. */
static inline void connection_toggle(struct connection *connection)
{
    watchdog_toggle(&connection->watched);
}

/* Connects within limit_s, in the way in which Kea does, and of several
   endpoints only to one that takes changes; first the one given, else the one
   behind it.  connection_close is needed only after 0; -1 with err.  The
   connection must stay where it is. */
int connection_open(struct connection *connection, struct endpoints *endpoints,
                    struct endpoint *first, uint64_t limit_s,
                    struct watchdog *watchdog, struct err *err);
void connection_close(struct connection *connection);

/* Writes the sentence and its class: what was done, what the server says to it
   and its number.  Always returns -1. */
int connection_fail(struct connection *connection, const char *action,
                    unsigned code, const char *text, struct err *err);
int connection_failed(struct connection *connection, const char *action,
                      struct err *err);

/* True if there is no use in talking to the server any more. */
bool connection_is_lost(unsigned code);

/* Runs SQL that gives no rows.  Returns 0, or -1 with err. */
int connection_run(struct connection *connection, const char *action,
                   struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Runs SQL that gives rows, to be freed with mysql_free_result.  NULL with err
   on failure. */
MYSQL_RES *connection_query(struct connection *connection, const char *action,
                            struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the first column of the first of those rows as text, "" if there is
   none or it is NULL, and frees them.  0, or -1 if rows is NULL. */
int connection_value(MYSQL_RES *rows, char *value, size_t size);

/* Takes the lock of the name that an SQL expression has, for as long as the
   connection lives, and notes who has it.  A run that has just ended may have
   it for a moment longer; the holder may be a connection of ours that is lost,
   and then it is kept.  Returns 0, or -1 with err: busy, if another has it. */
int connection_lock(struct connection *connection, const char *name,
                    const char *busy, struct lock_holder *holder,
                    struct err *err);

/* Runs several statements.  Returns 0, or -1 with err. */
int connection_script(struct connection *connection, const char *action,
                      const char *sql, struct err *err);

/* One empty round trip.  0, or -1 with err. */
int connection_ping(struct connection *connection, struct err *err);

/* Writes a path in the folder of InnoDB's log, which is what is synced when a
   change is acknowledged, or "" if it is another machine's or cannot be told.
 */
void connection_log_path(struct connection *connection, char *path,
                         size_t size);

/* The client library's name and version. */
void connection_library(char *text, size_t size);

#endif
