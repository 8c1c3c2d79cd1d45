/* SPDX-License-Identifier: ISC */
/*
 * What a rate means for a site.  A client comes back once in an interval: to
 * renew, at a part of its lease's time; so N clients need N / interval leases
 * per second, and a store that does R carries R * interval clients.
 */
#ifndef UBENCH_REPORT_CAPACITY_H
#define UBENCH_REPORT_CAPACITY_H

#include <stdint.h>
#include <stdio.h>

#include "load/exchange/table.h"
#include "record/group.h"
#include "report/grid.h"

struct capacity {
    double interval_s; /* above 0 */
    uint64_t clients;  /* that there are; 0: not told */
    double headroom;   /* how many times what is needed a store is to do */
    /* What a client does in each interval: "renew"; "dora" and, of IPv6,
       "sarr". */
    const char *exchange_v4;
    const char *exchange_v6;
};

/* Leases per second that so many clients need. */
double capacity_rate(const struct capacity *capacity, double clients);

/* Clients that so many leases per second serve, without headroom. */
double capacity_clients(const struct capacity *capacity, double rate);

/*
 * How many of an exchange a run did per second: as it was measured, if one of
 * its phases is that exchange.  Else it is estimated from search, create and
 * update, one after the other: the time of an exchange is the sum of those of
 * its steps, each 1 / rate.  0 if neither can be told.  In an open loop, the
 * rate that was found sustained, or 0: any other was asked for.
 */
double capacity_of_run(const struct record_run *run,
                       const struct exchange *exchange);

/* Prints how many clients each group would carry, by section. */
void capacity_print(const struct capacity *capacity,
                    const struct groups *groups, enum grid_format format,
                    FILE *out);

#endif
