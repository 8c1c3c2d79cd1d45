/* SPDX-License-Identifier: ISC */
#include "measure/baselines.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/random.h"
#include "measure/histogram.h"

/* glibc hides the flag's public name behind _GNU_SOURCE.  Without either name a
   directory cannot be opened for writing, and mkstemp is used instead. */
#if !defined O_TMPFILE && defined __O_TMPFILE
#define O_TMPFILE __O_TMPFILE
#elif !defined O_TMPFILE
#define O_TMPFILE O_DIRECTORY
#endif

enum { SYNCS_MAX = 100 };
static const uint64_t sync_budget_ns = NS_PER_S / 10;
static const double tolerance = 1.2;

double baselines_clock_ns(void)
{
    enum { BATCHES = 25, BATCH = 1000 };
    struct histogram batches;

    histogram_init(&batches);
    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t begun_ns = clock_now_ns();
        for (int i = 1; i < BATCH; i++)
            (void)clock_now_ns();
        histogram_record(&batches, clock_now_ns() - begun_ns);
    }
    return histogram_quantile(&batches, 0.5) / (double)BATCH;
}

/* Opens a file without a name.  Where the file system has no O_TMPFILE (NFS,
   FUSE), creates a file and unlinks it.  Returns -1 on failure. */
static int open_unnamed(const char *folder)
{
    char path[PATH_MAX];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (file >= 0)
        return file;
    (void)snprintf(path, sizeof path, "%s/.ubench-floor.XXXXXX", folder);
    file = mkstemp(path);
    if (file >= 0)
        (void)unlink(path);
    return file;
}

/* The file under test, and the record that is written to it repeatedly. */
struct bench {
    int file;
    char record[250];
};

/* Calls the kernel directly: a library that disables fdatasync for this process
   (libeatmydata) must not disable it for the baseline. */
static bool sync_record(const struct bench *bench, uint64_t position)
{
    const size_t size = sizeof bench->record;

    return pwrite(bench->file, bench->record, size, (off_t)(position * size)) == (ssize_t)size &&
           syscall(SYS_fdatasync, bench->file) == 0;
}

/* Writes records from position first on; after ring records, writes over these
   again.  Returns false if a write failed. */
static bool time_syncs(const struct bench *bench, uint64_t first, uint64_t ring,
                       struct histogram *times)
{
    const uint64_t start_ns = clock_now_ns();
    uint64_t begin_ns = start_ns;

    histogram_init(times);
    do {
        if (!sync_record(bench, first + times->count % ring))
            return false;
        const uint64_t end_ns = clock_now_ns();
        histogram_record(times, end_ns - begin_ns);
        begin_ns = end_ns;
    } while (times->count < SYNCS_MAX && begin_ns - start_ns < sync_budget_ns);
    return true;
}

void baselines_fdatasync(const char *folder, double *median_ns, double *min_ns)
{
    struct bench bench = { .file = open_unnamed(folder) };
    struct histogram append;
    struct histogram overwrite;

    if (bench.file < 0)
        return;
    /* Bytes that no file system can compress or omit. */
    for (size_t i = 0; i < sizeof bench.record; i++)
        bench.record[i] = (char)random_at(1, i);
    /* The first sync also makes the file itself durable, so it is not timed. */
    if (sync_record(&bench, 0) && time_syncs(&bench, 1, SYNCS_MAX, &append) &&
        time_syncs(&bench, 0, 1 + append.count, &overwrite)) {
        *median_ns = histogram_quantile(&append, 0.5);
        *min_ns = fmin((double)append.min_ns, (double)overwrite.min_ns);
    }
    (void)close(bench.file);
}

bool baselines_too_fast(uint64_t changes, uint64_t elapsed_ns, uint64_t sharing, double sync_ns)
{
    return elapsed_ns > 0 &&
           (double)changes * sync_ns > tolerance * (double)sharing * (double)elapsed_ns;
}
