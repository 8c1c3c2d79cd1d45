/* SPDX-License-Identifier: ISC */
/*
 * The lease file of memfile: a log that only grows, of records that are
 * acknowledged once they are as safe as its level asks for.
 *
 * Threads share it.  The lock is the caller's: who changes leases takes it,
 * changes them, appends the records and lets it go, so that the order in the
 * file is the order in memory.  lease_log_wait then goes on without it: one of
 * those who wait writes and syncs what all of them have appended ("group
 * commit"), while others append to a second buffer.
 */
#ifndef UBENCH_STORE_MEMFILE_LEASE_LOG_H
#define UBENCH_STORE_MEMFILE_LEASE_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "lease/lease_file.h"

/* When a record counts as written. */
enum lease_log_level {
    LEASE_LOG_BUFFER, /* in a buffer of this process */
    LEASE_LOG_WRITE,  /* after write(2), perhaps one for several threads */
    LEASE_LOG_SYNC,   /* after fdatasync(2), perhaps one for several */
};

struct lease_log {
    const char *path;
    int file;
    enum lease_log_level level;
    struct lease_writer writer;
    pthread_mutex_t lock;   /* for all below, and for the caller's leases */
    pthread_cond_t flushed; /* the flusher is done */
    bool flushing;          /* somebody writes or syncs outside the lock */
    char *buffer;           /* what was appended and not yet written */
    char *spare;            /* the flusher's, while there is one */
    size_t used;
    size_t size;       /* it is written when it holds as much */
    uint64_t appended; /* bytes, ever */
    uint64_t safe;     /* of them, those that are as safe as asked for */
    /* Once writing failed nothing is certain: after a failed fsync the kernel
       may have dropped the data, and a later one succeeds all the same.  So
       nothing after it succeeds. */
    bool broken;
    _Atomic(uint64_t) syncs; /* fdatasyncs, ever */
    struct err failure;
};

/*
 * Opens or makes the file at path, which must outlive the log, and empties it
 * down to its header.  Refuses, touching nothing, a file that ubench did not
 * write or wrote leases of the other family to, or that another process has
 * open here.  buffer_size in bytes.
 * Returns 0, or -1 with err, and then a file that was not there before is gone
 * again.
 */
int lease_log_open(struct lease_log *log, const char *path,
                   enum lease_file_format format, enum lease_log_level level,
                   size_t buffer_size, struct err *err);

/* Writes what is still in the buffer.  A zeroed log is fine.  0, or -1. */
int lease_log_close(struct lease_log *log, struct err *err);

/* Empties the file down to its header again.  Returns 0, or -1 with err. */
int lease_log_reset(struct lease_log *log, struct err *err);

/* Takes the lock, when there is room for a record; fails with err if the log is
   broken.  0, or -1. */
int lease_log_lock(struct lease_log *log, struct err *err);
void lease_log_unlock(struct lease_log *log);

/*
 * Appends the record of a lease that was created or changed, or that was
 * removed.  Under the lock, or while there is one thread.  Returns 0, or -1
 * with err.  *position is what lease_log_wait wants.
 */
int lease_log_append(struct lease_log *log, const struct lease *lease,
                     bool removed, uint64_t *position, struct err *err);

/* Makes all that was appended as safe as the level asks for.  For a caller that
   is alone: it does not lock.  Returns 0, or -1 with err. */
int lease_log_flush(struct lease_log *log, struct err *err);

/* Waits until what was appended up to position is as safe as the level asks
   for.  Without the lock.  Returns 0, or -1 with err. */
int lease_log_wait(struct lease_log *log, uint64_t position, struct err *err);

#endif
