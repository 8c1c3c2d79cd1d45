/* SPDX-License-Identifier: ISC */
#include "measure/baselines.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/random.h"

/* glibc hides the flag's public name behind _GNU_SOURCE.  Without either name
   a folder cannot be opened for writing, and mkstemp has to do. */
#if !defined O_TMPFILE && defined __O_TMPFILE
#define O_TMPFILE __O_TMPFILE
#elif !defined O_TMPFILE
#define O_TMPFILE O_DIRECTORY
#endif

enum {
    CLOCK_BATCH = 1000,
    CLOCK_BATCHES_MIN = 5,
    CLOCK_BATCHES_MAX = 63,
    SYNCS_MAX = 100,
};
static const uint64_t clock_budget_ns = NS_PER_S / 1000;
static const uint64_t sync_budget_ns = NS_PER_S / 10;
static const double tolerance = 1.2;

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Sorts the samples; of an even number, the mean of the middle two. */
static uint64_t sort_for_median(uint64_t *samples, size_t count)
{
    qsort(samples, count, sizeof samples[0], compare);
    return (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}

double baselines_clock_ns(void)
{
    uint64_t samples[CLOCK_BATCHES_MAX];
    size_t count = 0;
    const uint64_t start_ns = clock_now_ns();
    uint64_t end_ns = start_ns;

    while (count < CLOCK_BATCHES_MAX &&
           (count < CLOCK_BATCHES_MIN || end_ns - start_ns < clock_budget_ns)) {
        const uint64_t begin_ns = clock_now_ns();
        for (int i = 1; i < CLOCK_BATCH; i++)
            (void)clock_now_ns();
        end_ns = clock_now_ns();
        samples[count++] = end_ns - begin_ns;
    }
    return (double)sort_for_median(samples, count) / (double)CLOCK_BATCH;
}

static int fail(struct err *err, const char *folder, const char *action)
{
    return err_set(err, "baselines: %s: cannot %s: %s (%d)", folder, action,
                   strerror(errno), errno);
}

/* A file without a name.  Not every file system has O_TMPFILE (NFS, FUSE);
   what else is wrong with the folder, mkstemp finds and says, too. */
static int open_unnamed(const char *folder, struct err *err)
{
    char path[PATH_MAX];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (file >= 0)
        return file;
    if (snprintf(path, sizeof path, "%s/.ubench-floor.XXXXXX", folder) >=
        (int)sizeof path) {
        errno = ENAMETOOLONG;
        return fail(err, folder, "make a temporary file");
    }
    file = mkstemp(path);
    if (file < 0)
        return fail(err, folder, "make a temporary file");
    if (unlink(path) != 0) {
        (void)fail(err, folder, "unlink a temporary file");
        (void)close(file);
        return -1;
    }
    return file;
}

/* The file under test and what is written to it, over and over. */
struct bench {
    const char *folder; /* for errors */
    int file;
    char *record;
    size_t record_bytes;
};

static int sync_record(const struct bench *bench, uint64_t position,
                       struct err *err)
{
    const off_t offset = (off_t)(position * bench->record_bytes);

    if (pwrite(bench->file, bench->record, bench->record_bytes, offset) !=
        (ssize_t)bench->record_bytes)
        return fail(err, bench->folder, "write to a temporary file");
    /* Of the kernel itself: a library that makes nothing of fdatasync for all
       of this process (libeatmydata) must not make nothing of the baseline. */
    if (syscall(SYS_fdatasync, bench->file) != 0)
        return fail(err, bench->folder, "sync a temporary file");
    return 0;
}

/* Writes the records from first on, and after ring of them, these again. */
static int time_syncs(const struct bench *bench, uint64_t first, uint64_t ring,
                      struct baselines_times *times, struct err *err)
{
    uint64_t samples[SYNCS_MAX];
    size_t count = 0;
    const uint64_t start_ns = clock_now_ns();
    uint64_t begin_ns = start_ns;

    do {
        if (sync_record(bench, first + count % ring, err) != 0)
            return -1;
        const uint64_t end_ns = clock_now_ns();
        samples[count++] = end_ns - begin_ns;
        begin_ns = end_ns;
    } while (count < SYNCS_MAX && begin_ns - start_ns < sync_budget_ns);
    times->median_ns = sort_for_median(samples, count);
    times->count = count;
    times->min_ns = samples[0];
    return 0;
}

static int run_bench(const struct bench *bench, struct baselines_sync *result,
                     struct err *err)
{
    /* Bytes that no file system can shrink or leave out. */
    for (size_t i = 0; i < bench->record_bytes; i++)
        bench->record[i] = (char)random_at(1, i);
    /* The first sync makes the file itself durable: not a record's price. */
    if (sync_record(bench, 0, err) != 0 ||
        time_syncs(bench, 1, SYNCS_MAX, &result->append, err) != 0)
        return -1;
    return time_syncs(bench, 0, 1 + result->append.count, &result->overwrite,
                      err);
}

int baselines_fdatasync(const char *folder, size_t record_bytes,
                        struct baselines_sync *result, struct err *err)
{
    struct bench bench = { .folder = folder, .record_bytes = record_bytes };

    assert(record_bytes > 0);
    *result = (struct baselines_sync){ 0 };
    bench.record = malloc(record_bytes);
    if (bench.record == NULL)
        return fail(err, folder, "make a record to write");
    bench.file = open_unnamed(folder, err);
    int status = -1;
    if (bench.file >= 0) {
        status = run_bench(&bench, result, err);
        (void)close(bench.file);
    }
    free(bench.record);
    if (status != 0)
        *result = (struct baselines_sync){ 0 };
    return status;
}

bool baselines_too_fast(double changes_per_s, uint64_t sharing,
                        const struct baselines_sync *baseline)
{
    if (baseline->append.count == 0 || baseline->overwrite.count == 0)
        return false;
    const uint64_t best_ns =
        baseline->append.min_ns < baseline->overwrite.min_ns
            ? baseline->append.min_ns
            : baseline->overwrite.min_ns;
    const double best_s = (double)best_ns / (double)NS_PER_S;
    /* A product, so that a baseline of 0 is no division by it. */
    return changes_per_s * best_s > tolerance * (double)sharing;
}
