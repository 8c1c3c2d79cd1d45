/* SPDX-License-Identifier: ISC */
/*
 * The durability class of MySQL or MariaDB, computed from variables that were read before: no
 * function here asks a server.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_CLASS_H
#define UBENCH_STORE_MYSQL_MYSQL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/durability.h"
#include "core/properties.h"
#include "store/sql/settings.h"

/* The variables to read back, if the server has them. */
extern const struct sql_setting mysql_variables[];

#define GROUP_NAME "group_replication_group_name"
/* Not a variable, but read with them. */
#define GROUP_MEMBERS "group_replication members online"

/* Returns true if there is a binary log in a file of its own, to which sync_binlog applies; from
   MariaDB 12.3 on, a log elsewhere is as durable as InnoDB's log. */
bool mysql_binlog_file(const struct properties *variables);

/* Adds to a promise the settings that decide the durability of a table of that engine, created with
   those options (CREATE_OPTIONS of information_schema.tables), the other nodes of the server, and
   each limit that holds. */
void mysql_promise(const struct properties *variables, const char *engine, const char *options,
                   struct promise *promise);
extern const struct durability_limit mysql_limits[];

/* Returns whether another node has every change to a table of that engine that was acknowledged
   between two readings of the variables. */
enum node_loss mysql_node_loss(const struct properties *before, const struct properties *now,
                               const char *engine);

#endif
