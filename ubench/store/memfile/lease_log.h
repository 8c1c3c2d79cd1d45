/* SPDX-License-Identifier: ISC */
/*
 * An append-only lease file.  Each change is a record; the change returns when
 * its record is as safe as the level promises.
 *
 * Records are first appended to a buffer.  One of the waiting threads writes
 * and syncs the records of all ("group commit"), while other threads append to
 * a second buffer.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_LOG_H
#define UBENCH_STORE_MEMFILE_LEASE_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/durability.h"
#include "core/err.h"
#include "lease/lease_file.h"

struct lease_log {
    /* Set before lease_log_open. */
    const char *path; /* owned by the caller */
    enum lease_file_format format;
    /* When a record counts as written: in a buffer of this process (volatile),
       after write(2) (process-safe) or after fdatasync(2) (power-safe), which
       may be one for several threads. */
    enum durability level;
    uint64_t size; /* bytes of a buffer, which is written when it is full */

    int file;
    _Atomic(uint64_t) syncs; /* number of fdatasyncs since open; only one thread syncs at a time,
                                and others read it */
    bool shared;             /* used by several threads; else no lock is taken */
    pthread_mutex_t lock;    /* protects the members below */
    pthread_cond_t flushed;  /* signalled when flushing becomes false */
    bool flushing;           /* a thread is writing or syncing without the lock */
    struct lease_writer writer;
    char *buffer; /* records appended and not yet written */
    char *spare;  /* the second buffer; in use by the flushing thread while flushing */
    size_t used;
    uint64_t appended; /* bytes since open */
    uint64_t safe;     /* bytes of appended that are as safe as level requires */
    /* After a failed write all later calls fail: after a failed fsync the
       kernel may have dropped the data, and a later fsync succeeds
       nevertheless. */
    bool broken;
    struct err failure;
};

/* Opens or creates the file at path, if claim_file allows it, and truncates it
   to its header.  All other members are zeroed before.  On failure, returns -1
   with err and removes a file that it created; else 0. */
int lease_log_open(struct lease_log *log, struct err *err);

/* Writes the rest of the buffer and closes the file.  A zeroed log is fine.
   Returns 0, or -1 with err. */
int lease_log_close(struct lease_log *log, struct err *err);

/* Truncates the file to its header.  Returns 0, or -1 with err. */
int lease_log_reset(struct lease_log *log, struct err *err);

/* Appends the record of a lease that was created, changed or removed.  Returns
   0 and the *position for lease_log_wait, or -1 with err. */
int lease_log_append(struct lease_log *log, const struct lease *lease, bool removed,
                     uint64_t *position, struct err *err);

/* Waits until all records up to position are as safe as the level requires.
   Returns 0, or -1 with err. */
int lease_log_wait(struct lease_log *log, uint64_t position, struct err *err);

#endif
