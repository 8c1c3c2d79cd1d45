/* SPDX-License-Identifier: ISC */
/*
 * What a bad disk could have kept of a folder, from the record of what was done
 * to it (disk/record.h).
 *
 * What was synced is there.  Of what was not, each sector of each write is
 * there or not, by the seed, whatever is there of those before and after it,
 * and so is each truncation.  Files that were made or removed since the folder
 * was synced are so up to some moment.  All that was done before begun_ns is
 * taken for synced.
 */
#ifndef UBENCH_LOAD_CRASH_DISK_REBUILD_H
#define UBENCH_LOAD_CRASH_DISK_REBUILD_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/*
 * Replaces the files of the folder that are in the record; others stay.  A last
 * piece of the record that was cut off by a kill was never done.  Returns 0, or
 * -1 with err: no file is in the record, or one cannot be written.
 */
int disk_rebuild(const char *folder, const char *record, size_t size,
                 uint64_t begun_ns, uint64_t seed, struct err *err);

/* The same with a record that is in a file. */
int disk_rebuild_file(const char *folder, const char *record_path,
                      uint64_t begun_ns, uint64_t seed, struct err *err);

#endif
