/* SPDX-License-Identifier: ISC */
/*
 * The durability that MySQL or MariaDB promises of acknowledged changes, computed from its
 * variables, as they were read: no server is asked here.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_CLASS_H
#define UBENCH_STORE_MYSQL_MYSQL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/durability.h"
#include "core/properties.h"
#include "store/sql/settings.h"

/* The variables that are read back, if the server has them. */
extern const struct sql_setting mysql_variables[];

#define GROUP_NAME "group_replication_group_name"
/* This is no variable, but read among them. */
#define GROUP_MEMBERS "group_replication members online"

/* There is a binary log, and in a file of its own, for which sync_binlog decides; else, from
   MariaDB 12.3 on, it is as durable as InnoDB's log. */
bool mysql_binlog_file(const struct properties *variables);

/* Adds to a promise what a table of that engine, made with those options (CREATE_OPTIONS of
   information_schema.tables), rests on, the other nodes that the server works with, and each limit
   that holds. */
void mysql_promise(const struct properties *variables, const char *engine, const char *options,
                   struct promise *promise);
extern const struct durability_limit mysql_limits[];

/* Whether another node has every change to a table of that engine that was acknowledged between
   two readings of the variables. */
enum node_loss mysql_node_loss(const struct properties *before, const struct properties *now,
                               const char *engine);

#endif
