/* SPDX-License-Identifier: ISC */
/* The summary of a site's lease files: only counts, as one line of JSON (ubench-demand/1). */
#ifndef UBENCH_DEMAND_SUMMARY_H
#define UBENCH_DEMAND_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"
#include "demand/history.h"

enum { DAMAGES_KEPT = 10 };

/* A line that could not be read. */
struct damage {
    size_t file;
    uint64_t line;
    const char *what;
};

struct file_summary {
    enum record_format format;
    uint64_t lines;
    uint64_t records;
    uint64_t damaged;
    uint64_t stale; /* records left out, as files before it have later ones */
    bool ahead;     /* its times are in the future */
};

/* A pool, and the number of its addresses in use. */
struct pool {
    struct lease_address first, last;
    uint64_t active;
    uint64_t declined;
    size_t number; /* position in the input, from 0 */
};

struct summary {
    const struct file_summary *files;
    size_t file_count;
    struct damage damages[DAMAGES_KEPT];
    size_t damage_count; /* of these */
    struct pool *pools;
    size_t pool_count;
};

/* Writes the summary.  Frees the addresses of the history, to which no record can be added
   afterwards.  Returns 0, or -1 with err. */
int summary_write(struct summary *summary, struct history *history, FILE *out, struct err *err);

#endif
