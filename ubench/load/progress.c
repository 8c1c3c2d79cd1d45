/* SPDX-License-Identifier: ISC */
#include "load/progress.h"

#include <stdlib.h>
#include <string.h>

struct progress *progress_new(void)
{
    struct progress *const progress =
        aligned_alloc(_Alignof(struct progress), sizeof *progress);

    if (progress != NULL)
        memset(progress, 0, sizeof *progress);
    return progress;
}

void progress_free(struct progress *progress)
{
    free(progress);
}
