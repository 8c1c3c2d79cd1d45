/* SPDX-License-Identifier: ISC */
#include "load/crash/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lease/generator.h"
#include "load/workers.h"

/* What the store has at an address: the operation that leaves it so. */
enum state {
    STATE_ABSENT,
    STATE_CREATED, /* version 0 */
    STATE_UPDATED, /* version 1 */
    STATE_CORRUPT,
};

struct verifier {
    const struct ledger *ledger;
    const struct backend *backend;
    struct session *session;
    struct generator generator;
    uint64_t crashed_ns; /* acknowledgements after it do not count */
    uint64_t first_lost_ns;
    uint64_t present;                        /* leases that were found */
    uint8_t *states;                         /* of each lease, enum state */
    uint64_t kept_until_ns[WORKERS_MAX + 1]; /* the last sure one, by thread */
    /* Of what was never acknowledged, by thread: */
    uint64_t done[WORKERS_MAX + 1];
    uint64_t undone[WORKERS_MAX + 1];
    struct verify_result *result;
};

static uint64_t submitted(const struct ledger_key *key, int operation)
{
    return atomic_load(&key->events[operation].submitted_ns);
}

/* When it was acknowledged, if that was before the crash; else 0. */
static uint64_t acknowledged(const struct verifier *v,
                             const struct ledger_key *key, int operation)
{
    const uint64_t at_ns = atomic_load(&key->events[operation].acknowledged_ns);

    return at_ns <= v->crashed_ns ? at_ns : 0;
}

/* Searches for lease i.  Returns 0, or -1 with err. */
static int look(struct verifier *v, uint64_t i, struct err *err)
{
    const struct lease_address address = generator_address(&v->generator, i);
    struct lease found;
    struct lease wanted;
    const enum outcome outcome = v->backend->find_by_address(
        v->session, address, v->generator.type, &found, err);

    if (v->result->first_found_ns == 0)
        v->result->first_found_ns = clock_now_ns();
    v->states[i] = STATE_ABSENT;
    if (outcome == OUTCOME_MISS)
        return 0;
    v->states[i] = STATE_CORRUPT;
    if (outcome == OUTCOME_ERROR)
        return err->kind == ERR_CORRUPT ? 0 : -1;
    v->present++;
    for (uint32_t version = 0; version < 2; version++) {
        generator_make(&v->generator, i, version, &wanted);
        /* The form of ISC DHCP has no subnet and no pool: dhcpd knows them from
           its configuration. */
        if (found.subnet_id == 0 && found.pool_id == 0) {
            found.subnet_id = wanted.subnet_id;
            found.pool_id = wanted.pool_id;
        }
        if (lease_equal(&found, &wanted))
            v->states[i] =
                (uint8_t)(version == 0 ? STATE_CREATED : STATE_UPDATED);
    }
    return 0;
}

/* What was certainly kept: a lease that is there was created, and updated if it
   is version 1.  One that is not there proves nothing. */
static void note_kept(struct verifier *v, uint64_t i)
{
    const struct ledger_key *const key = &v->ledger->keys[i];
    const enum state state = (enum state)v->states[i];

    if (state != STATE_CREATED && state != STATE_UPDATED)
        return;
    for (int operation = CHANGE_CREATE;
         operation <= (state == STATE_UPDATED ? CHANGE_UPDATE : CHANGE_CREATE);
         operation++) {
        uint64_t *const until = &v->kept_until_ns[key->clients[operation]];
        const uint64_t at_ns = acknowledged(v, key, operation);

        if (at_ns > *until)
            *until = at_ns;
    }
}

static void note_lost(struct verifier *v, const struct ledger_key *key,
                      int operation)
{
    const uint64_t at_ns = acknowledged(v, key, operation);

    if (at_ns == 0)
        return;
    v->result->lost_operations++;
    if (at_ns < v->kept_until_ns[key->clients[operation]])
        v->result->holes++;
    if (at_ns < v->first_lost_ns)
        v->first_lost_ns = at_ns;
}

/* Whether the store has done an operation that it never acknowledged. */
static void note_unanswered(struct verifier *v, const struct ledger_key *key,
                            int operation, enum state state)
{
    /* What is deleted was updated, as far as anybody can tell. */
    const bool done = operation == CHANGE_DELETE ? state == STATE_ABSENT
                      : operation == CHANGE_UPDATE
                          ? state == STATE_UPDATED || state == STATE_ABSENT
                          : state != STATE_ABSENT;

    v->result->unanswered++;
    (done ? v->done : v->undone)[key->clients[operation]]++;
}

/* The last operation that was acknowledged, or -1. */
static int last_acknowledged(struct verifier *v, const struct ledger_key *key,
                             enum state state)
{
    int last = -1;

    for (int operation = 0; operation < CHANGES; operation++) {
        if (acknowledged(v, key, operation) != 0) {
            last = operation;
            v->result->acknowledged++;
        } else if (atomic_load(&key->events[operation].acknowledged_ns) != 0) {
            v->result->late++;
        } else if (submitted(key, operation) != 0) {
            note_unanswered(v, key, operation, state);
        }
    }
    return last;
}

/* True if a lease may be as it is: as the last acknowledged operation leaves
   it, or as one does that was submitted later. */
static bool is_possible(const struct ledger_key *key, int last,
                        enum state state)
{
    static const enum state leaves[CHANGES] = {
        [CHANGE_CREATE] = STATE_CREATED,
        [CHANGE_UPDATE] = STATE_UPDATED,
        [CHANGE_DELETE] = STATE_ABSENT,
    };

    if (state == (last < 0 ? STATE_ABSENT : leaves[last]))
        return true;
    for (int later = last + 1; later < CHANGES; later++) {
        if (submitted(key, later) != 0 && state == leaves[later])
            return true;
    }
    return false;
}

static void judge(struct verifier *v, uint64_t i)
{
    const struct ledger_key *const key = &v->ledger->keys[i];
    const enum state state = (enum state)v->states[i];
    struct verify_result *const result = v->result;
    const int last = last_acknowledged(v, key, state);

    if (state == STATE_CORRUPT) {
        result->corrupt++;
    } else if (is_possible(key, last, state)) {
        result->kept++;
    } else if (state != STATE_ABSENT &&
               submitted(key, (int)state - STATE_CREATED) == 0) {
        result->phantom++;
    } else if (last == CHANGE_DELETE) {
        result->resurrected++;
        note_lost(v, key, CHANGE_DELETE);
        /* Without its update it is older still. */
        if (state == STATE_CREATED)
            note_lost(v, key, CHANGE_UPDATE);
    } else if (state == STATE_ABSENT) {
        result->lost++;
        note_lost(v, key, CHANGE_CREATE);
        note_lost(v, key, CHANGE_UPDATE);
    } else {
        result->outdated++;
        note_lost(v, key, CHANGE_UPDATE);
    }
}

/* Threads are what arrays are indexed by, and times are subtracted. */
static int check_event(const struct ledger *ledger, uint64_t i, int operation,
                       struct err *err)
{
    static const char *const names[] = { "create", "update", "delete" };
    const struct ledger_key *const key = &ledger->keys[i];
    const uint64_t a_ns = atomic_load(&key->events[operation].acknowledged_ns);
    const uint64_t s_ns = submitted(key, operation);
    const uint64_t byte = LEDGER_HEADER_SIZE + i * LEDGER_KEY_SIZE;
    const unsigned client = key->clients[operation];

    if (client > WORKERS_MAX)
        return err_set(
            err,
            "the ledger %s: byte %" PRIu64 ": the %s of lease %" PRIu64
            " is of thread %u, not of 0..%d",
            ledger->path, byte, names[operation], i, client, WORKERS_MAX);
    if (s_ns > INT64_MAX || a_ns > INT64_MAX || (a_ns != 0 && s_ns == 0) ||
        (a_ns != 0 && a_ns < s_ns))
        return err_set(err,
                       "the ledger %s: byte %" PRIu64
                       ": the %s of lease %" PRIu64 " was submitted at %" PRIu64
                       " ns and acknowledged at "
                       "%" PRIu64 " ns, which are no times in this order",
                       ledger->path, byte, names[operation], i, s_ns, a_ns);
    return 0;
}

/* What the ledger has of its leases has to be possible; *last_ns becomes the
   last thing that it knows of.  Returns 0, or -1 with err. */
static int check_events(const struct ledger *ledger, uint64_t *last_ns,
                        struct err *err)
{
    *last_ns = 0;
    for (uint64_t i = 0; i < ledger->header->keys; i++) {
        for (int operation = 0; operation < CHANGES; operation++) {
            const struct ledger_event *const event =
                &ledger->keys[i].events[operation];

            if (check_event(ledger, i, operation, err) != 0)
                return -1;
            /* An acknowledgement comes after what it acknowledges. */
            if (atomic_load(&event->acknowledged_ns) > *last_ns)
                *last_ns = atomic_load(&event->acknowledged_ns);
            if (atomic_load(&event->submitted_ns) > *last_ns)
                *last_ns = atomic_load(&event->submitted_ns);
        }
    }
    return 0;
}

static int run_check(struct verifier *v, struct err *err)
{
    struct verify_result *const result = v->result;

    if (v->backend->check == NULL) {
        result->check = OUTCOME_HIT;
        (void)snprintf(result->check_text, sizeof result->check_text,
                       "the store cannot check itself");
        return 0;
    }
    result->check = v->backend->check(v->session, result->check_text,
                                      sizeof result->check_text, err);
    if (result->check != OUTCOME_ERROR)
        return 0;
    if (err->kind != ERR_CORRUPT)
        return -1;
    result->check = OUTCOME_MISS;
    (void)snprintf(result->check_text, sizeof result->check_text, "%.255s",
                   err->text);
    return 0;
}

/* Also for what is not in the ledger. */
static int count_strangers(struct verifier *v, struct err *err)
{
    uint64_t counted = 0;

    if (v->backend->count(v->session, &counted, err) != 0)
        return err->kind == ERR_CORRUPT ? 0 : -1;
    if (counted > v->present)
        v->result->strangers = counted - v->present;
    return 0;
}

/* What was acknowledged from the first loss to the crash. */
static void count_window(struct verifier *v)
{
    v->result->window_ns = v->crashed_ns - v->first_lost_ns;
    for (uint64_t i = 0; i < v->ledger->header->keys; i++) {
        for (int operation = 0; operation < CHANGES; operation++)
            v->result->window_operations +=
                acknowledged(v, &v->ledger->keys[i], operation) >=
                v->first_lost_ns;
    }
}

/* A commit is submitted behind the last operation of a transaction: until all
   of them were submitted none may be there. */
static void count_torn_batches(struct verifier *v)
{
    const uint64_t batch = v->ledger->header->about.batch;

    for (int thread = 0; thread <= WORKERS_MAX; thread++)
        v->result->torn_batches +=
            v->done[thread] > 0 && v->done[thread] < batch;
}

static int run(struct verifier *v, struct err *err)
{
    const uint64_t keys = v->ledger->header->keys;

    for (uint64_t i = 0; i < keys; i++) {
        if (submitted(&v->ledger->keys[i], CHANGE_CREATE) == 0)
            continue;
        if (look(v, i, err) != 0)
            return -1;
        note_kept(v, i);
    }
    for (uint64_t i = 0; i < keys; i++) {
        if (submitted(&v->ledger->keys[i], CHANGE_CREATE) != 0)
            judge(v, i);
    }
    if (v->result->lost_operations == 0)
        count_torn_batches(v);
    else
        count_window(v);
    return count_strangers(v, err) == 0 && run_check(v, err) == 0 ? 0 : -1;
}

int verify_run(const struct ledger *ledger, const struct backend *backend,
               struct session *session, struct verify_result *result,
               struct err *err)
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
        return err_set(err, "--verify: the load had not begun: there is "
                            "nothing to judge by");
    /* If the crash was not noted it was after all that is. */
    if (check_events(ledger, &v.crashed_ns, err) != 0)
        return -1;
    if (atomic_load(&header->crashed_ns) != 0)
        v.crashed_ns = atomic_load(&header->crashed_ns);
    v.states = err_calloc(header->keys, 1, err);
    if (v.states == NULL)
        return -1;
    generator_init(&v.generator, (enum lease_family)header->about.family,
                   (enum lease_profile)header->about.profile,
                   header->about.seed);
    v.generator.subnets = header->about.subnets;
    const int status = run(&v, err);
    free(v.states);
    return status;
}

bool verify_is_whole(const struct verify_result *result)
{
    return result->lost + result->outdated + result->resurrected +
                   result->phantom + result->corrupt + result->strangers ==
               0 &&
           result->check == OUTCOME_HIT;
}
