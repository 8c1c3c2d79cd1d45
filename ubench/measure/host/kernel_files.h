/* SPDX-License-Identifier: ISC */
/*
 * Reading what the kernel tells in small text files, below a root ("" for this
 * machine).  Paths begin with "/".  Texts come out as one line with single
 * blanks; what is missing, empty or odd is "not there".
 */
#ifndef UBENCH_MEASURE_HOST_KERNEL_FILES_H
#define UBENCH_MEASURE_HOST_KERNEL_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The path of a file below root.  False if it is too long. */
bool kernel_path(const char *root, const char *path, char full[PATH_MAX]);

/* NULL if it is not there. */
FILE *kernel_open(const char *root, const char *path);

bool kernel_exists(const char *root, const char *path);

/* Finds the value behind label and blanks or a colon, on the first line that
   begins so and has one: for "MemTotal", "MemTotal:  16 kB" gives "16 kB", and
   "" gives the first line that is not empty.  Nothing is written unless it is
   there. */
bool kernel_text(const char *root, const char *path, const char *label, char *text, size_t size);

/* The same where it begins with a number. */
bool kernel_number(const char *root, const char *path, const char *label, uint64_t *number);

/* The same where it is a list of cores like "0-3,8": how many there are, or 0
   if it is no such list. */
uint64_t kernel_cores(const char *root, const char *path, const char *label);

/* Reads the number at *text, and moves *text behind it. */
bool kernel_scan(const char **text, uint64_t *number);

/* How control groups (version 2) limit this process's CPU time, over its own
   group and all those above it. */
struct kernel_cpu_limit {
    double cores;       /* of the tightest; 0: no limit */
    uint64_t throttled; /* times that one of them was stopped for it */
};

/* False if it cannot be told. */
bool kernel_cpu_limit(const char *root, struct kernel_cpu_limit *limit);

#endif
