/* SPDX-License-Identifier: ISC */
#include "store/memfile/lease_log.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/file_system.h"
#include "store/memfile/claim.h"

static void lock(struct lease_log *log)
{
    if (log->shared)
        (void)pthread_mutex_lock(&log->lock);
}

static void unlock(struct lease_log *log)
{
    if (log->shared)
        (void)pthread_mutex_unlock(&log->lock);
}

static int fail(const struct lease_log *log, const char *action, struct err *err)
{
    const int error = errno;
    const enum err_class class = error == ENOSPC || error == EDQUOT ? ERR_FULL : ERR_OTHER;

    return err_set_class(err, class, "memfile: %s %s: %s", action, log->path, strerror(error));
}

/* Records a failure, which all later calls return. */
static int stay_broken(struct lease_log *log, const struct err *err)
{
    log->broken = true;
    log->failure = *err;
    return -1;
}

static int write_all(const struct lease_log *log, const char *bytes, size_t length, struct err *err)
{
    while (length > 0) {
        const ssize_t written = write(log->file, bytes, length);

        /* After a short write the next write fails and gives the reason. */
        if (written < 0)
            return fail(log, "writing", err);
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

static int sync_file(struct lease_log *log, struct err *err)
{
    if (log->level != DURABILITY_POWER_SAFE)
        return 0;
    (void)atomic_fetch_add_explicit(&log->syncs, 1, memory_order_relaxed);
    return fdatasync(log->file) == 0 ? 0 : fail(log, "syncing", err);
}

/* Writes all appended records, and syncs them if the level requires it. */
static int write_and_sync(struct lease_log *log, struct err *err)
{
    if (write_all(log, log->buffer, log->used, err) != 0 || sync_file(log, err) != 0)
        return stay_broken(log, err);
    log->used = 0;
    log->safe = log->appended;
    return 0;
}

int lease_log_reset(struct lease_log *log, struct err *err)
{
    if (ftruncate(log->file, 0) != 0 || lseek(log->file, 0, SEEK_SET) != 0)
        return fail(log, "emptying", err);
    log->used = lease_writer_header(&log->writer, log->buffer);
    log->appended += log->used; /* positions already returned stay valid */
    if (write_and_sync(log, err) != 0)
        return -1;
    if (log->level == DURABILITY_POWER_SAFE && file_system_sync_folder(log->path) != 0)
        return fail(log, "syncing the folder of", err);
    return 0;
}

static void release(struct lease_log *log)
{
    if (log->file >= 0)
        (void)close(log->file);
    (void)pthread_mutex_destroy(&log->lock);
    (void)pthread_cond_destroy(&log->flushed);
    free(log->buffer);
    free(log->spare);
    log->buffer = log->spare = NULL;
}

int lease_log_open(struct lease_log *log, struct err *err)
{
    const enum lease_family family =
        log->format == LEASE_FILE_KEA6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4;
    bool made = false;

    log->file = -1;
    log->buffer = malloc(log->size + LEASE_FILE_RECORD_MAX);
    log->spare = malloc(log->size + LEASE_FILE_RECORD_MAX);
    lease_writer_init(&log->writer, log->format);
    (void)pthread_mutex_init(&log->lock, NULL);
    (void)pthread_cond_init(&log->flushed, NULL);
    if (log->buffer == NULL || log->spare == NULL)
        (void)err_set(err, "memfile: out of memory");
    else
        log->file = claim_file(log->path, family, &made, err);
    if (log->file >= 0 && lease_log_reset(log, err) == 0)
        return 0;
    if (made)
        (void)unlink(log->path);
    release(log);
    return -1;
}

int lease_log_close(struct lease_log *log, struct err *err)
{
    int status = 0;

    if (log->buffer == NULL)
        return 0;
    if (!log->broken && log->used > 0)
        status = write_and_sync(log, err);
    release(log);
    return status;
}

/* Frees space in the buffer for a record; older records are written first. */
static int make_room(struct lease_log *log, struct err *err)
{
    while (log->used >= log->size && log->flushing)
        (void)pthread_cond_wait(&log->flushed, &log->lock);
    if (log->broken) {
        *err = log->failure;
        return -1;
    }
    if (log->used < log->size)
        return 0;
    if (write_all(log, log->buffer, log->used, err) != 0)
        return stay_broken(log, err);
    log->used = 0;
    return 0;
}

int lease_log_append(struct lease_log *log, const struct lease *lease, bool removed,
                     uint64_t *position, struct err *err)
{
    lock(log);
    const int status = make_room(log, err);
    if (status == 0) {
        const size_t length =
            lease_writer_record(&log->writer, lease, removed, log->buffer + log->used);

        log->used += length;
        log->appended += length;
        *position = log->appended;
    }
    unlock(log);
    return status;
}

/* Writes and syncs, without the lock, the records appended so far. */
static void lead(struct lease_log *log, struct err *err)
{
    log->flushing = true;
    /* The threads that the last flush woke are about to append: if not now,
       they need another sync. */
    unlock(log);
    (void)sched_yield();
    lock(log);
    char *const bytes = log->buffer;
    const size_t length = log->used;
    const uint64_t end = log->appended;

    log->buffer = log->spare;
    log->spare = bytes;
    log->used = 0;
    unlock(log);
    const bool done = write_all(log, bytes, length, err) == 0 && sync_file(log, err) == 0;
    lock(log);
    log->flushing = false;
    if (done)
        log->safe = end;
    else
        (void)stay_broken(log, err);
    (void)pthread_cond_broadcast(&log->flushed);
}

int lease_log_wait(struct lease_log *log, uint64_t position, struct err *err)
{
    lock(log);
    while (log->safe < position && !log->broken) {
        if (log->level == DURABILITY_PROCESS_SAFE)
            (void)write_and_sync(log, err); /* faster than waiting for another thread */
        else if (log->flushing)
            (void)pthread_cond_wait(&log->flushed, &log->lock);
        else
            lead(log, err);
    }
    const bool safe = log->safe >= position;
    if (!safe)
        *err = log->failure;
    unlock(log);
    return safe ? 0 : -1;
}
