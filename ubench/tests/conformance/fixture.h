/* SPDX-License-Identifier: ISC */
/*
 * What the conformance suite works with: where the store is, one test's way
 * into it, and its operations with their checks.  Each check fails the test;
 * what names the case in its message.
 */
#ifndef UBENCH_TESTS_CONFORMANCE_FIXTURE_H
#define UBENCH_TESTS_CONFORMANCE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease/lease.h"
#include "store/backend.h"
#include "tests/lib/odd_leases.h"

enum { TEXT_SIZE = 256, VARIANTS_MAX = 6 };

/* One way of using the store. */
struct variant {
    char name[32];
    struct store_config config;
};

/* Shared by all tests; belongs to main. */
struct suite {
    const char *skip; /* why nothing can be tried here, or NULL */
    char folder[TEXT_SIZE];
    char target[2 * TEXT_SIZE];
    char v6_target[2 * TEXT_SIZE + 1];
    char missing[2 * TEXT_SIZE]; /* a target that cannot be */
    struct variant variants[VARIANTS_MAX];
    size_t variant_count;
    bool file; /* the leases are in one, else on a server */
    struct opt_settings settings;
    char setting[64]; /* that they point into */
};

/* One test's store, open, and the way into it. */
struct fixture {
    const struct suite *suite;
    const struct variant *variant;
    struct store *store;
    struct session *session;
    unsigned lacks; /* enum store_lack */
    struct err err;
};

/* Finds the target that the user named, or else a file in a folder of its own
   or the server of the environment. */
void suite_init(struct suite *suite, const char *target);
void suite_release(const struct suite *suite);

/* The times and texts that this store can hold. */
struct lease_limits store_limits(void);

/* The last of the schemas that it has. */
enum schema schema_max(void);

/* The test's fixture with an open store; skips the test if there is none. */
struct fixture *fixture_begin_test(void **state);
int fixture_end_test(void **state);

/* For those that close it themselves, and open it again. */
void fixture_open(struct fixture *fixture);

/* The same at another level; false: a store of several kinds has no such. */
bool fixture_open_at(struct fixture *fixture, enum sync_level level);
void fixture_close(struct fixture *fixture);

/* Client number i of the store's family; the same with an oddity that the store
   can hold; a lease without its client, as it can hold that; how many oddities
   there are. */
struct lease fixture_lease(const struct fixture *fixture, uint32_t i);
struct lease fixture_odd_lease(const struct fixture *fixture, size_t i);
void fixture_decline(const struct fixture *fixture, struct lease *lease);
size_t fixture_odd_leases(const struct fixture *fixture);

void fixture_create(struct fixture *fixture, const char *what, const struct lease *lease,
                    enum outcome wanted);
void fixture_update(struct fixture *fixture, const char *what, const struct lease *lease,
                    int64_t expire_s, enum outcome wanted);
void fixture_remove(struct fixture *fixture, const char *what, struct lease_address address,
                    int64_t expire_s, enum outcome wanted);

/* The same where that is not when the lease expires: a MISS, unless the store
   does not look. */
void fixture_update_stale(struct fixture *fixture, const char *what, const struct lease *lease,
                          int64_t expire_s);
void fixture_remove_stale(struct fixture *fixture, const char *what, struct lease_address address,
                          int64_t expire_s);

/* Searches for the lease that is like this one; HIT: it is this very lease. */
void fixture_look(struct fixture *fixture, const char *what, enum lookup by,
                  const struct lease *like, enum outcome wanted);

/* The lease at its address is this one. */
void fixture_find(struct fixture *fixture, const char *what, const struct lease *wanted);

/* Searches by client-id, or in a v6 store by DUID and what belongs to it, in any
   subnet and, unless an error is wanted, in the lease's own. */
void fixture_find_client_id(struct fixture *fixture, const char *what, const struct lease *like,
                            enum outcome wanted);

/* All three searches, as far as the lease has what they search by. */
void fixture_find_all(struct fixture *fixture, const char *what, const struct lease *lease);
void fixture_find_none(struct fixture *fixture, const char *what, const struct lease *lease);

void fixture_count(struct fixture *fixture, const char *what, uint64_t wanted);

/* Lists at most limit leases that expired before now_s: these, in this order.
 */
void fixture_list_expired(struct fixture *fixture, const char *what, int64_t now_s, size_t limit,
                          const struct lease *const *wanted, size_t count);
void fixture_begin(struct fixture *fixture);
void fixture_commit(struct fixture *fixture);

/* Compares the counters of SCHEMA_KEA_STATS with the leases that there are; so
   does fixture_close. */
void fixture_check_counters(struct fixture *fixture);

void check_same_lease(const char *what, const char *verb, const struct lease *wanted,
                      const struct lease *got);

#endif
