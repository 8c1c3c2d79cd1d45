/* SPDX-License-Identifier: ISC */
/* What a server of MySQL's or MariaDB's promises of acknowledged changes. */
#ifndef UBENCH_STORE_MYSQL_MYSQL_DURABILITY_H
#define UBENCH_STORE_MYSQL_MYSQL_DURABILITY_H

#include <stddef.h>

#include "core/durability.h"
#include "store/mysql/mysql_variables.h"

/* The class of a table of that engine, made with those options (CREATE_OPTIONS
   of information_schema.tables), and in text why, and what other nodes the
   server works with. */
enum durability mysql_class(const struct variables *variables,
                            const char *engine, const char *options, char *text,
                            size_t size);

/* Whether another node has every change to a table of that engine that was
   acknowledged between two readings of the variables. */
enum node_loss mysql_node_loss(const struct variables *before,
                               const struct variables *now, const char *engine);

#endif
