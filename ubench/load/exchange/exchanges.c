/* SPDX-License-Identifier: ISC */
#include "load/exchange/exchanges.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/exchange/plan.h"
#include "load/exchange/preload.h"

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

enum load_end exchange_load_end(enum exchange_end end)
{
    switch (end) {
    case EXCHANGE_WRONG:
        return LOAD_WRONG;
    case EXCHANGE_FAILED:
        return LOAD_FAILED;
    case EXCHANGE_STOPPED:
        return LOAD_INTERRUPTED;
    case EXCHANGE_DONE:
    case EXCHANGE_DEADLOCK:
        break;
    }
    return LOAD_DONE;
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
    if (config->reconnect != NULL)
        reconnect_begin(config->reconnect);
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
        .digest = random_at(
            load_digest_base(&config->load, EXCHANGE_SEQUENCE_DIGEST),
            config->load.preload << 8 | (uint64_t)config->load.family << 4 |
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

/* The beginning and the end */

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
    permutation_init(
        &all->reserved, clients > reservations ? clients : reservations,
        random_at(all->config.load.seed, EXCHANGE_SEQUENCE_RESERVED));
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
    exchange_plan_parts(config, all->planned);
    const uint64_t cycles =
        exchange_plan_ending(config, all->planned, STEP_RECLAIM);
    (void)pthread_mutex_init(&all->lock, NULL);
    all->config = *config;
    all->backend = backend;
    all->mix_key = exchange_plan_key(&config->load);
    all->client_key = random_at(config->load.seed, EXCHANGE_SEQUENCE_CLIENT);
    all->probe_key = random_at(config->load.seed, EXCHANGE_SEQUENCE_PROBE);
    all->reclaimed =
        exchange_plan_ending(config, all->planned, STEP_PURGE) * PURGE_LEASES;
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
    if (backend->reset(sessions[0], err) == 0 &&
        exchange_try_released(all, err) == 0)
        end = exchange_reserve(all, progress, err);
    if (end == LOAD_DONE)
        end = exchange_preload(all, progress, err);
    if (end == LOAD_DONE) {
        exchanges_begin(all);
        *made = all;
    } else {
        exchanges_close(all);
    }
    return end;
}
