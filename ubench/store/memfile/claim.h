/* SPDX-License-Identifier: ISC */
/* Claims the lease file of a run, for ubench's memfile and for Kea's. */
#ifndef UBENCH_STORE_MEMFILE_CLAIM_H
#define UBENCH_STORE_MEMFILE_CLAIM_H

#include <stdbool.h>

#include "core/err.h"
#include "lease/lease.h"

/*
 * Opens the file at path and locks it, if the file system supports such locks.
 * Creates an absent file and sets *made; with made NULL the file must exist
 * and hold leases.  Refuses, without a change, a file that ubench did not
 * write, that has leases of the other family, or that another process on this
 * machine has open.  Returns the descriptor, or -1 with err.
 */
int claim_file(const char *path, enum lease_family family, bool *made, struct err *err);

#endif
