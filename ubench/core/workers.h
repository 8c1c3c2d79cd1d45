/* SPDX-License-Identifier: ISC */
/* Runs one function in several threads in parallel. */
#ifndef UBENCH_CORE_WORKERS_H
#define UBENCH_CORE_WORKERS_H

#include <stddef.h>

#include "core/err.h"

enum { WORKERS_MAX = 1000 };

/* Calls body(context, 0) to body(context, count - 1) in parallel, each in its
   own thread, and returns after all have returned.  If count is 1, calls body
   in the caller's thread.  Returns 0, or -1 with err if a thread cannot be
   started; then no body was called. */
int workers_run(size_t count, void (*body)(void *context, size_t index), void *context,
                struct err *err);

#endif
