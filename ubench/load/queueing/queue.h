/* SPDX-License-Identifier: ISC */
/*
 * Requests that wait: first in, first out, bounded like a server's socket
 * buffer, with a rule for what happens when it is full.  Memory is taken once,
 * at the beginning.  Not locked: its owner's business.
 */
#ifndef UBENCH_LOAD_QUEUEING_QUEUE_H
#define UBENCH_LOAD_QUEUEING_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "load/queueing/arrivals.h"

enum queue_policy {
    QUEUE_DROP_NEWEST, /* full: the new one is dropped, as a socket does */
    QUEUE_DROP_OLDEST, /* full: the oldest one is, as Kea's ring does */
    QUEUE_DEDUP,       /* a client that waits already is not put in again;
                          full: the new one is dropped */
};

/* What became of a new request. */
enum queue_fate {
    QUEUE_TAKEN,     /* waits */
    QUEUE_DISPLACED, /* waits, and the one that waited longest is dropped */
    QUEUE_DROPPED,   /* dropped */
    QUEUE_MERGED,    /* not needed: the same number waits already */
};

struct queue {
    enum queue_policy policy;
    struct arrival *items; /* a ring */
    uint64_t room;
    uint64_t first;
    uint64_t length;
    uint8_t *waits; /* by number; with QUEUE_DEDUP alone */
    uint64_t numbers;
};

/* room at least 1.  With QUEUE_DEDUP all numbers are below numbers, and each
   takes a byte.  Returns 0, or -1 with err. */
int queue_init(struct queue *queue, uint64_t room, enum queue_policy policy,
               uint64_t numbers, struct err *err);
void queue_release(struct queue *queue); /* zeroed is fine */

/* Puts one in.  If it is QUEUE_DISPLACED, *displaced is the one that was
 * dropped. */
enum queue_fate queue_push(struct queue *queue, const struct arrival *arrival,
                           struct arrival *displaced);

/* Takes out the oldest one.  False if none waits. */
bool queue_pop(struct queue *queue, struct arrival *arrival);

#endif
