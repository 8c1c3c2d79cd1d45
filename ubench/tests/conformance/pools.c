/* SPDX-License-Identifier: ISC */
/*
 * A pool that new clients share, on the store: what a correct store does is right, and an address
 * that is given to two clients is found out.
 */
#include "tests/conformance/fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "load/exchange/mix_parse.h"
#include "load/workloads.h"

#include "tests/lib/check.h"

enum { SERVERS = 4, CLIENTS = 200, POOL = 400 };

/* The store, which cheats once: the second to ask for an address gets it, too.  All servers ask for
   the first address before any of them has it. */
static struct backend liar;
static pthread_barrier_t all_ask;
static _Thread_local bool has_asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_lied; /* under the lock */

/* Gives another client's address away. */
static enum outcome move(struct session *session, const struct lease *lease, struct err *err)
{
    struct lease other;
    enum outcome outcome = the_backend.find(session, LOOKUP_ADDRESS, lease, &other, err);

    if (outcome == OUTCOME_HIT)
        outcome = the_backend.remove(session, other.address, lease_expire_s(&other), err);
    return outcome == OUTCOME_HIT ? the_backend.create(session, lease, err) : outcome;
}

static enum outcome create_and_lie(struct session *session, const struct lease *lease,
                                   struct err *err)
{
    if (!has_asked)
        (void)pthread_barrier_wait(&all_ask);
    has_asked = true;
    (void)pthread_mutex_lock(&lock);
    enum outcome outcome = the_backend.create(session, lease, err);
    if (outcome == OUTCOME_MISS && !has_lied) {
        outcome = move(session, lease, err);
        has_lied = true;
    }
    (void)pthread_mutex_unlock(&lock);
    return outcome;
}

static struct load_config config_of(const struct fixture *fixture)
{
    const bool v6 = fixture->variant->config.family == LEASE_FAMILY_V6;
    struct load_config config = {
        .count = CLIENTS,
        .seed = 1,
        .threads = SERVERS,
        .batch = 1,
        .family = fixture->variant->config.family,
        .candidates = 1,
        .pool = { .allocator = ALLOCATOR_ITERATIVE, .size = POOL, .servers = SERVERS },
    };
    struct err err;

    if (mix_parse(v6 ? "sarr" : "dora", config.family, &config.mix, &err) != 0)
        fail_msg("%s", err.text);
    return config;
}

/* Runs the load in four servers' sessions.  Returns its end. */
static enum load_end run(struct fixture *fixture, const struct backend *backend,
                         struct load_result *result)
{
    struct session *sessions[SERVERS] = { fixture->session };
    struct progress *const progress = progress_new();
    const struct load_config config = config_of(fixture);
    const struct load_context context = { .backend = backend,
                                          .store = fixture->store,
                                          .sessions = sessions,
                                          .session_count = SERVERS,
                                          .progress = progress };

    assert_non_null(progress);
    for (size_t i = 1; i < SERVERS; i++) {
        sessions[i] = the_backend.session_open(fixture->store, &fixture->err);
        if (sessions[i] == NULL)
            fail_msg("session_open: %s", fixture->err.text);
    }
    const enum load_end end =
        workload_run(&workload_pool, &config, &context, result, &fixture->err);
    for (size_t i = 1; i < SERVERS; i++)
        the_backend.session_close(sessions[i]);
    free(progress);
    return end;
}

static void try_pool(struct fixture *fixture)
{
    struct load_result result = { 0 };

    if (run(fixture, &the_backend, &result) != LOAD_DONE)
        fail_msg("a correct store: %s", fixture->err.text);
    const struct phase_result *const phase = &result.phases[0];
    check_number("clients", phase->hits + phase->deadlocks + phase->conflicts, CLIENTS);
    check_number("leases read back", result.read_back, phase->hits);
    load_result_release(&result);
}

static void try_liar(struct fixture *fixture)
{
    struct load_result result = { 0 };

    liar = the_backend;
    liar.create = create_and_lie;
    has_lied = false;
    (void)pthread_barrier_init(&all_ask, NULL, SERVERS);
    const enum load_end end = run(fixture, &liar, &result);
    (void)pthread_barrier_destroy(&all_ask);
    check_number("the end", end, LOAD_WRONG);
    if (strstr(fixture->err.text, "was given to two clients") == NULL)
        fail_msg("the reason: %s", fixture->err.text);
    load_result_release(&result);
}

TEST(an_address_given_twice_is_found)
{
    struct fixture *const fixture = *state;
    const struct variant *const variant = fixture->variant;
    struct variant shared = *variant;

    if (fixture->suite->skip != NULL)
        skip();
    if (variant->config.schema == SCHEMA_LEAN)
        return; /* without an index, a search reads the whole table */
    shared.config.threads = SERVERS;
    fixture->variant = &shared;
    fixture_open(fixture);
    try_pool(fixture);
    try_liar(fixture);
    fixture_close(fixture);
    fixture->variant = variant;
}
