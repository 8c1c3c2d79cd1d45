/* SPDX-License-Identifier: ISC */
/*
 * An open store of memfile, for the files that implement it: memfile_open.c opens it, memfile.c
 * does the operations on leases, memfile_reservations.c those on reservations.
 */
#ifndef UBENCH_STORE_MEMFILE_MEMFILE_H
#define UBENCH_STORE_MEMFILE_MEMFILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/backend.h"
#include "store/memfile/lease_log.h"
#include "store/memfile/lease_table.h"

struct store {
    size_t sessions;
    pthread_rwlock_t lock; /* protects the table and the order of the log; not taken while there is
                              one session */
    struct lease_table table;
    struct lease_log log;
    struct hash reservations;     /* the records are in the table's slab */
    struct lease_file_stats kept; /* statistics of the file that was read with keep */
};

struct session {
    struct store *store;
    bool waits;        /* waits for the log after each change: false between begin and commit, and
                          always if the level is volatile */
    uint64_t position; /* position of the last record, for lease_log_wait */
    struct lease removed;
};

/* These implement store/backend.h. */

struct store *memfile_open(const struct store_config *config, struct err *err);
int memfile_close(struct store *store, struct err *err);
int memfile_reset(struct session *session, struct err *err);
enum outcome memfile_check(struct session *session, char *text, size_t size, struct err *err);

enum outcome memfile_add_reservation(struct session *session, const struct reservation_key *key,
                                     struct lease_address address, struct err *err);
enum outcome memfile_find_reservation(struct session *session, const struct reservation_key *key,
                                      struct lease_address *address, struct err *err);

#endif
