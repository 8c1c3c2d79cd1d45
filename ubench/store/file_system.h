/* SPDX-License-Identifier: ISC */
/* The file system below a store that is a file. */
#ifndef UBENCH_STORE_FILE_SYSTEM_H
#define UBENCH_STORE_FILE_SYSTEM_H

#include "core/err.h"
#include "store/backend.h"

/* The name of the file system that holds path: "ext4"; "unknown" if it is none
   of the usual ones or unknown. */
const char *file_system_name(const char *path);

/* Adds the file system that holds path to a promise: a file in one in memory is
   gone with the power, whatever was synced to it. */
void file_system_promise(const char *path, struct promise *promise);
extern const struct durability_limit file_system_limits[];

/* Makes the entry of path, an open file's, in its folder survive power loss:
   fdatasync of a file does not.  Returns 0, or -1 with errno set. */
int file_system_sync_folder(const char *path);

#endif
