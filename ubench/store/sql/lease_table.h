/* SPDX-License-Identifier: ISC */
/*
 * The lease table of an SQL database, described by the server's catalogue.  Each run creates it
 * anew, except with keep and in a scratch copy, where its owner created it.
 */
#ifndef UBENCH_STORE_SQL_LEASE_TABLE_H
#define UBENCH_STORE_SQL_LEASE_TABLE_H

#include "store/sql/ownership.h"

/* Drops all objects that ubench created, creates the tables of config's schema, and lists them in
   the marker.  For a database that is empty or ubench's.  Returns 0, or -1 with err. */
int sql_create_tables(const struct sql_contents *contents, const struct sql_database *db,
                      const struct store_config *config, struct err *err);

/*
 * Creates the lease table of config, with fact as its first fact; with keep, or in a scratch copy,
 * opens the existing one.  Fills in *table and checks that the statements can use its columns and
 * key.  Returns 0, or -1 with err, and then leaves nothing behind that was not there before.
 *
 * db->tables returns these rows for both lease tables, in any order, of five strings: kind, table,
 * and
 *
 *   "column"    its name, its type, and "key" if it is in the primary key, "must be given" or ""
 *   "facts"     "", "", and the facts of struct sql_table, one per line
 *   "triggers"  "", "", and their number
 */
int sql_open_table(struct sql_table *table, const struct sql_database *db,
                   const struct store_config *config, const char *fact, struct err *err);

#endif
