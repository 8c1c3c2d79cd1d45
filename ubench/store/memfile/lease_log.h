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
    size_t size;            /* a buffer is written when it holds as much */
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

/* Opens or makes the file at path, which must outlive the log, if claim_file
   lets it, and empties it down to its header.  size in bytes.  Returns 0, or -1
   with err, and then a file that was not there before is gone again. */
int lease_log_open(struct lease_log *log, const char *path,
                   enum lease_file_format format, enum lease_log_level level,
                   size_t size, struct err *err);

/* Writes what is still in the buffer.  A zeroed log is fine.  0, or -1. */
int lease_log_close(struct lease_log *log, struct err *err);

/* Empties the file down to its header again.  Returns 0, or -1 with err. */
int lease_log_reset(struct lease_log *log, struct err *err);

/* Appends the record of a lease that was created or changed, or that was
   removed.  Returns 0, or -1 with err.  *position is for lease_log_wait. */
int lease_log_append(struct lease_log *log, const struct lease *lease,
                     bool removed, uint64_t *position, struct err *err);

/* Waits until what was appended up to position is as safe as the level asks
   for.  Returns 0, or -1 with err. */
int lease_log_wait(struct lease_log *log, uint64_t position, struct err *err);

#endif
