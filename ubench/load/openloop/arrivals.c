/* SPDX-License-Identifier: ISC */
#include "load/openloop/arrivals.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/random.h"

enum { SEQUENCE_ARRIVALS = 0x617272, SEQUENCE_STORM = 0x73746f };

/* Only the first request of a constant schedule arrives at 0. */
static void plan_next(struct arrivals *arrivals)
{
    const uint64_t draw = random_at(arrivals->key, arrivals->number);

    /* A draw above 0, so that its logarithm is finite. */
    if (arrivals->kind == ARRIVALS_POISSON)
        arrivals->next_ns -= arrivals->gap_ns * log((double)((draw >> 11) + 1) * 0x1p-53);
    else
        arrivals->next_ns = arrivals->gap_ns * (double)arrivals->number;
}

static uint64_t due_ns(const struct arrival_source *source)
{
    const struct arrivals *const arrivals = (const struct arrivals *)source;

    return arrivals->next_ns < (double)arrivals->end_ns ? (uint64_t)arrivals->next_ns
                                                        : ARRIVALS_NEVER;
}

static bool take(struct arrival_source *source, struct arrival *arrival)
{
    struct arrivals *const arrivals = (struct arrivals *)source;

    arrival->at_ns = due_ns(source);
    arrival->number = arrivals->number++;
    plan_next(arrivals);
    return true;
}

void arrivals_init(struct arrivals *arrivals, enum arrivals_kind kind, double per_s,
                   uint64_t end_ns, uint64_t seed)
{
    assert(per_s > 0 && end_ns <= UINT64_C(1) << 52);
    *arrivals = (struct arrivals){
        .source = { .due_ns = due_ns, .take = take },
        .kind = kind,
        .gap_ns = (double)NS_PER_S / per_s,
        .key = random_at(seed, SEQUENCE_ARRIVALS),
        .end_ns = end_ns,
    };
    plan_next(arrivals);
}

/* The clients of a site */

struct storm_client {
    uint64_t due_ns;      /* of its next request */
    uint64_t answered_ns; /* of its first answer; ARRIVALS_NEVER: none yet */
    unsigned asked;       /* requests sent */
};

/* Seconds from a request to the client's next one. */
static const unsigned waits_s[STORM_RETRANSMISSIONS] = { 4, 8, 16, 32, 64 };

/* Returns a number uniform in 0..1 that depends only on the client and its attempt. */
static double draw(const struct storm *storm, uint64_t client, unsigned attempt)
{
    const uint64_t i = client * (STORM_RETRANSMISSIONS + 1) + attempt;

    return (double)(random_at(storm->key, i) >> 11) * 0x1p-53;
}

/* Orders clients by time, and at the same time by number. */
static bool is_before(const struct storm *storm, uint32_t a, uint32_t b)
{
    const uint64_t a_ns = storm->states[a].due_ns;
    const uint64_t b_ns = storm->states[b].due_ns;

    return a_ns < b_ns || (a_ns == b_ns && a < b);
}

/* Moves the client at position i of the heap down to its place. */
static void sift_down(struct storm *storm, uint64_t i)
{
    uint32_t *const heap = storm->heap;
    const uint32_t client = heap[i];

    for (;;) {
        uint64_t child = 2 * i + 1;

        if (child >= storm->heap_count)
            break;
        if (child + 1 < storm->heap_count && is_before(storm, heap[child + 1], heap[child]))
            child++;
        if (!is_before(storm, heap[child], client))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = client;
}

static uint64_t storm_due_ns(const struct arrival_source *source)
{
    const struct storm *const storm = (const struct storm *)source;

    if (storm->heap_count == 0)
        return ARRIVALS_NEVER;
    /* Once all have an answer, no client asks again. */
    const uint64_t next_ns = storm->states[storm->heap[0]].due_ns;
    return storm->outcome.served < storm->outcome.clients || next_ns < storm->last_ns
               ? next_ns
               : ARRIVALS_NEVER;
}

/* A client that has an answer by then, or that has asked often enough, does not ask again and
   leaves the heap. */
static bool storm_take(struct arrival_source *source, struct arrival *arrival)
{
    struct storm *const storm = (struct storm *)source;
    const uint32_t number = storm->heap[0];
    struct storm_client *const client = &storm->states[number];
    const bool asks = client->answered_ns > client->due_ns;

    *arrival = (struct arrival){ .at_ns = client->due_ns, .number = number };
    client->asked += asks;
    storm->outcome.sent += asks;
    if (asks && client->asked <= STORM_RETRANSMISSIONS) {
        const double jitter_s = 2 * draw(storm, number, client->asked) - 1;

        client->due_ns += (uint64_t)((waits_s[client->asked - 1] + jitter_s) * 1e9);
    } else {
        storm->heap[0] = storm->heap[--storm->heap_count];
    }
    if (storm->heap_count > 0)
        sift_down(storm, 0);
    return asks;
}

static void storm_answered(struct arrival_source *source, const struct arrival *arrival,
                           uint64_t at_ns)
{
    struct storm *const storm = (struct storm *)source;
    struct storm_client *const client = &storm->states[arrival->number];

    if (client->answered_ns == ARRIVALS_NEVER)
        storm->outcome.served++;
    else
        storm->outcome.useless++;
    if (at_ns < client->answered_ns)
        client->answered_ns = at_ns;
    if (at_ns > storm->last_ns)
        storm->last_ns = at_ns;
}

int storm_init(struct storm *storm, uint64_t clients, uint64_t spread_ns, uint64_t seed,
               struct err *err)
{
    assert(clients >= 1 && clients <= STORM_CLIENTS_MAX);
    *storm = (struct storm){
        .source = { .due_ns = storm_due_ns, .take = storm_take, .answered = storm_answered },
        .outcome = { .clients = clients },
        .key = random_at(seed, SEQUENCE_STORM),
        .heap_count = clients
    };
    storm->states = err_calloc(clients, sizeof *storm->states, err);
    storm->heap = err_calloc(clients, sizeof *storm->heap, err);
    if (storm->states == NULL || storm->heap == NULL)
        return -1;
    for (uint64_t i = 0; i < clients; i++) {
        storm->heap[i] = (uint32_t)i;
        storm->states[i].due_ns = (uint64_t)((double)spread_ns * draw(storm, i, 0));
        storm->states[i].answered_ns = ARRIVALS_NEVER;
    }
    for (uint64_t i = clients / 2; i-- > 0;)
        sift_down(storm, i);
    return 0;
}

void storm_release(struct storm *storm)
{
    free(storm->states);
    free(storm->heap);
    *storm = (struct storm){ 0 };
}

static int compare_answers(const void *a, const void *b)
{
    const uint64_t a_ns = ((const struct storm_client *)a)->answered_ns;
    const uint64_t b_ns = ((const struct storm_client *)b)->answered_ns;

    return (a_ns > b_ns) - (a_ns < b_ns);
}

void storm_judge(struct storm *storm)
{
    struct storm_outcome *const outcome = &storm->outcome;
    struct storm_client *const states = storm->states;
    const uint64_t clients = outcome->clients;

    outcome->retransmitted = outcome->sent;
    for (uint64_t i = 0; i < clients; i++)
        outcome->retransmitted -= states[i].asked > 0;
    /* Clients without an answer are last: ARRIVALS_NEVER is UINT64_MAX. */
    qsort(states, clients, sizeof *states, compare_answers);
    outcome->served_50_ns = states[(clients + 1) / 2 - 1].answered_ns;
    outcome->served_99_ns = states[(clients * 99 + 99) / 100 - 1].answered_ns;
    outcome->served_100_ns = states[clients - 1].answered_ns;
}
