/* SPDX-License-Identifier: ISC */
/*
 * Reads the kernel's small text files, below a root ("" for this machine).
 * Paths begin with "/".  Texts are returned as one line with single blanks.  A
 * value that is missing, empty or malformed counts as not found.
 */
#ifndef UBENCH_MEASURE_HOST_KERNEL_FILES_H
#define UBENCH_MEASURE_HOST_KERNEL_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the path of a file below root.  Returns false if it is too long. */
bool kernel_path(const char *root, const char *path, char full[PATH_MAX]);

/* Opens a file for reading.  NULL if it cannot be opened. */
FILE *kernel_open(const char *root, const char *path);

/* Returns true if there is such a file below root. */
bool kernel_exists(const char *root, const char *path);

/* Finds the value after label and blanks or a colon, on the first line that
   begins with label and has a value: for "MemTotal", "MemTotal:  16 kB" gives
   "16 kB"; "" gives the first line that is not empty.  Returns false, and
   leaves text unchanged, if there is none. */
bool kernel_text(const char *root, const char *path, const char *label, char *text, size_t size);

/* Likewise, but reads the number with which the value begins. */
bool kernel_number(const char *root, const char *path, const char *label, uint64_t *number);

/* Likewise, but returns how many cores the value lists ("0-3,8"), or 0 if it is
   not a list of cores. */
uint64_t kernel_cores(const char *root, const char *path, const char *label);

/* Reads the number at *text, and moves *text past it.  Returns false if there
   is none. */
bool kernel_scan(const char **text, uint64_t *number);

/* The CPU limits of control groups (version 2) on this process: of its own
   group and all groups above it. */
struct kernel_cpu_limit {
    double cores;       /* of the lowest limit; 0: no limit */
    uint64_t throttled; /* times that the groups were throttled, in total */
};

/* Returns false if the limit is unknown. */
bool kernel_cpu_limit(const char *root, struct kernel_cpu_limit *limit);

#endif
