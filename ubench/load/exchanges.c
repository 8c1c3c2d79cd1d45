/* SPDX-License-Identifier: ISC */
#include "load/exchanges.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "load/exchange_steps.h"

/* What each draw is for, as a sequence of its own. */
enum sequence {
    SEQUENCE_MIX = 101,
    SEQUENCE_CLIENT,
    SEQUENCE_PROBE,
    SEQUENCE_DIGEST,
    SEQUENCE_RESERVED,
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
static bool pick_client(struct exchange_worker *worker)
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

static enum exchange_end run_steps(struct exchange_worker *worker,
                                   struct book *book)
{
    enum exchange_end end = EXCHANGE_DONE;

    worker->hits = 0;
    worker->misses = 0;
    worker->step_result = book->steps;
    for (worker->step = worker->exchange->steps;
         worker->step->action != STEP_END && end == EXCHANGE_DONE;
         worker->step++, worker->step_result++)
        end = exchange_run_step(worker);
    return end;
}

/* What the server does by itself is not done twice at the same time. */
static enum exchange_end run_exchange(struct exchange_worker *worker,
                                      struct book *book)
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
    struct exchange_worker *const w = &exchanges->workers[worker];
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
        /* With reservations, how much is asked depends on who the client is,
           and that on the number of threads. */
        const uint64_t asked =
            exchanges->config.reservations > 0 ? 0 : w->hits << 16 | w->misses;

        w->digest += random_at(exchanges->digest_keys[*part] | asked, i);
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
        .digest = random_at(load_digest_base(&config->load, SEQUENCE_DIGEST),
                            config->load.preload << 8 |
                                (uint64_t)config->load.family << 4 |
                                (uint64_t)config->load.profile),
    };
    if (config->reservations > 0)
        result->digest = random_at(result->digest, config->reservations);
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

/* Some of the clients, evenly spread over those that have a lease and the
   others. */
static enum exchange_end check_clients(struct exchange_worker *worker,
                                       uint64_t sample)
{
    const struct clients *const clients = &worker->clients;
    const uint64_t count = clients->count < sample ? clients->count : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const struct client *const client =
            &clients->all[(k + 1) * clients->count / count - 1];

        client_make_lease(client, &worker->all->generator, &worker->lease);
        end = exchange_read_back(worker, &worker->lease,
                                 client->state == CLIENT_GONE ? OUTCOME_MISS
                                                              : OUTCOME_HIT);
    }
    return end;
}

/* The same of the leases that the server handled by itself. */
static enum exchange_end check_reserves(struct exchange_worker *worker,
                                        uint64_t sample)
{
    const struct exchanges *const all = worker->all;
    const uint64_t reserves = all->reclaimed + all->expired;
    const uint64_t count = reserves < sample ? reserves : sample;
    enum exchange_end end = EXCHANGE_DONE;

    for (uint64_t k = 0; k < count && end == EXCHANGE_DONE; k++) {
        const uint64_t number = (k + 1) * reserves / count - 1;
        struct lease *const lease = &worker->lease;

        if (number < all->reclaimed) {
            exchange_make_reclaimed(all, number, lease);
        } else {
            exchange_make_expired(all, number, lease);
            if (number < all->reclaimed + all->reclaims_done)
                exchange_reclaim(lease);
        }
        end = exchange_read_back(worker, lease,
                                 number < all->purges_done ? OUTCOME_MISS
                                                           : OUTCOME_HIT);
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

static int add_due(struct lease_counts *due, const struct lease *lease)
{
    const struct lease_kind kind = { .subnet_id = lease->subnet_id,
                                     .pool_id = lease->pool_id,
                                     .type = lease->type,
                                     .state = lease->state };

    return lease_counts_add(due, &kind, 1);
}

/* Counts each lease that there ought to be.  Returns 0, or -1 if there is no
   memory. */
static int count_due(const struct exchanges *all, struct lease_counts *due)
{
    struct lease lease;

    for (uint64_t n = all->reclaimed + all->reclaims_done;
         n < all->reclaimed + all->expired; n++) {
        exchange_make_expired(all, n, &lease);
        if (add_due(due, &lease) != 0)
            return -1;
    }
    for (size_t w = 0; w < all->config.load.threads; w++) {
        const struct clients *const clients = &all->workers[w].clients;

        for (size_t k = 0; k < clients->count; k++) {
            client_make_lease(&clients->all[k], &all->generator, &lease);
            if (clients->all[k].state != CLIENT_GONE &&
                add_due(due, &lease) != 0)
                return -1;
        }
    }
    return 0;
}

static enum load_end check_counters(const struct exchanges *all,
                                    struct err *err)
{
    struct lease_counts due = { .used = 0 };
    enum load_end end = LOAD_FAILED;

    if (!all->config.load.counted)
        return LOAD_DONE;
    if (count_due(all, &due) == 0)
        end = load_check_counters(&all->config.load, all->backend,
                                  all->workers[0].session, &due,
                                  "after the run", err);
    else
        (void)err_set(err, "out of memory");
    lease_counts_release(&due);
    return end;
}

enum load_end exchanges_verify(struct exchanges *exchanges,
                               struct load_result *result, struct err *err)
{
    enum { SAMPLE = 1000 };
    const uint64_t threads = exchanges->config.load.threads;
    struct exchange_worker *const first = &exchanges->workers[0];
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
        end = exchange_wrong_number(first, counted, due);
    for (size_t w = 0; w < threads && end == EXCHANGE_DONE; w++) {
        struct exchange_worker *const worker = &exchanges->workers[w];

        end = check_clients(worker, (SAMPLE + threads - 1) / threads);
        if (end == EXCHANGE_DONE && w == 0)
            end = check_reserves(worker, SAMPLE);
        if (end != EXCHANGE_DONE)
            *err = worker->err;
    }
    if (counted != due)
        *err = first->err;
    if (end == EXCHANGE_DONE)
        return check_counters(exchanges, err);
    return end == EXCHANGE_WRONG ? LOAD_WRONG : LOAD_FAILED;
}

/* The beginning and the end */

/* Makes lease number n of the preload. */
static void make_preloaded(const struct exchanges *all, uint64_t n,
                           struct lease *lease)
{
    if (n < all->reclaimed)
        exchange_make_reclaimed(all, n, lease);
    else if (n < all->reclaimed + all->expired)
        exchange_make_expired(all, n, lease);
    else
        generator_make(&all->generator, n, 0, lease);
}

static enum load_end preload_one(struct exchanges *all, uint64_t n,
                                 struct err *err)
{
    struct exchange_worker *const worker = &all->workers[0];
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

/* Adds the reservation of a client, by the number of its lease. */
static enum load_end reserve_one(struct exchanges *all, uint64_t number,
                                 struct err *err)
{
    struct exchange_worker *const worker = &all->workers[0];
    struct lease *const lease = &worker->lease;

    generator_make(&all->generator, number, 0, lease);
    const struct reservation_key key = { RESERVATION_BY_HWADDR,
                                         lease->subnet_id, lease->hwaddr,
                                         lease->hwaddr_length };
    switch (all->backend->add_reservation(worker->session, &key, lease->address,
                                          err)) {
    case OUTCOME_HIT:
        return LOAD_DONE;
    case OUTCOME_ERROR:
        return LOAD_FAILED;
    case OUTCOME_MISS:
        break;
    }
    (void)err_set(err,
                  "%s: wrong answer: adding a reservation gave MISS where a "
                  "correct store gives HIT",
                  all->backend->name);
    return LOAD_WRONG;
}

static enum load_end reserve(struct exchanges *all, struct progress *progress,
                             struct err *err)
{
    enum { GROUP = 1000 };
    const struct backend *const backend = all->backend;
    struct session *const session = all->workers[0].session;
    const uint64_t first = all->reclaimed + all->expired;
    const uint64_t count = all->config.reservations;
    enum load_end end = LOAD_DONE;

    if (count == 0)
        return LOAD_DONE;
    progress_begin(progress, "reservations", count, 1);
    for (uint64_t n = 0; n < count && end == LOAD_DONE; n++) {
        progress_set_done(&progress->lanes[0], n);
        if (progress_stopped(progress))
            return LOAD_INTERRUPTED;
        if (n % GROUP == 0 && backend->begin(session, err) != 0)
            return LOAD_FAILED;
        end =
            reserve_one(all, first + permutation_find(&all->reserved, n), err);
        if (end == LOAD_DONE && (n % GROUP == GROUP - 1 || n + 1 == count) &&
            backend->commit(session, err) != 0)
            return LOAD_FAILED;
    }
    atomic_store(&progress->phase, NULL);
    return end;
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

/* Looks whether the store takes what a release leaves behind, before it has
   been filled for that.  Returns 0, or -1 with err. */
static int try_released(struct exchanges *all, struct err *err)
{
    const struct backend *const backend = all->backend;
    struct exchange_worker *const worker = &all->workers[0];
    struct session *const session = worker->session;
    struct lease *const lease = &worker->lease;
    const struct client client = { .state = CLIENT_RELEASED };

    if (count_ending(&all->config, all->planned, STEP_RELEASE) == 0)
        return 0;
    client_make_lease(&client, &all->generator, lease);
    if (backend->begin(session, err) != 0)
        return -1;
    if (backend->create(session, lease, err) == OUTCOME_ERROR) {
        const struct err cause = *err;

        return cause.class != ERR_OTHER
                   ? -1
                   : err_set(err,
                             "%s: no lease can be in state %d, as RELEASE with "
                             "affinity leaves it (tables of Kea 2.2 do not "
                             "know it; release-delete does without): %.400s",
                             backend->name, LEASE_STATE_RELEASED, cause.text);
    }
    if (backend->remove(session, lease->address, lease_expire_s(lease), err) ==
        OUTCOME_ERROR)
        return -1;
    return backend->commit(session, err);
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
    struct exchange_worker *const worker = &all->workers[index];
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
    const uint64_t clients =
        preload + config->load.count + config->load.threads;
    uint64_t planned[MIX_MAX];

    count_parts(config, planned);
    return count_ending(config, planned, STEP_PURGE) * PURGE_LEASES +
           count_ending(config, planned, STEP_RECLAIM) * RECLAIM_LEASES + 1 +
           (clients > config->reservations ? clients : config->reservations);
}

/* Those that begin with a lease and those that are expected, or as many as
   have a reservation. */
static void choose_reserved(struct exchanges *all)
{
    const uint64_t reservations = all->config.reservations;
    uint64_t clients = all->config.load.preload;

    for (size_t p = 0; p < all->config.mix.count; p++) {
        if (all->config.mix.parts[p].exchange->party == PARTY_NEW)
            clients += all->planned[p];
    }
    permutation_init(&all->reserved,
                     clients > reservations ? clients : reservations,
                     random_at(all->config.load.seed, SEQUENCE_RESERVED));
}

/* Leaves out the steps that need what there is not. */
static void choose_steps(struct exchanges *all)
{
    for (size_t p = 0; p < all->config.mix.count; p++) {
        const struct exchange *const whole = all->config.mix.parts[p].exchange;
        struct exchange *const mine = &all->exchanges[p];
        size_t count = 0;

        *mine = *whole;
        for (const struct step *s = whole->steps; s->action != STEP_END; s++) {
            if (s->action != STEP_FIND_RESERVATION ||
                all->config.reservations > 0)
                mine->steps[count++] = *s;
        }
        mine->steps[count] = (struct step){ .action = STEP_END };
        all->digest_keys[p] = (uint64_t)(whole - exchange_table) << 32;
        all->config.mix.parts[p].exchange = mine;
    }
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
    all->generator.subnets = config->load.subnets;
    if (config->reservations > 0)
        choose_reserved(all);
    choose_steps(all);
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
        struct exchange_worker *const worker = &exchanges->workers[w];

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
    if (backend->reset(sessions[0], err) == 0 && try_released(all, err) == 0)
        end = reserve(all, progress, err);
    if (end == LOAD_DONE)
        end = preload(all, progress, err);
    if (end == LOAD_DONE) {
        exchanges_begin(all);
        *made = all;
    } else {
        exchanges_close(all);
    }
    return end;
}
