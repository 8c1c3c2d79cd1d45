/* SPDX-License-Identifier: ISC */
/* Reads one line of a file of results into a struct record. */
#ifndef UBENCH_RECORD_READER_H
#define UBENCH_RECORD_READER_H

#include <stddef.h>

#include "core/arena.h"
#include "record/record.h"

enum record_line_kind {
    RECORD_LINE_RESULT, /* record is what it says */
    RECORD_LINE_OTHER,  /* of a format that others read */
    RECORD_LINE_BAD,    /* complaint says why */
};

struct record_line {
    const char *file;
    size_t number;    /* from 1 */
    const char *text; /* without its newline, not terminated */
    size_t length;
    /* What record_reader_read found: */
    enum record_line_kind kind;
    const struct record *record;
    const char *format;
    const char *complaint;
};

/* {0} but for memory, where records and complaints go. */
struct record_reader {
    struct arena *memory;
    /* private */
    const struct record_line *line;
    char where[96];      /* of the member that is being read: "run 2, create" */
    char complaint[256]; /* the first that there was, or "" */
};

/* Fills in what the line is. */
void record_reader_read(struct record_reader *reader, struct record_line *line);

#endif
