/* SPDX-License-Identifier: ISC */
/* The parts of the conformance suite; each list ends with a name of NULL. */
#ifndef UBENCH_TESTS_CONFORMANCE_CONFORMANCE_H
#define UBENCH_TESTS_CONFORMANCE_CONFORMANCE_H

struct conformance_test {
    const char *name;
    void (*run)(void **state);
};

extern const struct conformance_test conformance_backend[];
extern const struct conformance_test conformance_leases[];
extern const struct conformance_test conformance_clients[];
extern const struct conformance_test conformance_expiry[];
extern const struct conformance_test conformance_sessions[];
extern const struct conformance_test conformance_counters[];
extern const struct conformance_test conformance_reservations[];
extern const struct conformance_test conformance_opening[];
extern const struct conformance_test conformance_random[];

#endif
