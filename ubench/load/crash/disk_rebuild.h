/* SPDX-License-Identifier: ISC */
/*
 * What a bad disk could have kept of a folder, from the record of what was done
 * to it (disk_record.h).
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

/* In bytes: where in a file a write may be, and how many of all files may be
   there without ever having been written. */
#define DISK_OFFSET_MAX (UINT64_C(1) << 40)
#define DISK_HOLES_MAX  (UINT64_C(1) << 26)

/*
 * Replaces the files of the folder that are in the record, of the name that
 * messages have; others stay.  A last piece of the record that was cut off by a
 * kill was never done.  The record is checked as if an enemy had written it: it
 * names no file of another folder, and takes little more memory than its bytes.
 * Returns 0, or -1 with err: the record is damaged, no file is
 * in it, or one cannot be written; only in the last case the folder has
 * changed.
 */
int disk_rebuild(const char *folder, const char *name, const char *record,
                 size_t size, uint64_t begun_ns, uint64_t seed,
                 struct err *err);

/* The same with a record that is in a file. */
int disk_rebuild_file(const char *folder, const char *record_path,
                      uint64_t begun_ns, uint64_t seed, struct err *err);

#endif
