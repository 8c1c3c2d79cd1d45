/* SPDX-License-Identifier: ISC */
/* Uses up processor time, as the work of another program would. */
#ifndef UBENCH_CORE_BURN_H
#define UBENCH_CORE_BURN_H

#include <stdint.h>

/* Returns when the calling thread has used ns nanoseconds of processor time
   more, and about a microsecond besides: measured by the thread's own clock
   (CLOCK_THREAD_CPUTIME_ID), so that it takes longer on a machine where others
   want the processor too, as work does. */
void burn_ns(uint64_t ns);

#endif
