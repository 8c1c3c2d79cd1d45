/* SPDX-License-Identifier: ISC */
#include "load/phases.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/operations.h"

/* One thread's share of a phase: every threads-th operation, as clients that
   come at the same time get neighbouring addresses. */
struct worker {
    struct operations operations;
    struct progress *progress;
    const struct phase *phase;
    size_t index;
    uint64_t number; /* the same, among the workers of all parts */
    uint64_t step;   /* how many these are */
    uint64_t share;  /* operations of this worker */
    uint64_t batch;  /* operations per transaction; 1: no transactions */
    double gap_ns;   /* between the operations of all workers; 0: none */
    bool latency;    /* record it */
    enum load_end end;
    uint64_t done;    /* and committed */
    uint64_t grouped; /* done, and not yet committed */
    uint64_t begun_ns;
    uint64_t ended_ns;
    uint64_t last_ns;  /* where the operation before ended */
    uint64_t begin_ns; /* what beginning this transaction took */
    struct histogram latencies;
    struct histogram commits;
    struct histogram seen; /* the series' */
    struct series series;
};

struct run {
    const struct load_config *config;
    const struct load_context *context;
    struct load_result *result;
    struct worker *workers;
};

struct phase {
    const char *name;
    enum load_end (*operation)(struct operations *operations, uint64_t i);
    bool changes; /* leases: what --batch groups */
    /* What follows it, untimed; of a failure the first worker's err says why.
       NULL: nothing. */
    enum load_end (*check)(struct run *run);
};

/* Ends an operation: its end is the next one's beginning. */
static void note_operation(struct worker *worker)
{
    uint64_t now_ns = clock_now_ns();

    if (series_is_due(&worker->series, now_ns)) {
        series_tick(&worker->series, &worker->latencies, now_ns);
        histogram_record(&worker->latencies, now_ns - worker->last_ns);
        now_ns = clock_now_ns(); /* the tick belongs to no operation */
    } else {
        histogram_record(&worker->latencies, now_ns - worker->last_ns);
    }
    worker->last_ns = now_ns;
}

/* What passed since the end of what came before. */
static uint64_t lap_ns(struct worker *worker)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t passed_ns = now_ns - worker->last_ns;

    worker->last_ns = now_ns;
    return passed_ns;
}

static bool begin_group(struct worker *worker)
{
    struct handle *const handle = &worker->operations.handle;

    if (handle->backend->begin(handle->session, &handle->err) != 0) {
        worker->end = LOAD_FAILED;
        return false;
    }
    if (worker->latency)
        worker->begin_ns = lap_ns(worker);
    return true;
}

static bool commit_group(struct worker *worker)
{
    struct handle *const handle = &worker->operations.handle;

    if (handle->backend->commit(handle->session, &handle->err) != 0) {
        worker->end = LOAD_FAILED;
        return false;
    }
    if (worker->latency)
        histogram_record(&worker->commits, worker->begin_ns + lap_ns(worker));
    operations_acknowledge(&worker->operations);
    worker->done += worker->grouped;
    worker->grouped = 0;
    return true;
}

static bool is_grouped(const struct worker *worker)
{
    return worker->batch > 1 && worker->phase->changes;
}

static bool run_one(struct worker *worker, uint64_t k)
{
    worker->end = worker->phase->operation(&worker->operations,
                                           worker->number + k * worker->step);
    if (worker->end != LOAD_DONE)
        return false;
    if (!is_grouped(worker))
        operations_acknowledge(&worker->operations);
    progress_set_done(&worker->progress->workers[worker->index], k + 1);
    if (worker->latency)
        note_operation(worker);
    return true;
}

/* What a worker has done so far. */
struct mark {
    uint64_t digest;
    uint64_t hits;
};

static struct mark mark_of(const struct worker *worker)
{
    return (struct mark){ worker->operations.digest, worker->operations.hits };
}

/* After an operation, or a transaction, that did not come to its end: true if
   the client asks again, from the mark on. */
static bool ask_again(struct worker *worker, const struct mark *mark)
{
    struct operations *const operations = &worker->operations;

    if (!handle_had_conflict(&operations->handle, worker->end) &&
        !handle_was_stale(&operations->handle, &worker->end))
        return false;
    worker->end = LOAD_DONE;
    worker->grouped = 0;
    operations->digest = mark->digest;
    operations->hits = mark->hits;
    operations->handle.err = (struct err){ 0 };
    ledger_give_up(&operations->ledger);
    worker->last_ns = clock_now_ns(); /* it belongs to no operation */
    return true;
}

/* Until the k-th operation is due, if there is a pace: those of all workers
   come evenly, one after another, and a late one does not wait.  False if the
   run was asked to stop. */
static bool await_turn(struct worker *worker, uint64_t k)
{
    if (progress_stopped(worker->progress))
        return false;
    if (worker->gap_ns <= 0)
        return true;
    const double due_ns =
        (double)(worker->number + k * worker->step) * worker->gap_ns;
    const bool go_on = progress_sleep_until(
        worker->progress, worker->begun_ns + (uint64_t)due_ns);

    worker->last_ns = clock_now_ns();
    return go_on;
}

static void run_single(struct worker *worker)
{
    while (worker->done < worker->share && await_turn(worker, worker->done)) {
        const struct mark mark = mark_of(worker);

        if (run_one(worker, worker->done))
            worker->done++;
        else if (!ask_again(worker, &mark))
            return;
    }
}

/* A transaction with the operations from *k on, which becomes the first of the
   next one. */
static bool run_group(struct worker *worker, uint64_t *k)
{
    if (!begin_group(worker))
        return false;
    do {
        if (!run_one(worker, *k))
            return false;
        worker->grouped++;
    } while (++*k < worker->share && worker->grouped < worker->batch &&
             !progress_stopped(worker->progress));
    return commit_group(worker);
}

static void run_groups(struct worker *worker)
{
    uint64_t k = 0;

    while (k < worker->share && await_turn(worker, k)) {
        const struct mark mark = mark_of(worker);

        if (run_group(worker, &k))
            continue;
        if (!ask_again(worker, &mark))
            return;
        k = worker->done;
    }
}

static void run_worker(void *context, size_t index)
{
    struct worker *const worker = &((struct worker *)context)[index];

    worker->begun_ns = clock_now_ns();
    worker->last_ns = worker->begun_ns;
    if (worker->latency)
        series_begin(&worker->series, &worker->seen, worker->begun_ns);
    if (is_grouped(worker))
        run_groups(worker);
    else
        run_single(worker);
    worker->ended_ns = clock_now_ns();
    if (worker->latency)
        series_end(&worker->series, &worker->latencies);
    /* The others need not go on with what cannot be finished. */
    if (worker->end != LOAD_DONE)
        atomic_store(&worker->progress->stop, 1);
}

static void begin_worker(struct worker *worker,
                         const struct load_config *config,
                         const struct phase *phase)
{
    worker->phase = phase;
    worker->share = load_share(config, worker->number, config->count);
    worker->done = 0;
    worker->grouped = 0;
    worker->operations.hits = 0;
    worker->operations.misses = 0;
    worker->operations.handle.conflicts = 0;
    worker->operations.handle.stale = 0;
    histogram_init(&worker->latencies);
    histogram_init(&worker->commits);
    histogram_init(&worker->seen);
}

/* Adds what one worker did to the phase. */
static void collect_worker(struct worker *worker, struct phase_result *result)
{
    if (worker->index == 0 || worker->begun_ns < result->begun_ns)
        result->begun_ns = worker->begun_ns;
    if (worker->ended_ns > result->ended_ns)
        result->ended_ns = worker->ended_ns;
    result->done += worker->done;
    /* What was not committed was not done; every change was a hit. */
    result->hits += worker->operations.hits - worker->grouped;
    result->misses += worker->operations.misses;
    result->conflicts += worker->operations.handle.conflicts;
    result->stale += worker->operations.handle.stale;
    histogram_add(&result->operations, &worker->latencies);
    histogram_add(&result->commits, &worker->commits);
    series_add(&result->series, &worker->series);
    series_release(&worker->series);
}

/* The worst end of all workers, and why: a wrong answer before a failure before
   an interruption. */
static enum load_end worst_end(const struct worker *workers, size_t count,
                               bool complete, struct err *err)
{
    enum load_end end = complete ? LOAD_DONE : LOAD_INTERRUPTED;

    for (size_t i = 0; i < count; i++) {
        if (workers[i].end > end) {
            end = workers[i].end;
            *err = workers[i].operations.handle.err;
        }
    }
    return end;
}

static enum load_end run_phase(struct run *run, const struct phase *phase,
                               struct phase_result *result, struct err *err)
{
    const struct load_config *const config = run->config;
    struct progress *const progress = run->context->progress;
    struct meeting *const meeting = run->context->meeting;
    const size_t threads = load_threads(config);

    for (size_t i = 0; i < threads; i++)
        begin_worker(&run->workers[i], config, phase);
    if (!meeting_wait(meeting, 0, NULL))
        return LOAD_INTERRUPTED;
    progress_begin(progress, phase->name, result->planned, threads);
    const struct usage before = load_sample(run->context);
    const int status = workers_run(threads, run_worker, run->workers, err);
    const struct usage used = load_used(run->context, &before);
    atomic_store(&progress->phase, NULL);
    if (status != 0)
        return LOAD_FAILED;
    result->usage = used;
    for (size_t i = 0; i < threads; i++)
        collect_worker(&run->workers[i], result);
    result->commits_due = phase->changes ? result->done : 0;
    const enum load_end end =
        worst_end(run->workers, threads, result->done == result->planned, err);
    if (end != LOAD_DONE || phase->check == NULL)
        return end;
    if (!meeting_wait(meeting, 0, NULL)) /* what is checked is the whole */
        return LOAD_INTERRUPTED;
    enum load_end checked = handle_catch_up(&run->workers[0].operations.handle);
    if (checked == LOAD_DONE)
        checked = phase->check(run);
    if (checked != LOAD_DONE)
        *err = run->workers[0].operations.handle.err;
    return checked;
}

/* Checks behind the phases */

/* There ought to be so many leases, from number 0 on. */
static enum load_end check_leases(struct run *run, uint64_t count,
                                  const char *when)
{
    struct operations *const operations = &run->workers[0].operations;
    struct handle *const handle = &operations->handle;
    struct lease_counts due = { .used = 0 };
    enum load_end end = handle_check_count(handle, count, when, run->result);

    if (end != LOAD_DONE || !run->config->counted)
        return end;
    end = operations_add_due(operations, &due, 0, 1, count) == 0
              ? handle_check_counters(handle, &due, when)
              : handle_no_memory(handle);
    lease_counts_release(&due);
    return end;
}

static enum load_end check_create(struct run *run)
{
    return check_leases(run, run->config->preload + run->config->count,
                        "after create");
}

static enum load_end check_update(struct run *run)
{
    for (size_t k = 0; k < load_threads(run->config); k++)
        run->workers[k].operations.updated = run->config->count;
    return operations_check_updates(&run->workers[0].operations);
}

static enum load_end check_delete(struct run *run)
{
    return check_leases(run, run->config->preload, "after delete");
}

/* How many of a worker's operations of churn are the first, the second or the
   third of three. */
static uint64_t churn_share(const struct load_config *config, uint64_t worker,
                            uint64_t which)
{
    return (load_share(config, worker, config->count) + 2 - which) / 3;
}

/* Each worker has created leases at the end and deleted the first ones. */
static enum load_end check_churn(struct run *run)
{
    const struct load_config *const config = run->config;
    struct operations *const operations = &run->workers[0].operations;
    struct handle *const handle = &operations->handle;
    struct lease_counts due = { .used = 0 };
    uint64_t expected = 0;
    int added = 0;

    for (uint64_t i = 0; added == 0 && i < config->threads; i++) {
        const uint64_t deleted = churn_share(config, i, 2);
        const uint64_t left = config->preload / config->threads +
                              churn_share(config, i, 0) - deleted;

        expected += left;
        if (config->counted)
            added = operations_add_due(operations, &due,
                                       i + deleted * config->threads,
                                       config->threads, left);
    }
    enum load_end end =
        added == 0
            ? handle_check_count(handle, expected, "after churn", run->result)
            : handle_no_memory(handle);
    if (end == LOAD_DONE && config->counted)
        end = handle_check_counters(handle, &due, "after churn");
    lease_counts_release(&due);
    return end;
}

/* The loads */

static enum load_end preload_one(void *argument, uint64_t i)
{
    struct operations *const operations = argument;

    if (i % HANDLE_GROUP == 0) /* the group before was committed */
        operations_acknowledge(operations);
    return operations_preload(operations, i);
}

static enum load_end run_phases(struct run *run, const struct phase *phases,
                                struct err *err)
{
    const struct load_context *const context = run->context;
    struct operations *const operations = &run->workers[0].operations;
    struct handle *const handle = &operations->handle;
    enum load_end end = LOAD_FAILED;

    /* The first part does it for all. */
    const uint64_t preload = run->config->part == 0 ? run->config->preload : 0;
    const size_t count = run->result->phase_count;
    progress_expect(context->progress, (unsigned)count + (preload > 0),
                    preload + count * run->result->phases[0].planned);
    if (!meeting_wait(context->meeting, 0, NULL))
        return LOAD_INTERRUPTED;
    if (run->config->part > 0 ||
        handle->backend->reset(handle->session, &handle->err) == 0)
        end = handle_in_groups(handle, context->progress, "preload", preload,
                               preload_one, operations);
    if (end == LOAD_DONE)
        operations_acknowledge(operations);
    else
        *err = handle->err;
    if (end == LOAD_DONE && !meeting_wait(context->meeting, 0, NULL))
        end = LOAD_INTERRUPTED;
    for (size_t i = 0; i < load_threads(run->config) && end == LOAD_DONE; i++) {
        end = handle_catch_up(&run->workers[i].operations.handle);
        *err = run->workers[i].operations.handle.err;
    }
    if (context->ledger != NULL && end == LOAD_DONE)
        atomic_store(&context->ledger->header->begun_ns, clock_now_ns());
    if (context->reconnect != NULL)
        reconnect_begin(context->reconnect);
    for (size_t i = 0; i < count && end == LOAD_DONE; i++)
        end = run_phase(run, &phases[i], &run->result->phases[i], err);
    return end;
}

static void free_workers(struct worker *workers, size_t count)
{
    for (size_t i = 0; workers != NULL && i < count; i++)
        operations_release(&workers[i].operations);
    free(workers);
}

static struct worker *make_workers(const struct load_config *config,
                                   const struct load_context *context,
                                   struct err *err)
{
    const size_t count = load_threads(config);
    const size_t group =
        config->batch > HANDLE_GROUP ? config->batch : HANDLE_GROUP;
    struct worker *const workers = err_calloc(count, sizeof *workers, err);

    for (size_t i = 0; workers != NULL && i < count; i++) {
        workers[i].progress = context->progress;
        workers[i].index = i;
        workers[i].number = load_worker(config, i);
        workers[i].step = config->threads;
        workers[i].batch = config->batch;
        workers[i].gap_ns =
            config->pace_per_s > 0 ? (double)NS_PER_S / config->pace_per_s : 0;
        workers[i].latency = config->latency;
        if (operations_init(&workers[i].operations, config, context, i, group,
                            err) != 0) {
            free_workers(workers, count);
            return NULL;
        }
    }
    return workers;
}

static enum load_end run_load(const struct load_config *config,
                              const struct load_context *context,
                              const struct phase *phases, size_t count,
                              struct load_result *result, struct err *err)
{
    struct run run = { .config = config, .context = context, .result = result };
    const size_t threads = load_threads(config);
    enum load_end end = LOAD_FAILED;

    assert(threads >= 1 && threads <= WORKERS_MAX);
    *result = (struct load_result){
        .verified = context->backend->keeps_leases,
        .digest = config->part == 0 ? operations_digest_base(config) : 0,
    };
    if (load_result_init(result, count, err) != 0)
        return LOAD_FAILED;
    for (size_t i = 0; i < count; i++) {
        result->phases[i].name = phases[i].name;
        result->phases[i].planned = load_part_share(config, config->count);
    }
    run.workers = make_workers(config, context, err);
    if (run.workers != NULL) {
        end = run_phases(&run, phases, err);
        for (size_t i = 0; i < threads; i++)
            result->digest += run.workers[i].operations.digest;
    }
    free_workers(run.workers, threads);
    load_note_reconnect(context, result);
    return end;
}

enum load_end phases_run(const struct load_config *config,
                         const struct load_context *context,
                         struct load_result *result, struct err *err)
{
    static const struct phase phases[PHASE_COUNT] = {
        [PHASE_CREATE] = { "create", operations_create, true, check_create },
        [PHASE_SEARCH] = { "search", operations_search, false, NULL },
        [PHASE_UPDATE] = { "update", operations_update, true, check_update },
        [PHASE_DELETE] = { "delete", operations_delete, true, check_delete },
    };

    return run_load(config, context, phases, PHASE_COUNT, result, err);
}

static enum load_end run_churn(const struct load_config *config,
                               const struct load_context *context,
                               struct load_result *result, struct err *err)
{
    static const struct phase churn = { "churn", operations_churn, true,
                                        check_churn };

    return run_load(config, context, &churn, 1, result, err);
}

/* Transactions that hold the counters of several subnets, each in an order of
   its own, would wait for each other in a circle. */
static int resolve_phases(struct load_config *config, const char *name,
                          struct err *err)
{
    (void)name;
    if (!config->counted || config->batch == 1 || config->threads == 1 ||
        config->subnets == 1)
        return 0;
    return err_set_class(err, ERR_USAGE,
                         "--batch: %" PRIu64 " does not go with --schema="
                         "kea+stats, several threads and several subnets: "
                         "transactions would lock each other's counters",
                         config->batch);
}

static int resolve_churn(struct load_config *config, const char *name,
                         struct err *err)
{
    if (config->preload < 2 * config->threads ||
        config->preload % config->threads != 0)
        return err_set_class(err, ERR_USAGE,
                             "--workload: churn needs a --preload that is a "
                             "multiple of --threads, %" PRIu64
                             " at least, and not %" PRIu64,
                             2 * config->threads, config->preload);
    return resolve_phases(config, name, err);
}

static uint64_t phases_leases(const struct load_config *config)
{
    return config->preload + config->count;
}

/* A thread that has less to do leaves numbers out. */
static uint64_t churn_leases(const struct load_config *config)
{
    return config->preload + config->count / 3 + 2 * config->threads;
}

const struct workload workload_phases = {
    .name = "phases",
    .help = "create, search, update, delete, COUNT times each",
    .options = " count threads part batch warmup ipv6 hit-ratio search-by "
               "subnets preload ledger latency reconnect ",
    .resolve = resolve_phases,
    .leases = phases_leases,
    .run = phases_run,
};

const struct workload workload_churn = {
    .name = "churn",
    .help = "the three that change leases, in turn",
    .options = " count threads batch warmup ipv6 subnets preload pace ledger "
               "latency reconnect ",
    .cut_short = true,
    .resolve = resolve_churn,
    .leases = churn_leases,
    .run = run_churn,
};
