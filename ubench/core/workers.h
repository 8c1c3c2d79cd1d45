/* SPDX-License-Identifier: ISC */
/* Runs one function in several threads at once. */
#ifndef UBENCH_CORE_WORKERS_H
#define UBENCH_CORE_WORKERS_H

#include <stddef.h>

#include "core/err.h"

enum { WORKERS_MAX = 1000 };

/* Calls body(context, 0) to body(context, count - 1) in a thread each, all at
   once, and returns when all have returned; a single one is called in the
   caller's own thread.  Returns 0, or -1 with err if a thread cannot be
   started; then no body was called. */
int workers_run(size_t count, void (*body)(void *context, size_t index), void *context,
                struct err *err);

#endif
