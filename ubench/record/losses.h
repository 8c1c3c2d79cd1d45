/* SPDX-License-Identifier: ISC */
/*
 * What crash campaigns came to: the lines of ubench-crash/1 of an archive, put
 * together by cell and level.  See results/README.md, "Crashes".
 *
 * A file is a campaign.  What is said of a level holds only where the
 * campaign's own controls passed there: losses_doubt.
 */
#ifndef UBENCH_RECORD_LOSSES_H
#define UBENCH_RECORD_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "record/archive.h"

/* A crash that was judged.  RECORD_UNKNOWN: nobody knows. */
struct loss {
    bool lossy;      /* something acknowledged was lost or damaged */
    uint64_t leases; /* that were not as the last acknowledgement left them */
    uint64_t window_operations;
    uint64_t window_ns;
    uint64_t recovery_ns;
};

/* All crashes of the same settings at one level of one campaign. */
struct loss_cell {
    const char *file;
    const char *name;
    const char *level; /* "1", "1b", "1c", "2", "3" */
    const char *store;
    const char *product;
    const char *class;   /* of durability; "" if no crash told, or "mixed" */
    const char *from;    /* the settings that the class was computed from */
    const char *control; /* "loses at 2", "keeps at 1 2" or "" */
    uint64_t batch;
    uint64_t judged;
    uint64_t lossy;   /* of these */
    uint64_t corrupt; /* of the lossy */
    uint64_t holes;
    uint64_t torn;    /* left a part of a transaction that was not committed */
    uint64_t invalid; /* not judged: the harness failed */
    const char *why;  /* of the first of these */
    const struct loss *crashes; /* those that were judged */
};

struct losses {
    size_t count;
    const struct loss_cell *cells; /* by file and level, else as they came */
    struct arena memory;           /* private */
};

/* Lines that are not what they have to be are complained of and left out.  The
   archive has to outlive it. */
void losses_gather(struct losses *losses, const struct archive *archive,
                   archive_complain *complain, void *context);
void losses_release(struct losses *losses); /* zeroed is fine */

/* Why nothing may be said of the cell's level; NULL if its controls passed. */
const char *losses_doubt(const struct losses *losses,
                         const struct loss_cell *cell);

/* True of a cell that has to lose at its level: it is there to do so. */
bool loss_is_meant(const struct loss_cell *cell);

/* True if its controls passed and it lost what its class promises to keep. */
bool losses_contradict(const struct losses *losses,
                       const struct loss_cell *cell);

/* How often it loses in truth, at most, with a confidence of 95 %; 1 if none
   was judged. */
double loss_bound(const struct loss_cell *cell);

/* "kill -9", "power cut", ... */
const char *loss_level_name(const char *level);

/*
 * What was seen at a level of a store with the same version, settings (as far
 * as durability depends on them) and size of groups as the record: the cell
 * that did worst, or NULL if there is none that says anything.
 */
const struct loss_cell *losses_find(const struct losses *losses,
                                    const struct record *record,
                                    const char *level);

/* The same in words for all levels, "power cut 3 of 20 (at most 34.4 %)"; ""
   if there is nothing. */
const char *losses_tell(const struct losses *losses,
                        const struct record *record, struct arena *memory);

#endif
