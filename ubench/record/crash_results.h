/* SPDX-License-Identifier: ISC */
/*
 * What crash campaigns came to: the lines of ubench-crash/1 of an archive,
 * grouped by file, cell and level.  See results/README.md, "Crashes".
 *
 * A file is a campaign.  What is said of a level holds only where the
 * campaign's own controls passed there: crash_doubt.
 */
#ifndef UBENCH_RECORD_CRASH_RESULTS_H
#define UBENCH_RECORD_CRASH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "record/archive.h"

enum crash_figure {
    CRASH_LEASES, /* that were not as the last acknowledgement left them */
    CRASH_WINDOW_OPERATIONS,
    CRASH_WINDOW_NS,
    CRASH_RECOVERY_NS,
    CRASH_FIGURES
};

/* A crash that was judged.  RECORD_UNKNOWN: it was not counted. */
struct crash {
    uint64_t figures[CRASH_FIGURES];
};

/* All crashes of the same settings at one level of one campaign. */
struct crash_cell {
    const char *file;
    const char *name;
    const char *level; /* "1", "1b", "1c", "2", "3", "4", "4k", ... */
    const char *store;
    const char *product;
    const char *class;   /* of durability; "" if no crash told, or "mixed" */
    const char *from;    /* the settings that the class was computed from */
    const char *control; /* "loses at 2", "keeps at 1 2" or "" */
    uint64_t batch;
    uint64_t lossy;   /* crashes that lost or damaged what was acknowledged */
    uint64_t corrupt; /* of the lossy */
    uint64_t holes;
    uint64_t torn;    /* left a part of a transaction that was not committed */
    uint64_t invalid; /* not judged: the harness failed */
    size_t judged;
    size_t room;
    struct crash *crashes; /* those that were judged */
};

struct crash_results {
    size_t count;
    size_t room;
    struct crash_cell *cells; /* by file and level, else as they came */
    struct arena memory;      /* private */
};

/* Lines that are not what they have to be are complained of and left out.  The
   archive has to outlive it. */
void crash_results_gather(struct crash_results *results,
                          const struct archive *archive,
                          archive_complain *complain, void *context);
void crash_results_release(struct crash_results *results); /* zeroed is fine */

/* Why nothing may be said of the cell's level; NULL if its controls passed. */
const char *crash_doubt(const struct crash_results *results,
                        const struct crash_cell *cell);

/* True of a cell that has to lose at its level: it is there to do so. */
bool crash_must_lose(const struct crash_cell *cell);

/* True if its controls passed and it lost what its class promises to keep. */
bool crash_contradicts(const struct crash_results *results,
                       const struct crash_cell *cell);

/* How often it loses in truth, at most, with a confidence of 95 %; 1 if none
   was judged. */
double crash_bound(const struct crash_cell *cell);

/* "kill -9", "power cut", ... */
const char *crash_level_name(const char *level);

/*
 * What was seen of a store with the same version, settings (as far as
 * durability depends on them) and size of transactions as the record: of each
 * level the cell that did worst, "power cut 3 of 20 (at most 34.4 %)"; "" if
 * there is none that says anything.
 */
const char *crash_results_of(const struct crash_results *results,
                             const struct record *record, struct arena *memory);

#endif
