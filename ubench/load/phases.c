/* SPDX-License-Identifier: ISC */
#include "load/phases.h"

#include <assert.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/operations.h"

static const struct phase {
    const char *name;
    bool (*operation)(struct worker *worker, uint64_t i);
    bool changes; /* leases: what --batch groups */
} phases[PHASE_COUNT] = {
    [PHASE_CREATE] = { "create", worker_create, true },
    [PHASE_SEARCH] = { "search", worker_search, false },
    [PHASE_UPDATE] = { "update", worker_update, true },
    [PHASE_DELETE] = { "delete", worker_delete, true },
};

static const struct phase churn = { "churn", worker_churn, true };

/* One thread's share of a phase: every threads-th operation, as clients that
   come at the same time get neighbouring addresses. */
struct lane {
    struct worker worker;
    struct progress *progress;
    const struct phase *phase;
    size_t index;
    uint64_t step;    /* the number of lanes */
    uint64_t share;   /* operations of this lane */
    uint64_t batch;   /* operations per transaction; 1: no transactions */
    double gap_ns;    /* of all lanes: between their operations; 0: none */
    bool latency;     /* record it */
    uint64_t done;    /* and committed */
    uint64_t grouped; /* done, and not yet committed */
    uint64_t begun_ns;
    uint64_t ended_ns;
    uint64_t last_ns;  /* where the operation before ended */
    uint64_t begin_ns; /* what beginning this transaction took */
    struct histogram operations;
    struct histogram commits;
    struct histogram seen; /* the series' */
    struct series series;
};

/* Ends an operation: its end is the next one's beginning. */
static void note_operation(struct lane *lane)
{
    uint64_t now_ns = clock_now_ns();

    if (series_is_due(&lane->series, now_ns)) {
        series_tick(&lane->series, &lane->operations, now_ns);
        histogram_record(&lane->operations, now_ns - lane->last_ns);
        now_ns = clock_now_ns(); /* nobody has to answer for the tick */
    } else {
        histogram_record(&lane->operations, now_ns - lane->last_ns);
    }
    lane->last_ns = now_ns;
}

static bool failed(struct lane *lane)
{
    lane->worker.end = LOAD_FAILED;
    return false;
}

/* What passed since the end of what came before. */
static uint64_t lap_ns(struct lane *lane)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t passed_ns = now_ns - lane->last_ns;

    lane->last_ns = now_ns;
    return passed_ns;
}

static bool begin_group(struct lane *lane)
{
    struct worker *const worker = &lane->worker;

    if (worker->backend->begin(worker->session, &worker->err) != 0)
        return failed(lane);
    if (lane->latency)
        lane->begin_ns = lap_ns(lane);
    return true;
}

static bool commit_group(struct lane *lane)
{
    struct worker *const worker = &lane->worker;

    if (worker->backend->commit(worker->session, &worker->err) != 0)
        return failed(lane);
    if (lane->latency)
        histogram_record(&lane->commits, lane->begin_ns + lap_ns(lane));
    worker_acknowledge(worker);
    lane->done += lane->grouped;
    lane->grouped = 0;
    return true;
}

static bool is_grouped(const struct lane *lane)
{
    return lane->batch > 1 && lane->phase->changes;
}

static bool run_one(struct lane *lane, uint64_t k)
{
    if (!lane->phase->operation(&lane->worker, lane->index + k * lane->step))
        return false;
    if (!is_grouped(lane))
        worker_acknowledge(&lane->worker);
    progress_set_done(&lane->progress->lanes[lane->index], k + 1);
    if (lane->latency)
        note_operation(lane);
    return true;
}

/* Until the k-th operation is due, if there is a pace: those of all lanes come
   evenly, one after another, and who is late does not wait.  False if somebody
   wants an early end. */
static bool await_turn(struct lane *lane, uint64_t k)
{
    if (progress_stopped(lane->progress))
        return false;
    if (lane->gap_ns <= 0)
        return true;
    const double due_ns = (double)(lane->index + k * lane->step) * lane->gap_ns;
    const bool go_on =
        progress_sleep_until(lane->progress, lane->begun_ns + (uint64_t)due_ns);

    lane->last_ns = clock_now_ns();
    return go_on;
}

static void run_single(struct lane *lane)
{
    while (lane->done < lane->share && await_turn(lane, lane->done) &&
           run_one(lane, lane->done))
        lane->done++;
}

static void run_groups(struct lane *lane)
{
    uint64_t k = 0;

    while (k < lane->share && await_turn(lane, k)) {
        if (!begin_group(lane))
            return;
        do {
            if (!run_one(lane, k))
                return;
            lane->grouped++;
        } while (++k < lane->share && lane->grouped < lane->batch &&
                 !progress_stopped(lane->progress));
        if (!commit_group(lane))
            return;
    }
}

static void run_lane(void *context, size_t index)
{
    struct lane *const lane = &((struct lane *)context)[index];

    lane->begun_ns = clock_now_ns();
    lane->last_ns = lane->begun_ns;
    if (lane->latency)
        series_begin(&lane->series, &lane->seen, lane->begun_ns);
    if (is_grouped(lane))
        run_groups(lane);
    else
        run_single(lane);
    lane->ended_ns = clock_now_ns();
    if (lane->latency)
        series_end(&lane->series, &lane->operations);
    /* The others need not go on with what cannot be finished. */
    if (lane->worker.end != LOAD_DONE)
        atomic_store(&lane->progress->stop, 1);
}

static void begin_lane(struct lane *lane, const struct phases_config *config,
                       const struct phase *phase)
{
    lane->phase = phase;
    lane->share = config->load.count / config->load.threads +
                  (lane->index < config->load.count % config->load.threads);
    lane->done = 0;
    lane->grouped = 0;
    lane->worker.hits = 0;
    lane->worker.misses = 0;
    histogram_init(&lane->operations);
    histogram_init(&lane->commits);
    histogram_init(&lane->seen);
}

/* Adds one lane to what the phase came to. */
static void collect_lane(struct lane *lane, struct phase_result *result)
{
    if (lane->index == 0 || lane->begun_ns < result->begun_ns)
        result->begun_ns = lane->begun_ns;
    if (lane->ended_ns > result->ended_ns)
        result->ended_ns = lane->ended_ns;
    result->done += lane->done;
    /* What was not committed was not done; every change was a hit. */
    result->hits += lane->worker.hits - lane->grouped;
    result->misses += lane->worker.misses;
    histogram_add(&result->operations, &lane->operations);
    histogram_add(&result->commits, &lane->commits);
    series_add(&result->series, &lane->series);
    series_release(&lane->series);
}

/* The worst end of all lanes, and why: a wrong answer before a failure before
   an interruption. */
static enum load_end worst_end(const struct lane *lanes, size_t count,
                               bool complete, struct err *err)
{
    enum load_end end = complete ? LOAD_DONE : LOAD_INTERRUPTED;

    for (size_t i = 0; i < count; i++) {
        if (lanes[i].worker.end > end) {
            end = lanes[i].worker.end;
            *err = lanes[i].worker.err;
        }
    }
    return end;
}

static enum load_end run_phase(struct lane *lanes,
                               const struct phases_config *config,
                               const struct phase *phase,
                               struct phase_result *result, struct err *err)
{
    struct progress *const progress = lanes[0].progress;
    const struct worker *const worker = &lanes[0].worker;
    struct usage before;
    struct usage after;

    for (size_t i = 0; i < config->load.threads; i++)
        begin_lane(&lanes[i], config, phase);
    progress_begin(progress, phase->name, config->load.count,
                   config->load.threads);
    const uint64_t syncs_before = load_syncs(worker->backend, worker->session);
    usage_sample(&before);
    const int status = workers_run(config->load.threads, run_lane, lanes, err);
    usage_sample(&after);
    atomic_store(&progress->phase, NULL);
    if (status != 0)
        return LOAD_FAILED;
    result->usage = usage_difference(&before, &after);
    result->syncs =
        syncs_before == USAGE_UNKNOWN
            ? USAGE_UNKNOWN
            : load_syncs(worker->backend, worker->session) - syncs_before;
    for (size_t i = 0; i < config->load.threads; i++)
        collect_lane(&lanes[i], result);
    result->commits_due = phase->changes ? result->done : 0;
    return worst_end(lanes, config->load.threads,
                     result->done == config->load.count, err);
}

enum { PRELOAD_GROUP = 1000 };

static enum load_end preload(struct lane *lane, struct err *err)
{
    struct worker *const worker = &lane->worker;
    const struct backend *const backend = worker->backend;

    if (worker->preload > 0)
        progress_begin(lane->progress, "preload", worker->preload, 1);
    for (uint64_t i = 0; i < worker->preload; i++) {
        progress_set_done(&lane->progress->lanes[0], i);
        if (progress_stopped(lane->progress))
            return LOAD_INTERRUPTED;
        if (i % PRELOAD_GROUP == 0 && backend->begin(worker->session, err) != 0)
            return LOAD_FAILED;
        if (!worker_preload(worker, i)) {
            *err = worker->err;
            return worker->end;
        }
        if (i % PRELOAD_GROUP < PRELOAD_GROUP - 1 && i + 1 < worker->preload)
            continue;
        if (backend->commit(worker->session, err) != 0)
            return LOAD_FAILED;
        worker_acknowledge(worker);
    }
    return LOAD_DONE;
}

/* Compares the counters, after added leases were counted or could not be. */
static enum load_end compare_counters(struct lane *lanes,
                                      const struct phases_config *config,
                                      int added, const struct lease_counts *due,
                                      const char *when, struct err *err)
{
    struct worker *const worker = &lanes[0].worker;
    enum load_end end;

    if (added != 0) {
        (void)err_set(err, "out of memory");
        return LOAD_FAILED;
    }
    while ((end = load_check_counters(&config->load, worker->backend,
                                      worker->session, due, when,
                                      &worker->err)) == LOAD_FAILED) {
        if (!worker_reconnect(worker)) {
            end = worker->end;
            break;
        }
    }
    if (end != LOAD_DONE)
        *err = worker->err;
    return end;
}

/* There ought to be so many leases, from number 0 on. */
static enum load_end check_counters(struct lane *lanes,
                                    const struct phases_config *config,
                                    uint64_t count, const char *when,
                                    struct err *err)
{
    struct lease_counts due = { .used = 0 };
    const int added = config->load.counted
                          ? worker_add_due(&lanes[0].worker, &due, 0, 1, count)
                          : 0;
    const enum load_end end =
        compare_counters(lanes, config, added, &due, when, err);

    lease_counts_release(&due);
    return end;
}

/* The checks that belong behind a phase. */
static enum load_end check_after(struct lane *lanes,
                                 const struct phases_config *config, int i,
                                 struct load_result *result, struct err *err)
{
    struct worker *const worker = &lanes[0].worker;
    uint64_t counted = 0;

    if (i == PHASE_CREATE) {
        worker_check_count(worker, worker->existing, "after create", &counted);
    } else if (i == PHASE_UPDATE) {
        for (size_t k = 0; k < config->load.threads; k++)
            lanes[k].worker.updated = result->phases[i].done;
        worker_check_updates(worker);
    } else if (i == PHASE_DELETE) {
        worker_check_count(worker, worker->preload, "after delete", &counted);
        if (result->verified)
            result->left = counted - worker->preload;
    }
    const enum load_end end = worst_end(lanes, 1, true, err);
    if (end == LOAD_DONE)
        worker_acknowledge(worker); /* the store has answered */
    if (end != LOAD_DONE || (i != PHASE_CREATE && i != PHASE_DELETE))
        return end;
    return i == PHASE_CREATE ? check_counters(lanes, config, worker->existing,
                                              "after create", err)
                             : check_counters(lanes, config, worker->preload,
                                              "after delete", err);
}

/* How many of a lane's operations of churn are the first, the second or the
   third of three. */
static uint64_t churn_lane_share(const struct load_config *config,
                                 uint64_t lane, uint64_t which)
{
    const uint64_t share = config->count / config->threads +
                           (lane < config->count % config->threads);

    return (share + 2 - which) / 3;
}

/* The same over all threads. */
static uint64_t churn_share(const struct load_config *config, uint64_t which)
{
    uint64_t sum = 0;

    for (uint64_t lane = 0; lane < config->threads; lane++)
        sum += churn_lane_share(config, lane, which);
    return sum;
}

/* Each lane has deleted the first of its leases. */
static enum load_end check_churn_counters(struct lane *lanes,
                                          const struct phases_config *config,
                                          struct err *err)
{
    const struct load_config *const load = &config->load;
    struct lease_counts due = { .used = 0 };
    int added = 0;

    for (uint64_t i = 0; load->counted && added == 0 && i < load->threads;
         i++) {
        const uint64_t deleted = churn_lane_share(load, i, 2);

        added = worker_add_due(&lanes[i].worker, &due,
                               i + deleted * load->threads, load->threads,
                               load->preload / load->threads +
                                   churn_lane_share(load, i, 0) - deleted);
    }
    const enum load_end end =
        compare_counters(lanes, config, added, &due, "after churn", err);
    lease_counts_release(&due);
    return end;
}

uint64_t phases_leases(const struct phases_config *config)
{
    const struct load_config *const load = &config->load;

    /* A thread that has less to do leaves numbers out. */
    return load->preload +
           (config->churn ? load->count / 3 + 2 * load->threads : load->count);
}

static enum load_end run_churn(struct lane *lanes,
                               const struct phases_config *config,
                               struct load_result *result, struct err *err)
{
    struct worker *const worker = &lanes[0].worker;
    const uint64_t expected = worker->preload + churn_share(&config->load, 0) -
                              churn_share(&config->load, 2);
    uint64_t counted = expected;
    const enum load_end end =
        run_phase(lanes, config, &churn, &result->phases[0], err);

    if (end != LOAD_DONE)
        return end;
    worker_check_count(worker, expected, "after churn", &counted);
    if (result->verified)
        result->left = counted - expected;
    const enum load_end counted_end = worst_end(lanes, 1, true, err);
    if (counted_end == LOAD_DONE)
        worker_acknowledge(worker); /* the store has answered */
    return counted_end != LOAD_DONE ? counted_end
                                    : check_churn_counters(lanes, config, err);
}

static enum load_end run_phases(struct lane *lanes,
                                const struct phases_config *config,
                                struct load_result *result, struct err *err)
{
    enum load_end end = preload(&lanes[0], err);

    if (config->ledger != NULL)
        atomic_store(&config->ledger->header->begun_ns, clock_now_ns());
    if (config->reconnect != NULL)
        reconnect_begin(config->reconnect);
    if (config->churn && end == LOAD_DONE)
        return run_churn(lanes, config, result, err);
    for (int i = 0; i < PHASE_COUNT && end == LOAD_DONE; i++) {
        end = run_phase(lanes, config, &phases[i], &result->phases[i], err);
        if (end == LOAD_DONE)
            end = check_after(lanes, config, i, result, err);
    }
    return end;
}

static void free_lanes(struct lane *lanes, size_t count)
{
    for (size_t i = 0; lanes != NULL && i < count; i++)
        worker_release(&lanes[i].worker);
    free(lanes);
}

static struct lane *make_lanes(const struct phases_config *config,
                               const struct backend *backend,
                               struct session *const *sessions,
                               struct progress *progress, struct err *err)
{
    const size_t count = config->load.threads;
    const size_t room =
        config->load.batch > PRELOAD_GROUP ? config->load.batch : PRELOAD_GROUP;
    struct lane *const lanes = calloc(count, sizeof *lanes);

    if (lanes == NULL)
        (void)err_set(err, "out of memory");
    for (size_t i = 0; lanes != NULL && i < count; i++) {
        lanes[i].progress = progress;
        lanes[i].index = i;
        lanes[i].step = config->load.threads;
        lanes[i].batch = config->load.batch;
        lanes[i].gap_ns = config->churn && config->pace_per_s > 0
                              ? (double)NS_PER_S / config->pace_per_s
                              : 0;
        lanes[i].latency = config->load.latency;
        worker_init(&lanes[i].worker, config, backend, sessions[i]);
        lanes[i].worker.lane = i;
        if (config->ledger != NULL &&
            worker_use_ledger(&lanes[i].worker, config->ledger, room, err) !=
                0) {
            free_lanes(lanes, count);
            return NULL;
        }
    }
    return lanes;
}

enum load_end phases_run(const struct phases_config *config,
                         const struct backend *backend,
                         struct session *const *sessions,
                         struct progress *progress, struct load_result *result,
                         struct err *err)
{
    const size_t count = config->churn ? 1 : PHASE_COUNT;

    assert(config->load.threads >= 1 && config->load.threads <= WORKERS_MAX);
    *result = (struct load_result){ .verified = backend->keeps_leases };
    if (load_result_init(result, count, err) != 0)
        return LOAD_FAILED;
    for (size_t i = 0; i < count; i++) {
        result->phases[i].name = config->churn ? churn.name : phases[i].name;
        result->phases[i].planned = config->load.count;
    }
    struct lane *const lanes =
        make_lanes(config, backend, sessions, progress, err);
    if (lanes == NULL)
        return LOAD_FAILED;
    const enum load_end end = backend->reset(sessions[0], err) != 0
                                  ? LOAD_FAILED
                                  : run_phases(lanes, config, result, err);
    result->digest = worker_digest_base(config);
    for (size_t i = 0; i < config->load.threads; i++)
        result->digest += lanes[i].worker.digest;
    free_lanes(lanes, config->load.threads);
    load_note_reconnect(result, config->reconnect);
    return end;
}
