/* SPDX-License-Identifier: ISC */
/* Which file a run may write its leases to: ubench's own and Kea's memfile open
   theirs here. */
#ifndef UBENCH_STORE_MEMFILE_CLAIM_H
#define UBENCH_STORE_MEMFILE_CLAIM_H

#include <stdbool.h>

#include "core/err.h"
#include "lease/lease.h"

/*
 * Opens the file at path, and locks it if the file system has such locks.  If
 * it is not there it is made, and *made says so; made is NULL for a file that
 * has to be there, with leases.  Refuses, and changes nothing, a file that
 * ubench did not write, or that has leases of the other family, or that another
 * process has open here.  Returns the descriptor, or -1 with err.
 */
int claim_file(const char *path, enum lease_family family, bool *made, struct err *err);

#endif
