/* SPDX-License-Identifier: ISC */
/*
 * The file of --output.  Lines are appended, and existing contents are never
 * lost.  The file must be new or empty, or its first line must have a format
 * that this version supports.  A pipe or a device is never read.
 */
#ifndef UBENCH_RUNNER_OUTPUT_H
#define UBENCH_RUNNER_OUTPUT_H

#include <stdbool.h>

#include "core/err.h"

/* Checks before the run whether output_append will be able to write.  Creates
   no file.  Returns 0, or -1 with err, which names --output. */
int output_check(const char *path, struct err *err);

/* Appends a line to the file at path, creating it if necessary, and syncs it.
   Writes all of the line or nothing, under a lock, so that lines of two runners
   never mix.  If the last line of the file has no newline, adds one first.
   Returns 0, or -1 with err. */
int output_append(const char *line, const char *path, struct err *err);

/* Returns true if both paths name the same file, or would once the files
   exist. */
bool output_is_same_file(const char *a, const char *b);

#endif
