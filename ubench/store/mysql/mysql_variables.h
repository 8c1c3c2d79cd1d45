/* SPDX-License-Identifier: ISC */
/* What a server of MySQL's or MariaDB's says of itself: its settings, and the
   other nodes that it works with. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_VARIABLES_H
#define UBENCH_STORE_MYSQL_MYSQL_VARIABLES_H

#include "store/mysql/mysql_connection.h"

enum { VALUE_SIZE = 208 };

/* Those that the code asks for; the table of mysql_variables.c has more. */
enum variable {
    VARIABLE_VERSION,
    VARIABLE_FLUSH_LOG,
    VARIABLE_LOG_BIN,
    VARIABLE_SESSION_LOG_BIN,
    VARIABLE_SYNC_BINLOG,
    VARIABLE_BINLOG_ENGINE, /* MariaDB 12.3 */
    VARIABLE_FLUSH_METHOD,
    VARIABLE_DOUBLEWRITE,
    VARIABLE_NO_SYNC,
    VARIABLE_AUTOCOMMIT,
    VARIABLE_ARIA_GROUP_COMMIT,
    VARIABLE_REDO_LOG,
    VARIABLE_GALERA,
    VARIABLE_GALERA_SIZE,
    VARIABLE_GALERA_STATE,
    VARIABLE_GALERA_CHANGES,
    VARIABLE_GROUP,
    VARIABLE_GROUP_MEMBERS,
    VARIABLE_SEMI_SYNC,
    VARIABLE_SEMI_SYNC_STATUS,
    VARIABLE_SEMI_SYNC_MISSED,
    VARIABLE_OLD_SEMI_SYNC, /* its name in MariaDB and before MySQL 8.0.26 */
    VARIABLE_OLD_SEMI_SYNC_STATUS,
    VARIABLE_OLD_SEMI_SYNC_MISSED,
    VARIABLES_ASKED_FOR,
};
enum { VARIABLES = VARIABLES_ASKED_FOR + 28 };

struct variables {
    char value[VARIABLES][VALUE_SIZE]; /* "": the server has none */
};

/* Reads all.  What a server does not have is no error.  0, or -1 with err. */
int variables_read(struct variables *variables, struct connection *connection,
                   struct err *err);

/* Returns 0 if all that decides about the durability of a table of that engine
   is as it was read before, else -1 with err. */
int variables_check(const struct variables *before, const char *engine,
                    struct connection *connection, struct err *err);

bool variables_are_mariadbs(const struct variables *variables);

/* True of what the server has, unless it is OFF or 0. */
bool variables_on(const struct variables *variables, enum variable variable);

/* The binary log is as durable as InnoDB's log is. */
bool variables_binlog_in_innodb(const struct variables *variables);

/* Adds those that matter for a table of that engine. */
void variables_describe(const struct variables *variables, const char *engine,
                        struct properties *properties);

#endif
