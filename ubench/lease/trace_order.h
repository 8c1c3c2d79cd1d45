/* SPDX-License-Identifier: ISC */
/* The list by which a trace says which lease is expected next (trace.h): both its reader and its
   writer keep it, change by change. */
#ifndef UBENCH_LEASE_TRACE_ORDER_H
#define UBENCH_LEASE_TRACE_ORDER_H

#include <stdint.h>

#include "core/err.h"
#include "lease/trace.h"

#define TRACE_NO_LEASE UINT32_MAX

struct trace_order {
    uint32_t leases;
    uint32_t unused;   /* the lowest number that no lease has had */
    uint32_t first;    /* of the active leases; TRACE_NO_LEASE: there is none */
    uint32_t last;     /* the one that changed last */
    uint32_t expected; /* to renew next */
    uint32_t *next;    /* of each lease */
    uint32_t *previous;
    uint8_t *states; /* enum trace_state */
};

/* Begins with the first leases active.  Returns 0, or -1 with err; release it either way. */
int trace_order_init(struct trace_order *order, uint32_t leases, uint32_t active, struct err *err);
void trace_order_release(struct trace_order *order);

/* The lease that is expected to have such a change next; TRACE_NO_LEASE if there is none. */
uint32_t trace_order_expected(const struct trace_order *order, enum trace_change change);

/* Leaves out the lease that is expected to renew. */
void trace_order_skip(struct trace_order *order);

/* Notes a change.  Returns 0, or -1 if the lease cannot have it. */
int trace_order_change(struct trace_order *order, uint32_t lease, enum trace_change change);

#endif
