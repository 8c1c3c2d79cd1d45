/* SPDX-License-Identifier: ISC */
#include "load/exchanges.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/clients.h"
#include "load/lookup.h"

/* What each draw is for, as a sequence of its own. */
enum sequence {
    SEQUENCE_MIX = 101,
    SEQUENCE_CLIENT,
    SEQUENCE_PROBE,
    SEQUENCE_DIGEST,
};

/* When the first of the reclaimed and of the expired leases expired; one more
   in each second.  Between them and the clients is room for all there can be.
 */
#define RECLAIMED_S (GENERATOR_EPOCH_S - 2 * (int64_t)GENERATOR_LEASES_MAX)
#define EXPIRED_S   (GENERATOR_EPOCH_S - (int64_t)GENERATOR_LEASES_MAX)

/* What a worker counted of one part of the mix. */
struct book {
    uint64_t done;
    uint64_t deadlocks;
    struct histogram latency;
    struct histogram seen; /* the series' */
    struct series series;
    struct step_result steps[STEPS_MAX];
};

struct worker {
    struct exchanges *all;
    struct session *session;
    size_t index;
    struct clients clients;
    uint64_t added; /* clients that were new */
    uint64_t removed;
    uint64_t digest;
    struct book *books; /* one for each part of the mix */
    struct err err;
    /* The exchange that is being performed. */
    const struct exchange *exchange;
    const struct step *step;
    struct step_result *step_result;
    uint64_t number; /* of the exchange */
    uint64_t hits;
    uint64_t misses;
    uint64_t step_ns; /* when the store was asked */
    size_t picked;    /* a known client's place; of a new one, the next */
    struct client client;
    struct lease lease; /* the client's, as it should be */
    struct lease other; /* as it will be, or another one's */
    struct lease found;
};

struct exchanges {
    struct exchanges_config config;
    const struct backend *backend;
    struct generator generator;
    uint64_t client_key;
    uint64_t probe_key;
    uint64_t mix_key;
    uint64_t planned[MIX_MAX]; /* exchanges of each part */
    /* The leases by number: reclaimed ones, expired ones, those of the clients,
       and from there on those of new clients. */
    uint64_t reclaimed;
    uint64_t expired;
    /* What the server does by itself; under the lock. */
    pthread_mutex_t lock;
    uint64_t reclaims_done; /* leases */
    uint64_t purges_done;   /* leases */
    struct lease list[RECLAIM_LEASES + 1];
    struct worker *workers;
};

/* The mix beforehand */

static uint64_t mix_key(const struct load_config *load)
{
    return random_at(load->seed, SEQUENCE_MIX);
}

static bool ends_with(const struct exchange *exchange, enum step_action action)
{
    const struct step *step = exchange->steps;

    while (step[1].action != STEP_END)
        step++;
    return step->action == action;
}

/* How many exchanges of each part there will be. */
static void count_parts(const struct exchanges_config *config,
                        uint64_t planned[static MIX_MAX])
{
    const uint64_t key = mix_key(&config->load);

    memset(planned, 0, MIX_MAX * sizeof planned[0]);
    if (config->mix.count == 1)
        planned[0] = config->load.count;
    for (uint64_t i = 0; config->mix.count > 1 && i < config->load.count; i++)
        planned[mix_draw(&config->mix, key, i)]++;
}

/* Of these, the ones whose last step is this. */
static uint64_t count_ending(const struct exchanges_config *config,
                             const uint64_t planned[static MIX_MAX],
                             enum step_action action)
{
    uint64_t count = 0;

    for (size_t p = 0; p < config->mix.count; p++) {
        if (ends_with(config->mix.parts[p].exchange, action))
            count += planned[p];
    }
    return count;
}

size_t exchanges_part(const struct exchanges_config *config, uint64_t i)
{
    return mix_draw(&config->mix, mix_key(&config->load), i);
}

static bool takes_client(const struct exchange *exchange)
{
    return exchange->party == PARTY_KNOWN && !ends_with(exchange, STEP_RENEW);
}

/* The most clients that any worker's exchanges take away. */
static uint64_t most_taken(const struct exchanges_config *config)
{
    const struct mix *const mix = &config->mix;
    const uint64_t threads = config->load.threads;
    const uint64_t key = mix_key(&config->load);
    uint64_t taken[WORKERS_MAX] = { 0 };
    uint64_t most = 0;

    for (uint64_t i = 0; i < config->load.count; i++) {
        uint64_t *const mine = &taken[i % threads];

        *mine += takes_client(mix->parts[mix_draw(mix, key, i)].exchange);
        most = *mine > most ? *mine : most;
    }
    return most;
}

uint64_t exchanges_preload_min(const struct exchanges_config *config)
{
    const struct mix *const mix = &config->mix;
    const uint64_t threads = config->load.threads;
    size_t takers = 0;

    for (size_t p = 0; p < mix->count; p++)
        takers += takes_client(mix->parts[p].exchange);
    if (takers == 0)
        return threads;
    if (takers == mix->count)
        return ((config->load.count + threads - 1) / threads + 1) * threads;
    return (most_taken(config) + 1) * threads;
}

/* Leases */

static void make_expired(const struct exchanges *all, uint64_t number,
                         struct lease *lease)
{
    generator_make(&all->generator, number, 0, lease);
    lease->cltt_s =
        EXPIRED_S + (int64_t)(number - all->reclaimed) - lease->valid_s;
}

/* Kea has by then sent the changes of DNS, and forgets the name. */
static void reclaim(struct lease *lease)
{
    lease->state = LEASE_STATE_RECLAIMED;
    lease->hostname_length = 0;
    lease->fqdn_fwd = false;
    lease->fqdn_rev = false;
}

static void make_reclaimed(const struct exchanges *all, uint64_t number,
                           struct lease *lease)
{
    generator_make(&all->generator, number, 0, lease);
    lease->cltt_s = RECLAIMED_S + (int64_t)number - lease->valid_s;
    reclaim(lease);
}

/* Answers */

static const char *verb(const struct worker *worker)
{
    return worker->step != NULL ? worker->step->name : "reading back";
}

static const char *exchange_name(const struct worker *worker)
{
    return worker->exchange != NULL ? worker->exchange->name : "after the run";
}

static enum exchange_end failed(struct worker *worker,
                                const struct lease *lease)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];
    const struct err cause = worker->err;

    if (cause.class == ERR_DEADLOCK)
        return EXCHANGE_DEADLOCK;
    (void)err_set_class(
        &worker->err, cause.class, "%s (%s: %s %s)", cause.text,
        exchange_name(worker), verb(worker),
        lease_address_text(text, lease->address, worker->all->generator.type));
    return EXCHANGE_FAILED;
}

static enum exchange_end wrong_outcome(struct worker *worker,
                                       const struct lease *lease,
                                       enum outcome expected)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)err_set(
        &worker->err,
        "%s: wrong answer: %s: %s %s gave %s where a correct store gives %s",
        worker->all->backend->name, exchange_name(worker), verb(worker),
        lease_address_text(text, lease->address, worker->all->generator.type),
        expected == OUTCOME_HIT ? "MISS" : "HIT",
        expected == OUTCOME_HIT ? "HIT" : "MISS");
    return EXCHANGE_WRONG;
}

static enum exchange_end wrong_lease(struct worker *worker,
                                     const struct lease *should,
                                     const struct lease *found)
{
    char text[LEASE_ADDRESS_TEXT_SIZE];

    (void)err_set(
        &worker->err,
        "%s: wrong answer: %s: %s %s gave a lease with another %s than was "
        "stored",
        worker->all->backend->name, exchange_name(worker), verb(worker),
        lease_address_text(text, should->address, worker->all->generator.type),
        lease_difference(should, found));
    return EXCHANGE_WRONG;
}

static enum exchange_end wrong_number(struct worker *worker, uint64_t found,
                                      uint64_t should)
{
    (void)err_set(&worker->err,
                  "%s: wrong answer: %s: %s gave %" PRIu64
                  " leases where a correct store gives %" PRIu64,
                  worker->all->backend->name, exchange_name(worker),
                  verb(worker), found, should);
    return EXCHANGE_WRONG;
}

/* Around each question to the store. */
static void begin_question(struct worker *worker)
{
    if (worker->all->config.load.latency)
        worker->step_ns = clock_now_ns();
}

/* Notes an answer, and compares it with what it should be. */
static enum exchange_end end_question(struct worker *worker,
                                      const struct lease *lease,
                                      enum outcome outcome,
                                      enum outcome expected)
{
    struct step_result *const step = worker->step_result;

    if (outcome == OUTCOME_ERROR)
        return failed(worker, lease);
    if (outcome != expected && worker->all->backend->keeps_leases)
        return wrong_outcome(worker, lease, expected);
    if (worker->all->config.load.latency)
        histogram_record(&step->latency, clock_now_ns() - worker->step_ns);
    if (expected == OUTCOME_HIT) {
        step->hits++;
        worker->hits++;
    } else {
        step->misses++;
        worker->misses++;
    }
    return EXCHANGE_DONE;
}

/* Steps.  Each asks once or more, and says how it went. */

static enum outcome ask(struct worker *worker, enum step_action action,
                        const struct lease *lease)
{
    static const enum lookup lookups[] = {
        [STEP_FIND_CLIENT_ID] = LOOKUP_CLIENT_ID,
        [STEP_FIND_HWADDR] = LOOKUP_HWADDR,
        [STEP_FIND_DUID] = LOOKUP_CLIENT_ID,
        [STEP_FIND_ADDRESS] = LOOKUP_ADDRESS,
    };

    return lookup_lease(worker->all->backend, worker->session, lookups[action],
                        lease, &worker->found, &worker->err);
}

/* Looks up the lease of a client, which is as it should be. */
static enum exchange_end find(struct worker *worker, enum step_action action,
                              const struct client *client,
                              const struct lease *lease, enum outcome expected)
{
    begin_question(worker);
    const enum outcome outcome = ask(worker, action, lease);
    const enum exchange_end end =
        end_question(worker, lease, outcome, expected);

    if (end == EXCHANGE_DONE && expected == OUTCOME_HIT &&
        worker->all->backend->keeps_leases &&
        !client_matches(client, &worker->all->generator, &worker->found)) {
        client_make_lease(client, &worker->all->generator, &worker->other);
        return wrong_lease(worker, &worker->other, &worker->found);
    }
    return end;
}

static enum exchange_end run_find(struct worker *worker)
{
    return find(worker, worker->step->action, &worker->client, &worker->lease,
                worker->step->expected);
}

/* The allocator's candidates: taken ones first, then the free one. */
static enum exchange_end run_probe(struct worker *worker)
{
    const struct exchanges *const all = worker->all;
    const uint64_t probes = all->config.probes;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 1; k < probes && end == EXCHANGE_DONE; k++) {
        const uint64_t draw =
            random_at(all->probe_key, worker->number * probes + k);
        const struct client *const taken =
            &worker->clients
                 .all[random_below((uint32_t)draw, worker->clients.active)];

        worker->other.address =
            generator_address(&all->generator, taken->number);
        worker->other.type = worker->lease.type;
        end =
            find(worker, STEP_FIND_ADDRESS, taken, &worker->other, OUTCOME_HIT);
    }
    if (end == EXCHANGE_DONE)
        end = find(worker, STEP_FIND_ADDRESS, &worker->client, &worker->lease,
                   OUTCOME_MISS);
    return end;
}

static enum exchange_end run_create(struct worker *worker)
{
    begin_question(worker);
    const enum outcome outcome = worker->all->backend->create(
        worker->session, &worker->lease, &worker->err);
    const enum exchange_end end =
        end_question(worker, &worker->lease, outcome, OUTCOME_HIT);

    if (end != EXCHANGE_DONE)
        return end;
    if (clients_add(&worker->clients, worker->client.number) != 0) {
        (void)err_set(&worker->err, "out of memory");
        return EXCHANGE_FAILED;
    }
    worker->added++;
    return end;
}

/* Rewrites a lease that expires when the one before did. */
static enum exchange_end update(struct worker *worker,
                                const struct lease *before,
                                const struct lease *after)
{
    begin_question(worker);
    const enum outcome outcome = worker->all->backend->update(
        worker->session, after, lease_expire_s(before), &worker->err);
    return end_question(worker, after, outcome, OUTCOME_HIT);
}

static enum exchange_end run_renew(struct worker *worker)
{
    struct client renewed = worker->client;

    renewed.version++;
    client_make_lease(&renewed, &worker->all->generator, &worker->other);
    const enum exchange_end end =
        update(worker, &worker->lease, &worker->other);
    if (end == EXCHANGE_DONE)
        worker->clients.all[worker->picked] = renewed;
    return end;
}

/* The client loses its lease, and the row stays in another state. */
static enum exchange_end run_retire(struct worker *worker)
{
    struct client retired = worker->client;

    retired.state = worker->step->action == STEP_RELEASE ? CLIENT_RELEASED
                                                         : CLIENT_DECLINED;
    client_make_lease(&retired, &worker->all->generator, &worker->other);
    const enum exchange_end end =
        update(worker, &worker->lease, &worker->other);
    if (end == EXCHANGE_DONE)
        clients_retire(&worker->clients, worker->picked,
                       (enum client_state)retired.state);
    return end;
}

static enum exchange_end run_remove(struct worker *worker)
{
    begin_question(worker);
    const enum outcome outcome = worker->all->backend->remove(
        worker->session, worker->lease.address, lease_expire_s(&worker->lease),
        &worker->err);
    const enum exchange_end end =
        end_question(worker, &worker->lease, outcome, OUTCOME_HIT);

    if (end == EXCHANGE_DONE) {
        clients_retire(&worker->clients, worker->picked, CLIENT_GONE);
        worker->removed++;
    }
    return end;
}

/* The leases that this cycle should find: one more than it takes, or what is
   left. */
static uint64_t expired_due(const struct exchanges *all)
{
    const uint64_t left = all->expired - all->reclaims_done;

    return left < RECLAIM_LEASES + 1 ? left : RECLAIM_LEASES + 1;
}

static enum exchange_end run_list_expired(struct worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t due = expired_due(all);
    const uint64_t first = all->reclaimed + all->reclaims_done;
    size_t count = 0;

    begin_question(worker);
    const int status = all->backend->list_expired(
        worker->session, EXPIRED_S + (int64_t)(all->reclaims_done + due),
        RECLAIM_LEASES + 1, all->list, &count, &worker->err);
    const enum exchange_end end =
        end_question(worker, &worker->lease,
                     status == 0 ? OUTCOME_HIT : OUTCOME_ERROR, OUTCOME_HIT);
    if (end != EXCHANGE_DONE || !all->backend->keeps_leases)
        return end;
    if (count != due)
        return wrong_number(worker, count, due);
    for (size_t i = 0; i < count; i++) {
        make_expired(all, first + i, &worker->other);
        if (!lease_equal(&worker->other, &all->list[i]))
            return wrong_lease(worker, &worker->other, &all->list[i]);
    }
    return end;
}

/* Each lease on the list but the one that says that there are more. */
static enum exchange_end run_reclaim(struct worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t due = expired_due(all);
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t i = 0; i < due && i < RECLAIM_LEASES && end == EXCHANGE_DONE;
         i++) {
        make_expired(all, all->reclaimed + all->reclaims_done, &worker->lease);
        worker->other = worker->lease;
        reclaim(&worker->other);
        end = update(worker, &worker->lease, &worker->other);
        all->reclaims_done += end == EXCHANGE_DONE;
    }
    return end;
}

static enum exchange_end run_purge(struct worker *worker)
{
    struct exchanges *const all = worker->all;
    const uint64_t left = all->reclaimed - all->purges_done;
    const uint64_t due = left < PURGE_LEASES ? left : PURGE_LEASES;
    uint64_t purged = 0;

    begin_question(worker);
    const int status = all->backend->purge_reclaimed(
        worker->session, RECLAIMED_S + (int64_t)(all->purges_done + due),
        &purged, &worker->err);
    const enum exchange_end end =
        end_question(worker, &worker->lease,
                     status == 0 ? OUTCOME_HIT : OUTCOME_ERROR, OUTCOME_HIT);
    if (end != EXCHANGE_DONE)
        return end;
    if (purged != due && all->backend->keeps_leases)
        return wrong_number(worker, purged, due);
    all->purges_done += due;
    return end;
}

static enum exchange_end run_step(struct worker *worker)
{
    static enum exchange_end (*const steps[])(struct worker *) = {
        [STEP_FIND_CLIENT_ID] = run_find,
        [STEP_FIND_HWADDR] = run_find,
        [STEP_FIND_DUID] = run_find,
        [STEP_FIND_ADDRESS] = run_find,
        [STEP_PROBE] = run_probe,
        [STEP_CREATE] = run_create,
        [STEP_RENEW] = run_renew,
        [STEP_RELEASE] = run_retire,
        [STEP_DECLINE] = run_retire,
        [STEP_REMOVE] = run_remove,
        [STEP_LIST_EXPIRED] = run_list_expired,
        [STEP_RECLAIM] = run_reclaim,
        [STEP_PURGE] = run_purge,
    };

    return steps[worker->step->action](worker);
}

/* Exchanges */

/* The number of the lease of a worker's k-th client. */
static uint64_t client_number(const struct exchanges *all, size_t worker,
                              uint64_t k)
{
    return all->reclaimed + all->expired + worker +
           k * all->config.load.threads;
}

/* A worker's clients of the preload. */
static uint64_t client_share(const struct load_config *load, size_t worker)
{
    return load->preload / load->threads +
           (worker < load->preload % load->threads);
}

/* Finds the client for the exchange.  False if there is none. */
static bool pick_client(struct worker *worker)
{
    const struct exchanges *const all = worker->all;

    if (worker->exchange->party == PARTY_NOBODY)
        return true;
    if (worker->exchange->party == PARTY_NEW) {
        const uint64_t k =
            client_share(&all->config.load, worker->index) + worker->added;

        worker->client = (struct client){
            .number = (uint32_t)client_number(all, worker->index, k),
        };
    } else {
        if (worker->clients.active == 0)
            return false;
        const uint64_t draw = random_at(all->client_key, worker->number);

        worker->picked = random_below((uint32_t)draw, worker->clients.active);
        worker->client = worker->clients.all[worker->picked];
    }
    client_make_lease(&worker->client, &all->generator, &worker->lease);
    return true;
}

static enum exchange_end run_steps(struct worker *worker, struct book *book)
{
    enum exchange_end end = EXCHANGE_DONE;

    worker->hits = 0;
    worker->misses = 0;
    worker->step_result = book->steps;
    for (worker->step = worker->exchange->steps;
         worker->step->action != STEP_END && end == EXCHANGE_DONE;
         worker->step++, worker->step_result++)
        end = run_step(worker);
    return end;
}

/* What the server does by itself is not done twice at the same time. */
static enum exchange_end run_exchange(struct worker *worker, struct book *book)
{
    struct exchanges *const all = worker->all;
    const bool alone = worker->exchange->party == PARTY_NOBODY;

    if (!pick_client(worker)) {
        (void)err_set(&worker->err,
                      "%s: no client of worker %zu has a lease any more; "
                      "--preload makes more",
                      worker->exchange->name, worker->index);
        return EXCHANGE_FAILED;
    }
    if (alone)
        (void)pthread_mutex_lock(&all->lock);
    const enum exchange_end end = run_steps(worker, book);
    if (alone)
        (void)pthread_mutex_unlock(&all->lock);
    return end;
}

static void note_latency(struct book *book, uint64_t begun_ns)
{
    const uint64_t now_ns = clock_now_ns();

    if (series_is_due(&book->series, now_ns))
        series_tick(&book->series, &book->latency, now_ns);
    histogram_record(&book->latency, now_ns - begun_ns);
}

enum exchange_end exchanges_perform(struct exchanges *exchanges, size_t worker,
                                    uint64_t i, size_t *part)
{
    struct worker *const w = &exchanges->workers[worker];
    const bool latency = exchanges->config.load.latency;

    *part = mix_draw(&exchanges->config.mix, exchanges->mix_key, i);
    struct book *const book = &w->books[*part];
    const uint64_t begun_ns = latency ? clock_now_ns() : 0;

    w->number = i;
    w->exchange = exchanges->config.mix.parts[*part].exchange;
    const enum exchange_end end = run_exchange(w, book);
    if (end == EXCHANGE_DONE) {
        if (latency)
            note_latency(book, begun_ns);
        book->done++;
        w->digest += random_at((uint64_t)(w->exchange - exchange_table) << 32 |
                                   w->hits << 16 | w->misses,
                               i);
    } else if (end == EXCHANGE_DEADLOCK) {
        book->deadlocks++;
    }
    return end;
}

const struct err *exchanges_error(const struct exchanges *exchanges,
                                  size_t worker)
{
    return &exchanges->workers[worker].err;
}

/* Books */

static size_t step_count(const struct exchange *exchange)
{
    size_t count = 0;

    while (exchange->steps[count].action != STEP_END)
        count++;
    return count;
}

static void begin_book(struct book *book, const struct exchange *exchange,
                       uint64_t now_ns)
{
    series_release(&book->series);
    book->done = 0;
    book->deadlocks = 0;
    histogram_init(&book->latency);
    histogram_init(&book->seen);
    series_begin(&book->series, &book->seen, now_ns);
    for (size_t s = 0; s < step_count(exchange); s++) {
        book->steps[s] = (struct step_result){
            .name = exchange->steps[s].name,
            .operation = step_operation(exchange->steps[s].action),
        };
        histogram_init(&book->steps[s].latency);
    }
}

void exchanges_begin(struct exchanges *exchanges)
{
    const struct exchanges_config *const config = &exchanges->config;
    const uint64_t now_ns = clock_now_ns();

    for (size_t w = 0; w < config->load.threads; w++) {
        for (size_t p = 0; p < config->mix.count; p++)
            begin_book(&exchanges->workers[w].books[p],
                       config->mix.parts[p].exchange, now_ns);
        exchanges->workers[w].digest = 0;
    }
}

static void add_book(struct book *book, const struct exchange *exchange,
                     struct phase_result *phase)
{
    phase->done += book->done;
    phase->hits += book->done;
    phase->deadlocks += book->deadlocks;
    histogram_add(&phase->operations, &book->latency);
    series_end(&book->series, &book->latency);
    series_add(&phase->series, &book->series);
    for (size_t s = 0; s < phase->step_count; s++) {
        struct step_result *const to = &phase->steps[s];
        const struct step_result *const from = &book->steps[s];

        to->hits += from->hits;
        to->misses += from->misses;
        histogram_add(&to->latency, &from->latency);
        if (step_changes(exchange->steps[s].action))
            phase->commits_due += from->hits;
    }
}

static int begin_phase(struct phase_result *phase,
                       const struct exchange *exchange, struct err *err)
{
    phase->name = exchange->name;
    phase->step_count = step_count(exchange);
    phase->steps = calloc(phase->step_count, sizeof *phase->steps);
    if (phase->steps == NULL) {
        phase->step_count = 0;
        return err_set(err, "out of memory");
    }
    for (size_t s = 0; s < phase->step_count; s++) {
        phase->steps[s].name = exchange->steps[s].name;
        phase->steps[s].operation = step_operation(exchange->steps[s].action);
        histogram_init(&phase->steps[s].latency);
    }
    return 0;
}

int exchanges_collect(struct exchanges *exchanges, struct load_result *result,
                      struct err *err)
{
    const struct exchanges_config *const config = &exchanges->config;

    *result = (struct load_result){
        .together = true,
        .verified = exchanges->backend->keeps_leases,
        .digest = random_at(random_at(config->load.seed, SEQUENCE_DIGEST),
                            config->load.preload << 8 |
                                (uint64_t)config->load.family << 4 |
                                (uint64_t)config->load.profile),
    };
    if (load_result_init(result, config->mix.count, err) != 0)
        return -1;
    for (size_t p = 0; p < config->mix.count; p++) {
        const struct exchange *const exchange = config->mix.parts[p].exchange;

        if (begin_phase(&result->phases[p], exchange, err) != 0)
            return -1;
        result->phases[p].planned = exchanges->planned[p];
        for (size_t w = 0; w < config->load.threads; w++)
            add_book(&exchanges->workers[w].books[p], exchange,
                     &result->phases[p]);
    }
    for (size_t w = 0; w < config->load.threads; w++)
        result->digest += exchanges->workers[w].digest;
    return 0;
}

/* Checks after the run */

static enum exchange_end read_back(struct worker *worker,
                                   const struct lease *should,
                                   enum outcome expected)
{
    const enum outcome outcome = ask(worker, STEP_FIND_ADDRESS, should);

    if (outcome == OUTCOME_ERROR)
        return failed(worker, should);
    if (outcome != expected)
        return wrong_outcome(worker, should, expected);
    if (outcome == OUTCOME_HIT && !lease_equal(should, &worker->found))
        return wrong_lease(worker, should, &worker->found);
    return EXCHANGE_DONE;
}

/* Some of the clients, evenly spread over those that have a lease and the
   others. */
static enum exchange_end check_clients(struct worker *worker, uint64_t sample)
{
    const struct clients *const clients = &worker->clients;
    const uint64_t count = clients->count < sample ? clients->count : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const struct client *const client =
            &clients->all[(k + 1) * clients->count / count - 1];

        client_make_lease(client, &worker->all->generator, &worker->lease);
        end = read_back(worker, &worker->lease,
                        client->state == CLIENT_GONE ? OUTCOME_MISS
                                                     : OUTCOME_HIT);
    }
    return end;
}

/* The same of the leases that the server handled by itself. */
static enum exchange_end check_reserves(struct worker *worker, uint64_t sample)
{
    const struct exchanges *const all = worker->all;
    const uint64_t reserves = all->reclaimed + all->expired;
    const uint64_t count = reserves < sample ? reserves : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const uint64_t number = (k + 1) * reserves / count - 1;
        struct lease *const lease = &worker->lease;

        if (number < all->reclaimed) {
            make_reclaimed(all, number, lease);
        } else {
            make_expired(all, number, lease);
            if (number < all->reclaimed + all->reclaims_done)
                reclaim(lease);
        }
        end = read_back(worker, lease,
                        number < all->purges_done ? OUTCOME_MISS : OUTCOME_HIT);
    }
    return end;
}

/* The leases that there ought to be. */
static uint64_t leases_due(const struct exchanges *all)
{
    uint64_t due = all->reclaimed + all->expired + all->config.load.preload -
                   all->purges_done;

    for (size_t w = 0; w < all->config.load.threads; w++)
        due += all->workers[w].added - all->workers[w].removed;
    return due;
}

enum load_end exchanges_verify(struct exchanges *exchanges,
                               struct load_result *result, struct err *err)
{
    enum { SAMPLE = 1000 };
    const uint64_t threads = exchanges->config.load.threads;
    struct worker *const first = &exchanges->workers[0];
    const uint64_t due = leases_due(exchanges);
    uint64_t counted = 0;
    enum exchange_end end = EXCHANGE_DONE;

    if (exchanges->backend->count(first->session, &counted, err) != 0)
        return LOAD_FAILED;
    if (!exchanges->backend->keeps_leases)
        return LOAD_DONE;
    result->left = counted - due;
    for (size_t w = 0; w < threads; w++) {
        exchanges->workers[w].exchange = NULL;
        exchanges->workers[w].step = NULL;
    }
    if (counted != due)
        end = wrong_number(first, counted, due);
    for (size_t w = 0; w < threads && end == EXCHANGE_DONE; w++) {
        struct worker *const worker = &exchanges->workers[w];

        end = check_clients(worker, (SAMPLE + threads - 1) / threads);
        if (end == EXCHANGE_DONE && w == 0)
            end = check_reserves(worker, SAMPLE);
        if (end != EXCHANGE_DONE)
            *err = worker->err;
    }
    if (counted != due)
        *err = first->err;
    if (end == EXCHANGE_DONE)
        return LOAD_DONE;
    return end == EXCHANGE_WRONG ? LOAD_WRONG : LOAD_FAILED;
}

/* The beginning and the end */

/* Makes lease number n of the preload. */
static void make_preloaded(const struct exchanges *all, uint64_t n,
                           struct lease *lease)
{
    if (n < all->reclaimed)
        make_reclaimed(all, n, lease);
    else if (n < all->reclaimed + all->expired)
        make_expired(all, n, lease);
    else
        generator_make(&all->generator, n, 0, lease);
}

static enum load_end preload_one(struct exchanges *all, uint64_t n,
                                 struct err *err)
{
    struct worker *const worker = &all->workers[0];
    char text[LEASE_ADDRESS_TEXT_SIZE];

    make_preloaded(all, n, &worker->lease);
    const enum outcome outcome =
        all->backend->create(worker->session, &worker->lease, err);
    if (outcome == OUTCOME_HIT)
        return LOAD_DONE;
    if (outcome == OUTCOME_ERROR)
        return LOAD_FAILED;
    (void)err_set(
        err,
        "%s: wrong answer: preloading %s gave MISS where a correct "
        "store gives HIT",
        all->backend->name,
        lease_address_text(text, worker->lease.address, all->generator.type));
    return LOAD_WRONG;
}

static enum load_end preload(struct exchanges *all, struct progress *progress,
                             struct err *err)
{
    enum { GROUP = 1000 };
    const struct backend *const backend = all->backend;
    struct session *const session = all->workers[0].session;
    const uint64_t count =
        all->reclaimed + all->expired + all->config.load.preload;
    enum load_end end = LOAD_DONE;

    progress_begin(progress, "preload", count, 1);
    for (uint64_t n = 0; n < count && end == LOAD_DONE; n++) {
        progress_set_done(&progress->lanes[0], n);
        if (progress_stopped(progress))
            return LOAD_INTERRUPTED;
        if (n % GROUP == 0 && backend->begin(session, err) != 0)
            return LOAD_FAILED;
        end = preload_one(all, n, err);
        if (end == LOAD_DONE && (n % GROUP == GROUP - 1 || n + 1 == count) &&
            backend->commit(session, err) != 0)
            return LOAD_FAILED;
    }
    atomic_store(&progress->phase, NULL);
    return end;
}

/* Those that a worker will meet, as long as they are shared evenly. */
static uint64_t new_clients(const struct exchanges *all)
{
    uint64_t count = 0;

    for (size_t p = 0; p < all->config.mix.count; p++) {
        if (all->config.mix.parts[p].exchange->party == PARTY_NEW)
            count += all->planned[p];
    }
    return count / all->config.load.threads + 1;
}

static int make_worker(struct exchanges *all, size_t index,
                       struct session *session)
{
    struct worker *const worker = &all->workers[index];
    const struct exchanges_config *const config = &all->config;
    const uint64_t share = client_share(&config->load, index);

    worker->all = all;
    worker->session = session;
    worker->index = index;
    worker->books = calloc(config->mix.count, sizeof *worker->books);
    if (worker->books == NULL ||
        clients_init(&worker->clients, share + new_clients(all)) != 0)
        return -1;
    for (uint64_t k = 0; k < share; k++)
        (void)clients_add(&worker->clients,
                          (uint32_t)client_number(all, index, k));
    return 0;
}

uint64_t exchanges_leases_max(const struct exchanges_config *config,
                              uint64_t preload)
{
    uint64_t planned[MIX_MAX];

    count_parts(config, planned);
    return count_ending(config, planned, STEP_PURGE) * PURGE_LEASES +
           count_ending(config, planned, STEP_RECLAIM) * RECLAIM_LEASES + 1 +
           preload + config->load.count + config->load.threads;
}

static struct exchanges *make_exchanges(const struct exchanges_config *config,
                                        const struct backend *backend,
                                        struct session *const *sessions)
{
    struct exchanges *const all = calloc(1, sizeof *all);

    if (all == NULL)
        return NULL;
    count_parts(config, all->planned);
    const uint64_t cycles = count_ending(config, all->planned, STEP_RECLAIM);
    (void)pthread_mutex_init(&all->lock, NULL);
    all->config = *config;
    all->backend = backend;
    all->mix_key = mix_key(&config->load);
    all->client_key = random_at(config->load.seed, SEQUENCE_CLIENT);
    all->probe_key = random_at(config->load.seed, SEQUENCE_PROBE);
    all->reclaimed =
        count_ending(config, all->planned, STEP_PURGE) * PURGE_LEASES;
    all->expired = cycles > 0 ? cycles * RECLAIM_LEASES + 1 : 0;
    generator_init(&all->generator, config->load.family, config->load.profile,
                   config->load.seed);
    all->workers = calloc(config->load.threads, sizeof *all->workers);
    for (size_t w = 0; w < config->load.threads; w++) {
        if (all->workers == NULL || make_worker(all, w, sessions[w]) != 0) {
            exchanges_close(all);
            return NULL;
        }
    }
    return all;
}

void exchanges_close(struct exchanges *exchanges)
{
    if (exchanges == NULL)
        return;
    for (size_t w = 0;
         exchanges->workers != NULL && w < exchanges->config.load.threads;
         w++) {
        struct worker *const worker = &exchanges->workers[w];

        for (size_t p = 0;
             worker->books != NULL && p < exchanges->config.mix.count; p++)
            series_release(&worker->books[p].series);
        free(worker->books);
        clients_release(&worker->clients);
    }
    (void)pthread_mutex_destroy(&exchanges->lock);
    free(exchanges->workers);
    free(exchanges);
}

enum load_end exchanges_open(struct exchanges **made,
                             const struct exchanges_config *config,
                             const struct backend *backend,
                             struct session *const *sessions,
                             struct progress *progress, struct err *err)
{
    assert(config->mix.count > 0 && config->probes >= 1);
    assert(config->load.threads >= 1 && config->load.threads <= WORKERS_MAX);
    *made = NULL;
    struct exchanges *const all = make_exchanges(config, backend, sessions);
    enum load_end end = LOAD_FAILED;

    if (all == NULL) {
        (void)err_set(err, "out of memory");
        return LOAD_FAILED;
    }
    if (backend->reset(sessions[0], err) == 0)
        end = preload(all, progress, err);
    if (end == LOAD_DONE) {
        exchanges_begin(all);
        *made = all;
    } else {
        exchanges_close(all);
    }
    return end;
}
