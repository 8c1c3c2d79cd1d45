/* SPDX-License-Identifier: ISC */
/* The list that determines which lease a trace expects next (trace.h).  Reader and writer both
   update it with each change. */
#ifndef UBENCH_LEASE_TRACE_ORDER_H
#define UBENCH_LEASE_TRACE_ORDER_H

#include <stdint.h>

#include "core/err.h"
#include "lease/trace.h"

#define TRACE_NO_LEASE UINT32_MAX

struct trace_order {
    uint32_t leases;
    uint32_t unused;   /* lowest number that no lease has used */
    uint32_t first;    /* of the active leases; TRACE_NO_LEASE: none */
    uint32_t last;     /* the active lease that changed last */
    uint32_t expected; /* to renew next */
    uint32_t *next;    /* of each lease */
    uint32_t *previous;
    uint8_t *states; /* enum trace_state */
};

/* Initialises the list with the first active leases.  Returns 0, or -1 with err; call
   trace_order_release in both cases. */
int trace_order_init(struct trace_order *order, uint32_t leases, uint32_t active, struct err *err);
void trace_order_release(struct trace_order *order);

/* Returns the lease that is expected to have that change next; TRACE_NO_LEASE if there is none. */
uint32_t trace_order_expected(const struct trace_order *order, enum trace_change change);

/* Skips the lease that is expected to renew. */
void trace_order_skip(struct trace_order *order);

/* Applies a change to the list.  Returns 0, or -1 if the lease cannot have it. */
int trace_order_change(struct trace_order *order, uint32_t lease, enum trace_change change);

#endif
