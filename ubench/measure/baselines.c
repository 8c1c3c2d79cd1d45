/* SPDX-License-Identifier: ISC */
#include "measure/baselines.h"

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

enum { SYNCS_MAX = 100 };
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
    enum { BATCHES = 25, BATCH = 1000 };
    uint64_t samples[BATCHES];

    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t begun_ns = clock_now_ns();
        for (int i = 1; i < BATCH; i++)
            (void)clock_now_ns();
        samples[batch] = clock_now_ns() - begun_ns;
    }
    return (double)sort_for_median(samples, BATCHES) / (double)BATCH;
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
    (void)snprintf(path, sizeof path, "%s/.ubench-floor.XXXXXX", folder);
    file = mkstemp(path);
    if (file < 0)
        return fail(err, folder, "make a temporary file");
    (void)unlink(path);
    return file;
}

/* The file under test and the record that is written to it, over and over. */
struct bench {
    const char *folder; /* for errors */
    int file;
    char record[250];
};

static int sync_record(const struct bench *bench, uint64_t position,
                       struct err *err)
{
    const size_t size = sizeof bench->record;

    if (pwrite(bench->file, bench->record, size, (off_t)(position * size)) !=
        (ssize_t)size)
        return fail(err, bench->folder, "write to a temporary file");
    /* A call of the kernel itself: a library that makes nothing of fdatasync
       for all of this process (libeatmydata) must not make nothing of the
       baseline. */
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

int baselines_fdatasync(const char *folder, struct baselines_sync *result,
                        struct err *err)
{
    struct bench bench = { .folder = folder,
                           .file = open_unnamed(folder, err) };
    struct baselines_sync sync = { 0 };

    *result = sync;
    if (bench.file < 0)
        return -1;
    /* Bytes that no file system can shrink or leave out. */
    for (size_t i = 0; i < sizeof bench.record; i++)
        bench.record[i] = (char)random_at(1, i);
    /* The first sync makes the file itself durable: not a record's price. */
    const bool done =
        sync_record(&bench, 0, err) == 0 &&
        time_syncs(&bench, 1, SYNCS_MAX, &sync.append, err) == 0 &&
        time_syncs(&bench, 0, 1 + sync.append.count, &sync.overwrite, err) == 0;
    (void)close(bench.file);
    if (done)
        *result = sync;
    return done ? 0 : -1;
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
