/* SPDX-License-Identifier: ISC */
/* Whether a queue was still growing when it was last looked at. */
#ifndef UBENCH_MEASURE_QUEUE_GROWTH_H
#define UBENCH_MEASURE_QUEUE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

/* What was seen of a queue while requests were offered. */
struct queue_growth {
    uint64_t size; /* requests that can wait */
    uint64_t elapsed_ns;
    uint64_t answered;
    uint64_t dropped; /* because it was full */
    /* How long requests that came in the first and in the last third of the
       time waited, on average. */
    double first_wait_ns;
    double last_wait_ns;
};

/*
 * True if it was still growing at the end, towards where all requests are late:
 * those of the last third waited longer than those of the first, by more than a
 * twentieth of the deadline.  That is not sustained, even if none was late yet.
 * A queue that is short enough to be served within the deadline when it is full
 * grows no further than that; there the drops tell, once there are any: a short
 * trial may end before the queue is full.
 */
bool queue_growth_goes_on(const struct queue_growth *seen,
                          uint64_t deadline_ns);

#endif
