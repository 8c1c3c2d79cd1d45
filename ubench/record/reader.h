/* SPDX-License-Identifier: ISC */
/* Reads one line of a file of results into a struct record. */
#ifndef UBENCH_RECORD_READER_H
#define UBENCH_RECORD_READER_H

#include <stddef.h>

#include "core/arena.h"
#include "record/record.h"

enum record_line_kind {
    RECORD_LINE_RESULT, /* record is what it says */
    RECORD_LINE_CRASH,  /* of a crash campaign: crash_results.h reads it */
    RECORD_LINE_BAD,    /* complaint says why */
};

struct record_line {
    const char *file;
    size_t number;    /* from 1 */
    const char *text; /* without its newline; ends with a NUL */
    size_t length;
    /* What record_read found: */
    enum record_line_kind kind;
    const struct record *record;
    const char *complaint;
};

/* Fills in what the line is.  Records and complaints go into memory. */
void record_read(struct record_line *line, struct arena *memory);

#endif
