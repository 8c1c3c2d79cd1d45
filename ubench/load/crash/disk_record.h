/* SPDX-License-Identifier: ISC */
/*
 * What a process did to the files of one folder, as ubench_disk.so writes it
 * down and scripts/crash_disk.py reads it: these headers, each followed by the file's
 * name in the folder and, of a write, by its bytes.
 */
#ifndef UBENCH_LOAD_CRASH_DISK_RECORD_H
#define UBENCH_LOAD_CRASH_DISK_RECORD_H

#include <stdint.h>

enum disk_kind {
    DISK_CREATE = 1, /* a file of that name, of its own number */
    DISK_REMOVE,
    DISK_WRITE,    /* length bytes at offset */
    DISK_TRUNCATE, /* to offset */
    DISK_SYNC,     /* begins; of a number of its own in offset */
    DISK_SYNCED,   /* that one has ended well: what was done to the file before
                      it began is safe.  An empty name: the folder */
};

struct disk_header {
    uint32_t kind;
    uint32_t name_length;
    uint64_t at_ns; /* by the clock of core/clock.h */
    uint64_t offset;
    uint64_t length; /* of the bytes that follow the name */
};

enum {
    DISK_NAME_MAX = 255,
    DISK_SECTOR = 512,
    DISK_WRITE_MAX = 0x7ffff000 /* bytes; no call of write(2) takes more */
};

#endif
