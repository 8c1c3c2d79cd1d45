/* SPDX-License-Identifier: ISC */
#include "load/crash/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/workers.h"
#include "lease/generator.h"

/* The state of an address in the store, by the number of changes after which it has that state;
   the last change, a delete, leaves it absent again. */
enum state { STATE_ABSENT, STATE_CREATED, STATE_UPDATED, STATE_CORRUPT };

static enum state left_by(int change)
{
    return (enum state)((change + 1) % CHANGES);
}

struct verifier {
    const struct ledger *ledger;
    const struct backend *backend;
    struct session *session;
    struct generator generator;
    uint64_t crashed_ns; /* later acknowledgements do not count */
    uint64_t first_lost_ns;
    uint64_t present;                        /* leases that were found */
    uint8_t *states;                         /* enum state, by lease */
    uint64_t kept_until_ns[WORKERS_MAX + 1]; /* latest change that was certainly kept, by thread */
    uint64_t done[WORKERS_MAX + 1];          /* changes done and never acknowledged, by thread */
    struct verify_result *result;
};

static uint64_t submitted(const struct ledger_key *key, int change)
{
    return atomic_load(&key->events[change].submitted_ns);
}

/* Returns the time of the acknowledgement if it was before the crash, otherwise 0. */
static uint64_t acknowledged(const struct verifier *v, const struct ledger_key *key, int change)
{
    const uint64_t at_ns = atomic_load(&key->events[change].acknowledged_ns);

    return at_ns <= v->crashed_ns ? at_ns : 0;
}

/* Returns the version of lease i that the store has. */
static enum state state_of(const struct verifier *v, uint64_t i, struct lease *found)
{
    struct lease wanted;

    for (uint32_t version = 0; version < 2; version++) {
        generator_make(&v->generator, i, version, &wanted);
        /* The lease file of ISC DHCP has no subnet and no pool: dhcpd takes them from its
           configuration. */
        if (found->subnet_id == 0 && found->pool_id == 0) {
            found->subnet_id = wanted.subnet_id;
            found->pool_id = wanted.pool_id;
        }
        if (lease_equal(found, &wanted))
            return version == 0 ? STATE_CREATED : STATE_UPDATED;
    }
    return STATE_CORRUPT;
}

/* Searches for lease i, and records what was certainly kept: a lease that is there was
   created, and updated if it has version 1.  An absent one proves nothing.  Returns 0, or -1
   with err. */
static int look(struct verifier *v, uint64_t i, struct err *err)
{
    const struct ledger_key *const key = &v->ledger->keys[i];
    const struct lease like = { .address = generator_address(&v->generator, i),
                                .type = (uint8_t)v->generator.type };
    struct lease found;
    const enum outcome outcome = v->backend->find(v->session, LOOKUP_ADDRESS, &like, &found, err);

    if (v->result->first_found_ns == 0)
        v->result->first_found_ns = clock_now_ns();
    if (outcome == OUTCOME_ERROR && err->kind != ERR_CORRUPT)
        return -1;
    v->present += outcome == OUTCOME_HIT;
    const enum state state = outcome == OUTCOME_HIT    ? state_of(v, i, &found)
                             : outcome == OUTCOME_MISS ? STATE_ABSENT
                                                       : STATE_CORRUPT;
    v->states[i] = (uint8_t)state;
    for (int change = 0; state != STATE_CORRUPT && change < (int)state; change++) {
        uint64_t *const until = &v->kept_until_ns[key->clients[change]];
        const uint64_t at_ns = acknowledged(v, key, change);

        if (at_ns > *until)
            *until = at_ns;
    }
    return 0;
}

/* Counts the changes of a lease that were acknowledged, and those without an acknowledgement
   that the store may have done.  Returns the last acknowledged change, or -1. */
static int last_acknowledged(struct verifier *v, const struct ledger_key *key, enum state state)
{
    int last = -1;

    for (int change = 0; change < CHANGES; change++) {
        if (acknowledged(v, key, change) != 0) {
            last = change;
            v->result->acknowledged++;
        } else if (atomic_load(&key->events[change].acknowledged_ns) != 0) {
            v->result->late++;
        } else if (submitted(key, change) != 0) {
            v->result->unanswered++;
            /* If the lease is gone, its update counts as done: nothing contradicts it. */
            v->done[key->clients[change]] +=
                change == CHANGE_CREATE ? state != STATE_ABSENT
                                        : state == STATE_ABSENT || state == left_by(change);
        }
    }
    return last;
}

static void judge(struct verifier *v, uint64_t i)
{
    const struct ledger_key *const key = &v->ledger->keys[i];
    const enum state state = (enum state)v->states[i];
    struct verify_result *const result = v->result;
    const int last = last_acknowledged(v, key, state);
    bool possible = state == left_by(last);

    /* A change that was submitted later may also explain the state. */
    for (int later = last + 1; later < CHANGES && !possible; later++)
        possible = submitted(key, later) != 0 && state == left_by(later);
    if (state == STATE_CORRUPT) {
        result->corrupt++;
    } else if (possible) {
        result->kept++;
    } else if (state != STATE_ABSENT && submitted(key, (int)state - 1) == 0) {
        result->phantom++;
    } else {
        ++*(last == CHANGE_DELETE   ? &result->resurrected
            : state == STATE_ABSENT ? &result->lost
                                    : &result->outdated);
        /* The store has lost these changes. */
        for (int change = (int)state; change < CHANGES; change++) {
            const uint64_t at_ns = acknowledged(v, key, change);

            if (at_ns == 0)
                continue;
            result->lost_operations++;
            result->holes += at_ns < v->kept_until_ns[key->clients[change]];
            if (at_ns < v->first_lost_ns)
                v->first_lost_ns = at_ns;
        }
    }
}

/* Checks that an event is possible, because threads index arrays and times are subtracted, and
   raises *last_ns to its time.  Returns 0, or -1 with err. */
static int check_event(const struct ledger *ledger, uint64_t i, int change, uint64_t *last_ns,
                       struct err *err)
{
    static const char *const names[] = { "create", "update", "delete" };
    const struct ledger_key *const key = &ledger->keys[i];
    const uint64_t a_ns = atomic_load(&key->events[change].acknowledged_ns);
    const uint64_t s_ns = submitted(key, change);
    const uint64_t at_ns = a_ns != 0 ? a_ns : s_ns;
    const unsigned client = key->clients[change];

    if (client <= WORKERS_MAX && s_ns <= INT64_MAX && a_ns <= INT64_MAX &&
        (a_ns == 0 || (s_ns != 0 && s_ns <= a_ns))) {
        *last_ns = at_ns > *last_ns ? at_ns : *last_ns;
        return 0;
    }
    (void)err_set(err, "the ledger %s: byte %" PRIu64 ": the %s of lease %" PRIu64, ledger->path,
                  LEDGER_HEADER_SIZE + i * LEDGER_KEY_SIZE, names[change], i);
    if (client > WORKERS_MAX)
        err_add(err, " has thread %u; expected 0..%d", client, WORKERS_MAX);
    else
        err_add(err,
                " has times out of order: submitted at %" PRIu64 " ns, acknowledged at %" PRIu64
                " ns",
                s_ns, a_ns);
    return -1;
}

static int run_check(struct verifier *v, struct err *err)
{
    struct verify_result *const result = v->result;

    (void)snprintf(result->check_text, sizeof result->check_text,
                   "this store has no check of its own");
    if (v->backend->check != NULL)
        result->check =
            v->backend->check(v->session, result->check_text, sizeof result->check_text, err);
    if (result->check != OUTCOME_ERROR)
        return 0;
    result->check = OUTCOME_MISS;
    (void)snprintf(result->check_text, sizeof result->check_text, "%.255s", err->text);
    return err->kind == ERR_CORRUPT ? 0 : -1;
}

static int run(struct verifier *v, struct err *err)
{
    const uint64_t keys = v->ledger->header->keys;
    struct verify_result *const result = v->result;
    uint64_t counted = 0;

    for (uint64_t i = 0; i < keys; i++) {
        if (submitted(&v->ledger->keys[i], CHANGE_CREATE) != 0 && look(v, i, err) != 0)
            return -1;
    }
    for (uint64_t i = 0; i < keys; i++) {
        if (submitted(&v->ledger->keys[i], CHANGE_CREATE) != 0)
            judge(v, i);
    }
    /* A commit is submitted after the last operation of a transaction: before all are
       submitted, none may be found. */
    for (int t = 0; t <= WORKERS_MAX && result->lost_operations == 0; t++)
        result->torn_batches += v->done[t] > 0 && v->done[t] < v->ledger->header->about.batch;
    for (uint64_t n = 0; n < keys * CHANGES && result->lost_operations > 0; n++)
        result->window_operations +=
            acknowledged(v, &v->ledger->keys[n / CHANGES], (int)(n % CHANGES)) >= v->first_lost_ns;
    if (result->lost_operations > 0)
        result->window_ns = v->crashed_ns - v->first_lost_ns;
    if (v->backend->count(v->session, &counted, err) == 0)
        result->strangers = counted > v->present ? counted - v->present : 0;
    else if (err->kind != ERR_CORRUPT)
        return -1;
    return run_check(v, err);
}

int verify_run(const struct ledger *ledger, const struct backend *backend, struct session *session,
               struct verify_result *result, struct err *err)
{
    const struct ledger_header *const header = ledger->header;
    struct verifier v = {
        .ledger = ledger,
        .backend = backend,
        .session = session,
        .first_lost_ns = UINT64_MAX,
        .result = result,
    };

    *result = (struct verify_result){ .check = OUTCOME_HIT };
    if (atomic_load(&header->begun_ns) == 0)
        return err_set(err, "--verify: the load had not begun, so there is nothing to check");
    /* If the time of the crash was not recorded, it is that of the last event. */
    for (uint64_t n = 0; n < header->keys * CHANGES; n++) {
        if (check_event(ledger, n / CHANGES, (int)(n % CHANGES), &v.crashed_ns, err) != 0)
            return -1;
    }
    if (atomic_load(&header->crashed_ns) != 0)
        v.crashed_ns = atomic_load(&header->crashed_ns);
    v.states = err_calloc(header->keys, 1, err);
    if (v.states == NULL)
        return -1;
    generator_init(&v.generator, (enum lease_family)header->about.family,
                   (enum lease_profile)header->about.profile, header->about.seed);
    v.generator.subnets = header->about.subnets;
    const int status = run(&v, err);
    free(v.states);
    return status;
}

bool verify_is_whole(const struct verify_result *result)
{
    return result->lost + result->outdated + result->resurrected + result->phantom +
                   result->corrupt + result->strangers ==
               0 &&
           result->check == OUTCOME_HIT;
}
