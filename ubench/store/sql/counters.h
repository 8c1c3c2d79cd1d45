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
   many subnets: or else the first leases of a subnet would race for who may
   insert it.  Several statements. */
void counter_sql_seed(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, uint64_t subnets);

/* Gives rows of five numbers: subnet, pool, type, state, leases. */
void counter_sql_read(char sql[static COUNTER_SQL_SIZE],
                      enum lease_family family, enum counters which);

#endif
