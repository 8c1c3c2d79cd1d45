/* SPDX-License-Identifier: ISC */
/*
 * A store and a model of it, a plain array, under the same operations, which
 * bytes choose: whatever the bytes are, they mean something, and the answers
 * have to be the same.
 *
 * There are few addresses, clients and times, so that operations meet.  Beside
 * them a session is closed and another one opened, and a group is abandoned
 * before its commit: it may be kept or lost, but as a whole.
 */
#ifndef UBENCH_TESTS_LIB_STORE_MODEL_H
#define UBENCH_TESTS_LIB_STORE_MODEL_H

#include "store/backend.h"
#include "tests/lib/odd_leases.h"

enum { STORE_MODEL_LEASES = 12 };

/* Address number i is i behind that of ordinary_lease 0. */
struct store_leases {
    bool is_there[STORE_MODEL_LEASES];
    struct lease leases[STORE_MODEL_LEASES];
};

struct store_model {
    /* The caller's, set before the first call: */
    const struct backend *backend;
    enum lease_family family;
    struct lease_limits limits;
    struct store *store;
    struct session *session; /* may be another one afterwards */
    /* The leases that have to be there. */
    struct store_leases now;
    /* The leases when the group began. */
    bool grouped;
    struct store_leases before;
    /* The first difference: "operation 7, remove: ...", or "". */
    unsigned operations;
    char complaint[1024];
};

/* Plays what the bytes say, and at last commits and compares all that is there.
   The store is empty at the beginning.  True if nothing differs. */
bool store_model_play(struct store_model *model, const uint8_t *bytes, size_t length);

/* Compares all that is there; in a lease file of ISC DHCP without subnet and
   pool.  True if nothing differs. */
bool store_model_compare(struct store_model *model, bool without_pools);

#endif
