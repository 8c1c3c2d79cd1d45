/* SPDX-License-Identifier: ISC */
/* A runner that is a process alone. */
#include "load/ranks.h"

bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum)
{
    (void)ranks;
    if (sum != NULL)
        *sum = value;
    return true;
}
