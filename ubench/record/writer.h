/* SPDX-License-Identifier: ISC */
/* Writes a struct record as a line of JSON, and lines to files. */
#ifndef UBENCH_RECORD_WRITER_H
#define UBENCH_RECORD_WRITER_H

#include "core/err.h"
#include "record/record.h"

/* The line, without its newline; the caller frees it.  NULL if there is no
   memory. */
char *record_write(const struct record *record);

/*
 * Appends a line to the file at path, in one write, so that two runners never
 * mix their lines.  The file is created if it is not there.  The line is freed;
 * NULL, as from an allocation that failed, is an error.  Returns 0, or -1 with
 * err, which speaks of --output.
 */
int writer_append(char *line, const char *path, struct err *err);

/* Finds out before the run whether writer_append will be able to write, and
   refuses a file that has something else in it.  Makes nothing. */
int writer_check_path(const char *path, struct err *err);

#endif
