/* SPDX-License-Identifier: ISC */
/*
 * A trace: the changes of a site's leases, second by second, without any data of its clients.
 *
 * It is a text file, which may be compressed by gzip:
 *
 *     ubench-trace/1
 *     family 4
 *     leases 5 active 2            numbered from 0; the first 2 are active at the start
 *     changes 6 seconds 3600
 *     +0 r*2 n*1                   second 0: leases 0 and 1 renew, 2 begins
 *     +30 x1 n*1                   second 30: 1 releases, 3 begins
 *     +900 r2                      second 930
 *     end 6 0123456789abcdef       number of changes, and their hash
 *
 * A line has the seconds since the previous line, then the changes in order.  A change is a letter
 * (below) and the number of a lease; or a letter, * and how many changes of that kind follow, each
 * of the expected lease.  New leases are expected in the order of their numbers.  Active leases
 * are in a list, ordered by their last change: the one after the lease that renewed last is
 * expected to renew next, and the first one to expire next.  s and a number skips that many leases
 * that were expected to renew.  Clients that renew on time therefore take almost no space.
 */
#ifndef UBENCH_LEASE_TRACE_H
#define UBENCH_LEASE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "core/err.h"
#include "lease/lease.h"

enum trace_change {
    TRACE_NEW,     /* n: a lease begins; it has no row yet */
    TRACE_RETURN,  /* b: a lease begins again; it still has a row */
    TRACE_RENEW,   /* r */
    TRACE_RELEASE, /* x: the row stays */
    TRACE_DECLINE, /* d */
    TRACE_EXPIRE,  /* e: the server marks it as expired; the row stays */
    TRACE_DELETE,  /* g: the row is deleted */
    TRACE_CHANGES
};

/* The states of a lease between changes. */
enum trace_state { TRACE_GONE, TRACE_ACTIVE, TRACE_EXPIRED, TRACE_RELEASED, TRACE_DECLINED };

enum { TRACE_LEASES_MAX = 1 << 28 };
#define TRACE_COUNT_MAX UINT64_C(1000000000)

struct trace_item {
    uint32_t second; /* since the start */
    uint32_t lease : 28;
    uint32_t change : 4; /* enum trace_change */
};

struct trace {
    enum lease_family family;
    uint32_t leases;  /* all leases of the trace */
    uint32_t active;  /* active at the start; the first ones */
    uint32_t seconds; /* duration */
    uint64_t count;
    struct trace_item *items;
    uint64_t counts[TRACE_CHANGES];
    uint64_t hash; /* of all changes and their times */
};

/* Returns the state of a lease after a change, or -1 if a lease in that state cannot have the
   change. */
int trace_state_after(enum trace_state state, enum trace_change change);

/* Reads and checks a whole trace.  Returns 0, or -1 with err, which names the line; call
   trace_release in both cases. */
int trace_read(const char *path, struct trace *trace, struct err *err);

/* Writes a trace whose items are possible changes, and sets its counts and hash.  Returns 0, or -1
   with err if memory is short; the caller checks out for errors. */
int trace_write(struct trace *trace, FILE *out, struct err *err);

/* Leaves out all changes after a time since the start; its counts and its hash become those of the
   others. */
void trace_cut(struct trace *trace, uint64_t seconds);

void trace_release(struct trace *trace);

#endif
