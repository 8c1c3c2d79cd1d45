/* SPDX-License-Identifier: ISC */
/* What is in the store after the last exchange. */
#ifndef UBENCH_LOAD_EXCHANGE_CHECKS_H
#define UBENCH_LOAD_EXCHANGE_CHECKS_H

#include "load/load.h"

struct exchanges;

/* Counts the leases, and reads some of them back, of each worker and in each
   state.  Fills err unless the end is LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end exchanges_check_after(struct exchanges *all,
                                    struct load_result *result,
                                    struct err *err);

#endif
