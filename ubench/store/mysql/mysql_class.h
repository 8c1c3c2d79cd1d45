/* SPDX-License-Identifier: ISC */
/*
 * What a server of MySQL's or MariaDB's promises of acknowledged changes, computed from what it
 * says of itself: no server is asked here.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_CLASS_H
#define UBENCH_STORE_MYSQL_MYSQL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/durability.h"

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

/* True of what the server has, unless it is OFF or 0. */
bool variables_on(const struct variables *variables, enum variable variable);

/* There is a binary log, and in a file of its own, for which sync_binlog decides; else it is as
   durable as InnoDB's log. */
bool variables_binlog_file(const struct variables *variables);

/* The class of a table of that engine, made with those options (CREATE_OPTIONS of
   information_schema.tables), and in text why, and what other nodes the server works with. */
enum durability mysql_class(const struct variables *variables, const char *engine,
                            const char *options, char *text, size_t size);

/* Whether another node has every change to a table of that engine that was acknowledged between
   two readings of the variables. */
enum node_loss mysql_node_loss(const struct variables *before, const struct variables *now,
                               const char *engine);

#endif
