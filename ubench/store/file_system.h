/* SPDX-License-Identifier: ISC */
/* The file system below a store that is a file. */
#ifndef UBENCH_STORE_FILE_SYSTEM_H
#define UBENCH_STORE_FILE_SYSTEM_H

#include "core/err.h"
#include "store/backend.h"

/* The name of the file system that holds path: "ext4"; "unknown" if it is none
   of the usual ones or unknown. */
const char *file_system_name(const char *path);

/* The class that a file has on the file system that holds path: one in memory
   (tmpfs, ramfs) is gone with the power, whatever was synced to it. */
enum durability file_system_limit(const char *path, enum durability durability);

/* Makes the entry of path, an open file's, in its folder survive power loss:
   fdatasync of a file does not.  Returns 0, or -1 with errno set. */
int file_system_sync_folder(const char *path);

#endif
