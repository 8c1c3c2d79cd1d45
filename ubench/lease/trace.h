/* SPDX-License-Identifier: ISC */
/*
 * A trace: what happened to a site's leases, second by second, without a word of its clients.
 *
 * It is a text, which may be compressed by gzip:
 *
 *     ubench-trace/1
 *     family 4
 *     leases 5 active 2            they are numbered from 0; the first 2 are there at the start
 *     changes 6 seconds 3600
 *     +0 r*2 n*1                   second 0: leases 0 and 1 renew, 2 begins
 *     +30 x1 n*1                   second 30: 1 releases, 3 begins
 *     +900 r2                      second 930
 *     end 6 0123456789abcdef       how many changes, and a hash of them
 *
 * A line has the seconds since the line before, then changes in their order: a letter (below) and
 * the number of a lease, or * and how many changes of that kind come, each of the lease that is
 * expected.  New leases are expected by number, as they were never used.  For the others leases
 * are in a list, ordered by their last change: the next to be renewed stood behind the one that
 * was renewed before, and the next to expire stands first.  s and a number leaves so many out that
 * were expected to renew.  So clients that renew on time take no room.
 */
#ifndef UBENCH_LEASE_TRACE_H
#define UBENCH_LEASE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "core/err.h"
#include "lease/lease.h"

enum trace_change {
    TRACE_NEW,     /* n: a lease begins, where there is no row */
    TRACE_RETURN,  /* b: it begins again, and its row is there */
    TRACE_RENEW,   /* r */
    TRACE_RELEASE, /* x: the row stays */
    TRACE_DECLINE, /* d */
    TRACE_EXPIRE,  /* e: the server marks it as expired; the row stays */
    TRACE_DELETE,  /* g: the row goes */
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
    uint32_t leases;  /* all that there ever are */
    uint32_t active;  /* of these, at the start */
    uint32_t seconds; /* how long it lasts */
    uint64_t count;
    struct trace_item *items;
    uint64_t counts[TRACE_CHANGES];
    uint64_t hash; /* of all changes and their times */
};

/* The state of a lease after a change; or -1 if a lease in that state cannot have it. */
int trace_state_after(enum trace_state state, enum trace_change change);

/* Reads a trace and checks it whole.  Returns 0, or -1 with err, which names the line; release it
   either way. */
int trace_read(const char *path, struct trace *trace, struct err *err);

/* Writes a trace whose items are possible, and sets its counts and hash.  Returns 0, or -1 with
   err if there is no memory; the caller looks for errors of out. */
int trace_write(struct trace *trace, FILE *out, struct err *err);

void trace_release(struct trace *trace);

#endif
