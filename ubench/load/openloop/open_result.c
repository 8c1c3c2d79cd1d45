/* SPDX-License-Identifier: ISC */
#include "load/openloop/open_result.h"

#include <stdlib.h>

void open_result_free(struct open_result *open)
{
    if (open == NULL)
        return;
    rate_search_release(&open->search);
    trial_release(&open->predicted);
    free(open);
}
