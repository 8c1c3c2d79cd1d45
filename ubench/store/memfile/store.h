/* SPDX-License-Identifier: ISC */
/*
 * What the two files of memfile share, and nobody else includes: memfile_open.c
 * opens the store and says what it is, memfile.c has the sessions and the
 * operations.
 */
#ifndef UBENCH_STORE_MEMFILE_STORE_H
#define UBENCH_STORE_MEMFILE_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/backend.h"
#include "store/memfile/lease_log.h"
#include "store/memfile/lease_table.h"
#include "store/memfile/reservation_table.h"

enum { MEMFILE_STRIPES = 16 };

/* A lock on a cache line of its own. */
struct stripe {
    _Alignas(64) pthread_mutex_t reading;
};

/*
 * Who reads the table takes the lock of his stripe, who changes it takes the
 * log's and then those of all stripes: few readers wait for each other or
 * share a cache line, and a change costs a write to the file anyway.
 */
struct store {
    struct lease_log log;
    struct lease_table table;
    struct reservation_table reservations; /* zeroed: there are none */
    enum schema schema;
    struct lease_file_stats kept; /* what was read, if anything was kept */
    size_t session_count;
    size_t opened; /* sessions, ever */
    bool shared;   /* by several sessions; while there is one nobody locks */
    struct stripe stripes[MEMFILE_STRIPES];
};

struct session {
    struct store *store;
    struct stripe *stripe;
    bool grouped;      /* between begin and commit */
    uint64_t position; /* of the last record, for lease_log_wait */
    struct lease removed;
};

/* What the contract says of them. */
struct store *memfile_open(const struct store_config *config, struct err *err);
int memfile_close(struct store *store, struct err *err);
void memfile_describe(const struct store *store, struct properties *properties);
enum durability memfile_durability(const struct store *store, char *text,
                                   size_t size);
void memfile_data_path(const struct store *store, char *path, size_t size);

#endif
