/* SPDX-License-Identifier: ISC */
/*
 * Results read back: the lines of any number of files, each a struct record.
 * What cannot be used is complained of and left out; the rest is still read.
 */
#ifndef UBENCH_RECORD_ARCHIVE_H
#define UBENCH_RECORD_ARCHIVE_H

#include <stddef.h>

#include "core/arena.h"
#include "core/err.h"
#include "record/record.h"

/* A line of a crash campaign, ubench-crash/1: crash_results.h reads it. */
struct archive_crash {
    const char *file;
    size_t line;
    const char *text; /* the line, not terminated */
    size_t length;
};

/* In the order of the files and their lines.  Everything in it belongs to it
   and lives as long. */
struct archive {
    size_t count;
    const struct record *records;
    size_t crash_count;
    const struct archive_crash *crashes;
    struct arena memory; /* private */
};

/* Called for each line that is left out, in order.  text says why. */
typedef void archive_complain(void *context, const char *file, size_t line,
                              const char *text);

/*
 * Reads files into archive, which need not be initialised.  Lines that are not
 * JSON, are cut short, empty, of another format or version, lack what they
 * need, or stand there twice (in whatever file) are complained of and left out.
 * Returns 0, or -1 with err if a file cannot be read at all; archive is then
 * empty.
 *
 * Without memory it ends the process, as core/arena.h says.
 */
int archive_read(struct archive *archive, const char *const *files,
                 size_t file_count, archive_complain *complain, void *context,
                 struct err *err);

/*
 * Leaves out, with a complaint, what ran in an open loop: there the rate is
 * what was asked for, and says nothing of how fast a store is.
 */
void archive_leave_out_open(struct archive *archive, archive_complain *complain,
                            void *context);

/* The same with parts of runs that were not put together: each is a fraction of
   what its options say. */
void archive_leave_out_parts(struct archive *archive,
                             archive_complain *complain, void *context);

/* What a record is to its readers. */
enum archive_kind {
    ARCHIVE_CLOSED = 1,
    ARCHIVE_OPEN = 2,      /* ran in an open loop */
    ARCHIVE_REFERENCE = 4, /* of a campaign, whose drift it shows; but where
                              there is nothing else it is as any other */
    ARCHIVE_SERVER = 8,    /* the highest rate of a whole DHCP server; what else
                              was measured of one ran in an open loop */
};

/* Of the records, those of some kinds, in memory: a view, not to be released,
   which the archive has to outlive. */
struct archive archive_view(const struct archive *archive, unsigned kinds,
                            struct arena *memory);

/* The same of those of which keep says so. */
struct archive archive_filter(const struct archive *archive,
                              bool (*keep)(const struct record *record,
                                           const void *context),
                              const void *context, struct arena *memory);

void archive_release(struct archive *archive); /* a zeroed archive is fine */

#endif
