/* SPDX-License-Identifier: ISC */
/* Reads the lines of a text file that may be large, damaged or compressed by
   gzip. */
#ifndef UBENCH_CORE_LINES_H
#define UBENCH_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

enum { LINES_LENGTH_MAX = 1 << 18 }; /* bytes of a line */

/* Initialise with zeros.  The reader owns the text of a line, which is valid
   until the next call; the caller may change it. */
struct lines {
    const char *path; /* owned by the caller */
    char *line;       /* without its newline; NUL-terminated */
    size_t length;
    uint64_t number; /* from 1 */
    bool torn;       /* the last line, without a newline */
    bool too_long;   /* truncated to LINES_LENGTH_MAX */
    int file;
    pid_t gzip; /* 0: none */
    char *buffer;
    size_t begin, end; /* of the bytes in the buffer not yet returned */
    bool at_end;       /* of the file */
};

/* Opens a regular file, decompressed by gzip if it is compressed.  Returns 0,
   or -1 with err; call lines_close in both cases. */
int lines_open(struct lines *lines, const char *path, struct err *err);

/* Reads the next line.  Returns 1, 0 at the end of the file, or -1 with err. */
int lines_next(struct lines *lines, struct err *err);

/* Closes the file and ends gzip if it still runs.  Zeroed is fine. */
void lines_close(struct lines *lines);

#endif
