/* SPDX-License-Identifier: ISC */
/*
 * The lease table of an SQL database: created anew for each run, unless it is to be kept or is its
 * owner's, and described by the server's catalogue.
 */
#ifndef UBENCH_STORE_SQL_LEASE_TABLE_H
#define UBENCH_STORE_SQL_LEASE_TABLE_H

#include "store/sql/ownership.h"

/* In a database that is nobody's or ubench's: drops all that ubench created, creates the tables of
   config's schema, and lists them.  0, or -1 with err. */
int sql_create_tables(const struct sql_contents *contents, const struct sql_database *db,
                      const struct store_config *config, struct err *err);

/*
 * Creates the lease table that config asks for, with that first fact, or opens the one that is to
 * be kept or is its owner's; and fills in *table, whose columns and key must be as the statements
 * need them.  0, or -1 with err, and then nothing is left that was not there before.
 *
 * db->tables has these rows of both lease tables, in any order, of five texts: what the row
 * tells, the table, and
 *
 *   "column"    its name, its type, and "key" if it is in the primary key, "must be given" or ""
 *   "facts"     "", "", and the facts of struct sql_table, a line each
 *   "triggers"  "", "", and how many
 */
int sql_open_table(struct sql_table *table, const struct sql_database *db,
                   const struct store_config *config, const char *fact, struct err *err);

#endif
