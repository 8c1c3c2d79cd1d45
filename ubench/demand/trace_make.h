/* SPDX-License-Identifier: ISC */
/* Makes a trace (lease/trace.h) of a history. */
#ifndef UBENCH_DEMAND_TRACE_MAKE_H
#define UBENCH_DEMAND_TRACE_MAKE_H

#include "core/err.h"
#include "demand/history.h"

/* Writes a new file.  Leases are numbered by their first event, so that nothing is left of their
   addresses.  Returns 0, or -1 with err: there is no history, the file exists, or it cannot be
   written. */
int trace_make(const struct history *history, const char *path, struct err *err);

#endif
