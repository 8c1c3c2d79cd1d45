/* SPDX-License-Identifier: ISC */
/* The file system of a store that is a file. */
#ifndef UBENCH_STORE_FILE_SYSTEM_H
#define UBENCH_STORE_FILE_SYSTEM_H

#include "core/err.h"
#include "store/backend.h"

/* Returns the name of the file system that holds path: "ext4"; "unknown" if it
   is unknown or not a common one. */
const char *file_system_name(const char *path);

/* Adds the file system that holds path to a promise, with a limit if it is in
   memory: a power loss removes a file there, even a synced one. */
void file_system_promise(const char *path, struct promise *promise);
extern const struct durability_limit file_system_limits[];

/* Syncs the directory entry of path, an open file, so that it survives a power
   loss; fdatasync of the file does not.  Returns 0, or -1 with errno set. */
int file_system_sync_folder(const char *path);

#endif
