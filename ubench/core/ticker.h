/* SPDX-License-Identifier: ISC */
/* A thread that does one thing at intervals. */
#ifndef UBENCH_CORE_TICKER_H
#define UBENCH_CORE_TICKER_H

#include <stdint.h>

#include "core/err.h"

struct ticker;

/* Calls tick(context) in a thread of its own, the first time after period_ns
   and then each time so long after the last call has returned.  NULL with err
   on failure. */
struct ticker *ticker_start(uint64_t period_ns, void (*tick)(void *context),
                            void *context, struct err *err);

/* Waits for a call in progress; there is none after it.  NULL is fine. */
void ticker_stop(struct ticker *ticker);

#endif
