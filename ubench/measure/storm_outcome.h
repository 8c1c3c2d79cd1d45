/* SPDX-License-Identifier: ISC */
/* What came of a storm: of many clients that asked at once. */
#ifndef UBENCH_MEASURE_STORM_OUTCOME_H
#define UBENCH_MEASURE_STORM_OUTCOME_H

#include <stdint.h>

struct storm_outcome {
    uint64_t clients;       /* 0: there was no storm */
    uint64_t served;        /* of these, had an answer */
    uint64_t sent;          /* requests */
    uint64_t retransmitted; /* of these, by clients that had asked before */
    uint64_t useless;       /* answers to clients that had one already */
    /* When half, 99 % and all of the clients had an answer; UINT64_MAX:
       never. */
    uint64_t served_50_ns;
    uint64_t served_99_ns;
    uint64_t served_100_ns;
};

#endif
