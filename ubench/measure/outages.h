/* SPDX-License-Identifier: ISC */
/* What became of lost connections.  Zeroed: nothing ever went away. */
#ifndef UBENCH_MEASURE_OUTAGES_H
#define UBENCH_MEASURE_OUTAGES_H

#include <stdint.h>

struct outages {
    uint64_t outages;
    uint64_t ended;       /* of these */
    uint64_t outage_ns;   /* of those that ended, together */
    uint64_t longest_ns;  /* of those */
    uint64_t connections; /* that were opened anew */
    /* Changes that were submitted and not answered; they were found to have
       been done, or were submitted again, or the run ended before. */
    uint64_t unknown;
    uint64_t found_done;
    uint64_t repeated;
};

#endif
