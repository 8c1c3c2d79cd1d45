/* SPDX-License-Identifier: ISC */
/* The lines of a text file that may be large, damaged or compressed by gzip. */
#ifndef UBENCH_CORE_LINES_H
#define UBENCH_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

enum { LINES_LENGTH_MAX = 1 << 18 }; /* bytes of a line */

/* Initialise with zeros.  The text of a line belongs to the reader and is valid until the next
   call; the caller may change it. */
struct lines {
    const char *path; /* the caller's */
    char *line;       /* without its end; a NUL follows */
    size_t length;
    uint64_t number; /* from 1 on */
    bool torn;       /* the last one, without a newline */
    bool too_long;   /* cut off after LINES_LENGTH_MAX */
    int file;
    pid_t gzip; /* 0: none */
    char *buffer;
    size_t begin, end; /* of the bytes in the buffer that were not returned */
    bool at_end;       /* of the file */
};

/* Opens a regular file, or the text that gzip makes of it.  Returns 0, or -1 with err; close it
   either way. */
int lines_open(struct lines *lines, const char *path, struct err *err);

/* Reads the next line.  Returns 1, 0 at the end of the file, or -1 with err. */
int lines_next(struct lines *lines, struct err *err);

/* Ends gzip, if it still runs.  Zeroed is fine. */
void lines_close(struct lines *lines);

#endif
