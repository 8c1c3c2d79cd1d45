/* SPDX-License-Identifier: ISC */
/*
 * A lease file that is only appended to: each change is a record, and returns
 * when its record is as safe as the level promises.
 *
 * Records are first put into a buffer.  One of the threads that wait for theirs
 * then writes and syncs the records of all ("group commit"), while others
 * append to a second buffer.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_LOG_H
#define UBENCH_STORE_MEMFILE_LEASE_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/durability.h"
#include "core/err.h"
#include "lease/lease_file.h"

struct lease_log {
    /* For lease_log_open. */
    const char *path; /* the caller's */
    enum lease_file_format format;
    /* When a record counts as written: in a buffer of this process (volatile),
       after write(2) (process-safe) or after fdatasync(2) (power-safe), perhaps
       one for several threads. */
    enum durability level;
    uint64_t size; /* in bytes; a buffer is written when it holds as much */

    int file;
    uint64_t syncs;         /* fdatasyncs, ever; of one thread at a time */
    bool shared;            /* by several threads; else no lock is taken */
    pthread_mutex_t lock;   /* for all below */
    pthread_cond_t flushed; /* flushing has become false */
    bool flushing;          /* a thread writes or syncs without the lock */
    struct lease_writer writer;
    char *buffer; /* what was appended and not yet written */
    char *spare;  /* the flushing thread's, while there is one */
    size_t used;
    uint64_t appended; /* bytes, ever */
    uint64_t safe;     /* of them, those that are as safe as asked for */
    /* Once writing failed nothing is certain: after a failed fsync the kernel
       may have dropped the data, and a later one succeeds all the same.  So
       nothing after it succeeds. */
    bool broken;
    struct err failure;
};

/* Opens or makes the file at path, if claim_file lets it, and empties it down to
   its header.  All else is zeroed before.  Returns 0, or -1 with err, and then a
   file that was not there before is gone again. */
int lease_log_open(struct lease_log *log, struct err *err);

/* Writes what is still in the buffer.  A zeroed log is fine.  0, or -1. */
int lease_log_close(struct lease_log *log, struct err *err);

/* Empties the file down to its header again.  Returns 0, or -1 with err. */
int lease_log_reset(struct lease_log *log, struct err *err);

/* Appends the record of a lease that was created or changed, or that was
   removed.  Returns 0, or -1 with err.  *position is for lease_log_wait. */
int lease_log_append(struct lease_log *log, const struct lease *lease, bool removed,
                     uint64_t *position, struct err *err);

/* Waits until what was appended up to position is as safe as the level asks
   for.  Returns 0, or -1 with err. */
int lease_log_wait(struct lease_log *log, uint64_t position, struct err *err);

#endif
