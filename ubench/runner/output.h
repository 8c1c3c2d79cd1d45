/* SPDX-License-Identifier: ISC */
/*
 * The file that --output names: lines are appended to it and nothing that is
 * in it is lost.  A file is ours if it is new or empty, or if its first line
 * has a format that this version knows.  A pipe or a device is never looked
 * into.
 */
#ifndef UBENCH_RUNNER_OUTPUT_H
#define UBENCH_RUNNER_OUTPUT_H

#include <stdbool.h>

#include "core/err.h"

/* Finds out before the run whether output_append will be able to write.  Makes
   nothing.  Returns 0, or -1 with err, which names --output. */
int output_check(const char *path, struct err *err);

/* Appends a line to the file at path, which may be new, and syncs it: all of it
   or nothing, and under a lock, so that lines of two runners never mix.  If the
   last line there has no end, a newline is put in front of the new one.
   Returns 0, or -1 with err. */
int output_append(const char *line, const char *path, struct err *err);

/* True if both paths name the same file, or would once they are made. */
bool output_is_same_file(const char *a, const char *b);

#endif
