/* SPDX-License-Identifier: ISC */
/* What open.c, which opens the store and describes it, and memfile.c, which has
   the sessions and the operations, share. */
#ifndef UBENCH_STORE_MEMFILE_STORE_H
#define UBENCH_STORE_MEMFILE_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/backend.h"
#include "store/memfile/lease_log.h"
#include "store/memfile/lease_table.h"
#include "store/memfile/reservations.h"

struct store {
    size_t sessions;
    pthread_rwlock_t lock; /* for the table, and for the order of the log; while
                              there is one session no lock is taken */
    struct lease_table table;
    struct lease_log log;
    struct reservations reservations;
    enum lease_family family;
    struct lease_file_stats kept; /* what was read, if anything was kept */
};

/* What the contract says of them. */
struct store *memfile_open(const struct store_config *config, struct err *err);
int memfile_close(struct store *store, struct err *err);
void memfile_describe(const struct store *store, struct properties *properties);
enum durability memfile_durability(const struct store *store, char *text,
                                   size_t size);
void memfile_data_path(const struct store *store, char *path, size_t size);

#endif
