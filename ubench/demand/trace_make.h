/* SPDX-License-Identifier: ISC */
/* Converts a history to a trace (lease/trace.h). */
#ifndef UBENCH_DEMAND_TRACE_MAKE_H
#define UBENCH_DEMAND_TRACE_MAKE_H

#include "core/err.h"
#include "demand/history.h"

/* Writes a trace to a new file.  Numbers leases by their first event, so that the trace reveals
   nothing about their addresses.  Returns 0, or -1 with err if there is no history, the file
   exists, or it cannot be written. */
int trace_make(const struct history *history, const char *path, struct err *err);

#endif
