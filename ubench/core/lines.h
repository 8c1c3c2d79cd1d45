/* SPDX-License-Identifier: ISC */
/*
 * The lines of a file that anybody may have written: none takes more memory
 * than it was given, however long it is.
 */
#ifndef UBENCH_CORE_LINES_H
#define UBENCH_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Set file and max, the most bytes of a line without its newline. */
struct lines {
    FILE *file;
    size_t max;
    char *text; /* of the last line, without its newline; ends with a NUL */
    size_t length;
    bool cut;      /* it ended with the file and not with a newline */
    bool too_long; /* it was longer than max, and text is its beginning */
    size_t room;   /* private, as is what follows */
};

/* Reads the next line; of one that is too long the rest is skipped.  False at
   the end of the file (feof), or, with errno, if it cannot be read or there is
   no memory. */
bool lines_next(struct lines *lines);

void lines_release(struct lines *lines); /* the file stays open */

#endif
