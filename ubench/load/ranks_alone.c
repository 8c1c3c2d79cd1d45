/* SPDX-License-Identifier: ISC */
/* A single process, whose values are those of all ranks. */
#include <string.h>

#include "load/ranks.h"

int ranks_open(struct ranks **ranks, struct err *err)
{
    (void)err;
    *ranks = NULL;
    return 0;
}

void ranks_close(struct ranks *ranks, int status)
{
    (void)ranks;
    (void)status;
}

uint64_t ranks_number(const struct ranks *ranks)
{
    (void)ranks;
    return 0;
}

uint64_t ranks_count(const struct ranks *ranks)
{
    (void)ranks;
    return 1;
}

uint64_t ranks_common_ns(const struct ranks *ranks, uint64_t ns)
{
    (void)ranks;
    return ns;
}

int ranks_watch(struct ranks *ranks, struct progress *progress, struct err *err)
{
    (void)ranks;
    (void)progress;
    (void)err;
    return 0;
}

void ranks_unwatch(struct ranks *ranks)
{
    (void)ranks;
}

bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum)
{
    (void)ranks;
    if (sum != NULL)
        *sum = value;
    return true;
}

enum load_end ranks_finish(struct ranks *ranks, enum load_end end)
{
    (void)ranks;
    return end;
}

bool ranks_are_lost(const struct ranks *ranks)
{
    (void)ranks;
    return false;
}

void ranks_least(struct ranks *ranks, uint64_t *values, size_t count)
{
    (void)ranks;
    (void)values;
    (void)count;
}

void ranks_most(struct ranks *ranks, uint64_t *values, size_t count)
{
    (void)ranks;
    (void)values;
    (void)count;
}

void ranks_sum(struct ranks *ranks, uint64_t *values, size_t count)
{
    (void)ranks;
    (void)values;
    (void)count;
}

void ranks_sum_32(struct ranks *ranks, uint32_t *values, size_t count)
{
    (void)ranks;
    (void)values;
    (void)count;
}

void ranks_share(struct ranks *ranks, int weight, void *data, size_t size)
{
    (void)ranks;
    (void)weight;
    (void)data;
    (void)size;
}

void ranks_collect(struct ranks *ranks, const void *data, size_t size, void *all)
{
    (void)ranks;
    memcpy(all, data, size);
}

uint64_t ranks_machine(struct ranks *ranks)
{
    (void)ranks;
    return 0;
}
