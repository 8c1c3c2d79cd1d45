/* SPDX-License-Identifier: ISC */
#include "measure/queue_growth.h"

bool queue_growth_goes_on(const struct queue_growth *seen, uint64_t deadline_ns)
{
    /* How long the last request in a full queue waits; at most for ever. */
    const double full_wait_ns = (double)seen->size * (double)seen->elapsed_ns /
                                (double)(seen->answered + 1);

    return (full_wait_ns > (double)deadline_ns || seen->dropped == 0) &&
           seen->last_wait_ns >
               seen->first_wait_ns + 0.05 * (double)deadline_ns;
}
