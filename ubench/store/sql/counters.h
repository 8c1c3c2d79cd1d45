/* SPDX-License-Identifier: ISC */
/*
 * The SQL of the counters of the schema "kea+stats" that all SQL stores have in
 * common.  The tables and their triggers are in schema/.
 */
#ifndef UBENCH_STORE_SQL_COUNTERS_H
#define UBENCH_STORE_SQL_COUNTERS_H

#include "store/backend.h"

enum { COUNTER_SQL_SIZE = 16384 };

/* Makes the counters those of an empty lease table, with a row for each of so
   many subnets, for what ubench makes there: or else the first leases of a
   subnet would race for who may insert it.  empty is how a table is emptied:
   "DELETE FROM".  Several statements. */
void counter_sql_seed(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, uint64_t subnets,
                      const char *empty);

/* Gives rows of five numbers: subnet, pool, type, state, leases. */
void counter_sql_read(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, enum counters which);
enum { COUNTER_SQL_COLUMNS = 5 };

/* Counts such a row.  Returns 0, or -1 with err, which begins with store. */
int counter_sql_add(struct lease_counts *counts,
                    const int64_t row[static COUNTER_SQL_COLUMNS],
                    const char *store, struct err *err);

#endif
