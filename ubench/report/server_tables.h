/* SPDX-License-Identifier: ISC */
/* What scripts/dhcp.sh measured of whole DHCP servers, as text: the highest
   rate of each configuration, what a lease costs, and pairs of which one was
   killed. */
#ifndef UBENCH_REPORT_SERVER_TABLES_H
#define UBENCH_REPORT_SERVER_TABLES_H

#include <stdio.h>

#include "record/group.h"
#include "report/grid.h"

/* searches: of records that have a server and a rate.  open: of any open loops,
   of which those with a pair of servers are meant.  Not for GRID_CSV. */
void server_tables_print(const struct groups *searches,
                         const struct groups *open, enum grid_format format,
                         FILE *out);

#endif
