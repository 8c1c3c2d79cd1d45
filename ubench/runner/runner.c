/* SPDX-License-Identifier: ISC */
/*
 * What a runner is for: opens the store, runs the load, reports and closes the
 * store, as often as --repeat says.
 */
#include "runner/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/text.h"
#include "core/thread.h"
#include "load/conductor.h"
#include "load/crash/ledger.h"
#include "load/gather.h"
#include "load/ranks.h"
#include "measure/counters.h"
#include "runner/json/result_json.h"
#include "runner/monitor.h"
#include "runner/output.h"

void runner_complain(const char *text)
{
    (void)fprintf(stderr, "%s_ubench: %s\n", the_backend.name, text);
}

int runner_fail(const struct err *err, int code)
{
    runner_complain(err->text);
    return code;
}

/* Everything that must be released, in the order in which it is acquired. */
struct run {
    const struct runner_config *config;
    struct result result;
    struct progress *progress;
    struct surroundings surroundings;
    struct monitor *monitor;
    struct ranks *ranks;         /* NULL: a single process */
    struct conductor *conductor; /* NULL: without --turns */
    struct event_counters *counters;
    struct ledger ledger; /* zeroed: no ledger */
    struct store *store;
    struct session *sessions[WORKERS_MAX];
    struct load_result load;  /* current run */
    pthread_mutex_t sampling; /* protects activity, and the store's sample and check_class */
    struct activity activity; /* of the current run */
    struct err class_change;  /* in the current run; "": none */
    bool changed;             /* the class changed, or the clock stood still: no figures */
    bool canceled;            /* the conductor has gone */
    bool wrong;               /* the store gave a wrong answer: no figures */
    bool over;                /* a run of several ranks ended early: no rank does another */
    struct err broken;        /* a setting could not be restored; "": none */
};

/* Returns true in the first rank, which reports; the others print nothing. */
static bool is_first(const struct run *run)
{
    return run->config->load.rank == 0;
}

/* Records what is known before the store is opened, and refuses a run that
   cannot be measured or written.  Returns 0, or -1 with err. */
static int begin(struct run *run, const struct options *options, const struct runner_config *config,
                 struct err *err)
{
    struct result *const result = &run->result;
    const time_t now = time(NULL);
    struct tm utc;

    run->config = config;
    run->progress = progress_new();
    if (run->progress == NULL)
        return err_set(err, "out of memory");
    run->counters = counters_new(&counters_of_processor, err);
    if (run->counters == NULL)
        return -1;
    if (surroundings_check_clock(err) != 0 ||
        (is_first(run) && config->output != NULL && output_check(config->output, err) != 0))
        return -1;
    result->config = config;
    result->store = the_backend.name;
    result->version = UBENCH_VERSION;
    result->node_loss = NODE_LOSS_NO_SERVER;
    (void)strftime(result->started_at, sizeof result->started_at, "%Y-%m-%dT%H:%M:%SZ",
                   gmtime_r(&now, &utc));
    options_describe(options, config, &result->parameters);
    result->runs = err_calloc(config->repeat, sizeof *result->runs, err);
    result->machines = err_calloc(load_ranks(&config->load), sizeof *result->machines, err);
    return result->runs != NULL && result->machines != NULL ? 0 : -1;
}

/* Opens a fresh store with all its sessions.  Returns 0, or -1 with err. */
static int open_store(struct run *run, struct err *err)
{
    struct store_config store_config = run->config->store;

    store_config.on_progress = monitor_on_progress;
    store_config.on_progress_context = run->monitor;
    store_config.on_notice = is_first(run) ? runner_complain : NULL;
    run->store = the_backend.open(&store_config, err);
    if (run->store == NULL) {
        /* A user who names a server does not need the hint on private ones. */
        if ((the_backend.scope & OPT_SCOPE_SERVER) != 0 && store_config.host == NULL &&
            store_config.port == 0 && err->kind == ERR_LOST && !monitor_has_connected(run->monitor))
            err_add(err, " (to start a private server: scripts/servers start, then eval "
                         "\"$(scripts/servers env)\"; to use another one: -m, -P, -u, -p "
                         "and -f)");
        return -1;
    }
    monitor_on_progress(run->monitor, OPEN_WORKING, run->store);
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        if (progress_stopped(run->progress))
            return err_set_class(err, ERR_CANCELED, "interrupted");
        run->sessions[i] = the_backend.session_open(run->store, err);
        if (run->sessions[i] == NULL)
            return -1;
    }
    return 0;
}

/* Closes the store, in whatever state it is.  Returns 0, or -1 with err if
   something could not be restored. */
static int close_store(struct run *run, struct err *err)
{
    struct store *const store = run->store;

    monitor_on_progress(run->monitor, OPEN_FAILED, NULL);
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        the_backend.session_close(run->sessions[i]);
        run->sessions[i] = NULL;
    }
    run->store = NULL;
    return the_backend.close(store, err);
}

/* Creates the file of --ledger.  Returns 0, or -1 with err. */
static int open_ledger(struct run *run, struct err *err)
{
    const struct property *const product = &run->result.facts.items[0];
    const struct load_config *const load = &run->config->load;
    struct ledger_about about = {
        .seed = load->seed,
        .count = load->count,
        .preload = load->preload,
        .threads = load->threads,
        .batch = load->batch,
        .subnets = load->subnets,
        .pace_per_s = load->pace_per_s,
        .profile = load->profile,
        .family = load->family,
        .schema = (uint32_t)run->config->store.schema,
    };
    char path[4096] = "";

    if (the_backend.data_path != NULL)
        the_backend.data_path(run->store, path, sizeof path);
    (void)snprintf(about.store, sizeof about.store, "%s", the_backend.name);
    (void)snprintf(about.version, sizeof about.version, "%s", UBENCH_VERSION);
    (void)snprintf(about.started_at, sizeof about.started_at, "%s", run->result.started_at);
    (void)snprintf(about.product, sizeof about.product, "%.40s %.80s", product->key,
                   product->value);
    (void)snprintf(about.durability, sizeof about.durability, "%s",
                   durability_classes[run->result.durability].name);
    (void)snprintf(about.durability_from, sizeof about.durability_from, "%.255s",
                   run->result.durability_from);
    ledger_put_promise(&about.promise, &run->result.promise);
    return ledger_create(&run->ledger, run->config->ledger, path, &about,
                         run->config->workload->leases(load), err);
}

/* Records the lowest answer before and after any run. */
static void note_node_loss(struct run *run)
{
    const enum node_loss now =
        the_backend.node_loss != NULL ? the_backend.node_loss(run->store) : NODE_LOSS_NO_SERVER;

    if (now < run->result.node_loss)
        run->result.node_loss = now;
}

/* Returns true if this rank measures baselines: only the first does, and not in
   a run that a crash will cut short, which has no time for them. */
static bool has_baselines(const struct run *run)
{
    const struct runner_config *const config = run->config;

    return is_first(run) && (!config->workload->cut_short || config->load.in_turns);
}

/* Sets the product to the name and the version of the first fact: "MariaDB",
   "10.11.19". */
static void set_product(struct result *result)
{
    const struct property *const first = &result->facts.items[0];
    const bool numbered = first->value[0] >= '0' && first->value[0] <= '9';

    (void)snprintf(result->product.name, sizeof result->product.name, "%s", first->key);
    (void)snprintf(result->product.version, sizeof result->product.version, "%.*s",
                   numbered ? (int)strcspn(first->value, " ,") : 0, first->value);
}

/* Returns the store that stores the leases: with a backend for several stores,
   that of the server or, for a lease file, "memfile". */
static const char *keeper_of(const struct runner_config *config)
{
    if (the_backend.server == NULL)
        return the_backend.name;
    const char *const server = the_backend.server(&config->settings);
    return server != NULL ? server : "memfile";
}

/* Describes the origin of the figures, before the first run.  Before each other
   run checks that the durability class is still the same.  Returns 0, or -1
   with err. */
static int describe_store(struct run *run, struct err *err)
{
    struct result *const result = &run->result;
    char from[sizeof result->durability_from];
    struct promise promise = { .stores_nothing = false };

    the_backend.durability(run->store, &promise);
    const enum durability class = promise_class(&promise);
    promise_text(&promise, from, sizeof from);
    note_node_loss(run);
    if (result->facts.count > 0)
        return class == result->durability
                   ? 0
                   : err_set(err,
                             "%s: the durability class changed between runs, from %s to %s: %s",
                             the_backend.name, durability_classes[result->durability].name,
                             durability_classes[class].name, from);
    the_backend.describe(run->store, &result->facts);
    set_product(result);
    result->keeper = keeper_of(run->config);
    result->promise = promise;
    result->durability = class;
    (void)strcpy(result->durability_from, from);
    if (run->config->ledger != NULL && open_ledger(run, err) != 0)
        return -1;
    if (has_baselines(run))
        surroundings_begin(&run->surroundings, run->store, run->sessions[0], result);
    if (run->config->json || !is_first(run))
        return 0;
    result_print_head(result, stdout);
    return fflush(stdout) == 0 ? 0 : err_set(err, "standard output: %s", strerror(errno));
}

/* Records what the store does. */
static void note_activity(void *context)
{
    struct run *const run = context;

    (void)pthread_mutex_lock(&run->sampling);
    surroundings_sample(&run->surroundings, run->store, &run->activity);
    (void)pthread_mutex_unlock(&run->sampling);
}

/* Runs the load.  Returns 0, or -1 with err.  After a wrong answer no figures
   are shown, not even those of earlier runs. */
static int run_workload(struct run *run, const struct workload *workload,
                        const struct load_config *load, struct load_result *result, struct err *err)
{
    const struct load_context context = {
        .backend = &the_backend,
        .store = run->store,
        .sessions = run->sessions,
        .session_count = load_threads(load),
        .progress = run->progress,
        .facts = result == &run->load ? &run->result.facts : NULL,
        .ledger = run->ledger.header != NULL ? &run->ledger : NULL,
        .ranks = run->ranks,
        .conductor = run->conductor,
        .counters = run->counters,
        .reconnect_ns = run->config->reconnect_ns,
        .data_path = the_backend.server_processes != NULL ? run->surroundings.data_path : NULL,
        .on_edge =
            result == &run->load && run->config->activity && is_first(run) ? note_activity : NULL,
        .on_edge_context = run,
    };

    const enum load_end end = workload_run(workload, load, &context, result, err);
    result->complete = end == LOAD_DONE;
    run->wrong = end == LOAD_WRONG;
    return end == LOAD_DONE || end == LOAD_INTERRUPTED ? 0 : -1;
}

/* Runs a load whose figures are not reported.  Returns 0, or -1 with err. */
static int warm_up(struct run *run, struct err *err)
{
    const struct workload *workload = run->config->workload;
    struct load_config load = run->config->load;
    struct load_result ignored = { 0 };

    if (workload->warm_up != NULL)
        workload = workload->warm_up;
    load.count = load.warmup;
    load.in_turns = false;
    if (workload->warms_up_empty)
        load.preload = 0;
    load.latency = false;
    const int status = run_workload(run, workload, &load, &ignored, err);
    load_result_release(&ignored);
    return status;
}

/* Refuses operations that took no time: the clock is not reliable.  Returns 0,
   or -1 with err, and then no figures are shown. */
static int check_times(struct run *run, struct err *err)
{
    enum { MOST_PER_NS = 1000 };
    const struct load_result *const load = &run->load;

    for (size_t i = 0; i < load->phase_count; i++) {
        const struct phase_result *const phase = &load->phases[i];
        const uint64_t elapsed_ns = phase_elapsed_ns(phase);

        if (phase->done == 0 || phase->done / MOST_PER_NS < elapsed_ns)
            continue;
        run->changed = true;
        return err_set(err,
                       "the clock does not move: %s: %" PRIu64 " operations took %" PRIu64
                       " ns by CLOCK_MONOTONIC",
                       phase->name, phase->done, elapsed_ns);
    }
    return 0;
}

static int warm_up_and_run(struct run *run, struct err *err)
{
    const struct runner_config *const config = run->config;

    if (config->load.warmup > 0 && warm_up(run, err) != 0)
        return -1;
    if (progress_stopped(run->progress))
        return 0;
    return run_workload(run, config->workload, &config->load, &run->load, err) == 0
               ? check_times(run, err)
               : -1;
}

/* Asks the load to stop if the durability class has changed: figures count for
   a class only if it held during the whole run.  Called once a second. */
static void watch_class(void *context)
{
    struct run *const run = context;
    struct err change;

    if (run->class_change.text[0] != '\0' || the_backend.check_class(run->store, &change) == 0)
        return; /* change may report a lost connection */
    run->class_change = change;
    atomic_store(&run->progress->stop, 1);
}

/* Checks the class and records what the store does. */
static void watch(struct run *run)
{
    if (the_backend.check_class != NULL) {
        (void)pthread_mutex_lock(&run->sampling);
        watch_class(run);
        (void)pthread_mutex_unlock(&run->sampling);
    }
    if (run->config->activity)
        note_activity(run);
}

/* Called once a second in a thread of its own.  The thread leaves the table of descriptors to the
   load, for the reason that monitor_start gives; the load must not leave it, as locks of files
   belong to the table. */
static void tick(void *context)
{
    if ((the_backend.scope & OPT_SCOPE_SERVER) == 0)
        (void)syscall(SYS_unshare, CLONE_FILES);
    watch(context);
}

/* Does one run on an open store.  Returns 0, or -1 with err. */
static int run_once(struct run *run, struct err *err)
{
    const bool watched =
        is_first(run) && (the_backend.check_class != NULL || run->config->activity);
    struct ticker *ticker = NULL;

    if (describe_store(run, err) != 0)
        return -1;
    run->class_change.text[0] = '\0';
    if (watched)
        ticker = ticker_start(NS_PER_S, tick, run, err);
    if (watched && ticker == NULL)
        return -1;
    int status = warm_up_and_run(run, err);
    ticker_stop(ticker);
    if (watched && status == 0)
        watch(run); /* the last time */
    run->load.activity = run->activity;
    run->activity = (struct activity){ .samples = NULL };
    note_node_loss(run);
    if (run->class_change.text[0] != '\0') {
        if (status == 0)
            *err = run->class_change;
        run->changed = true;
        status = -1;
    }
    return status;
}

/* Opens a store that several ranks use: after all ranks have left the previous
   one, the first prepares it, then the others join.  Returns 0, or -1 with
   err. */
static int open_in_turn(struct run *run, struct err *err)
{
    const bool first = is_first(run);
    bool there = ranks_meet(run->ranks, 0, NULL) && (first || ranks_meet(run->ranks, 0, NULL));

    if (there && open_store(run, err) != 0)
        return -1;
    if (first && there)
        there = ranks_meet(run->ranks, 0, NULL);
    return there ? 0 : err_set_class(err, ERR_CANCELED, "interrupted");
}

/* Returns how the run ended in this rank, whose status is 0, or -1 with err. */
static enum load_end end_of(const struct run *run, int status, const struct err *err)
{
    if (run->wrong)
        return LOAD_WRONG;
    if (status != 0)
        return err->kind == ERR_CANCELED ? LOAD_INTERRUPTED : LOAD_FAILED;
    return run->load.complete ? LOAD_DONE : LOAD_INTERRUPTED;
}

/* Exchanges between the ranks how the run ended, and sends the first one the
   figures of all.  Returns the status that follows: 0, or -1 with err. */
static int settle(struct run *run, int status, struct err *err)
{
    const enum load_end own = end_of(run, status, err);
    const enum load_end end = ranks_finish(run->ranks, own);
    uint64_t changed = run->changed;

    if (run->ranks == NULL)
        return status;
    ranks_most(run->ranks, &changed, 1);
    run->wrong = end == LOAD_WRONG;
    run->changed = changed != 0;
    run->over = end != LOAD_DONE;
    run->load.complete = end == LOAD_DONE;
    if (!run->wrong && !run->changed)
        gather(run->ranks, &run->load);
    if (ranks_are_lost(run->ranks)) {
        run->changed = true;
        return err_set(err, "another rank has died or does not answer; mpirun says which");
    }
    return status == 0 && end > LOAD_INTERRUPTED
               ? err_set_class(err, ERR_CANCELED, "another rank failed")
               : status;
}

/* Adds the run to the result, unless it did not reach its first operation or
   its class changed. */
static void keep_run(struct run *run)
{
    if (run->wrong || run->changed || run->load.phase_count == 0 ||
        run->load.phases[0].begun_ns == 0) {
        load_result_release(&run->load);
        return;
    }
    if (is_first(run))
        surroundings_note_run(&run->surroundings, &run->result, &run->load);
    run->result.runs[run->result.run_count++] = run->load;
    run->load = (struct load_result){ 0 };
}

/* Returns true if there is another run.  Ranks that were asked to stop at different times agree on
   this: each begins the next run, and none of them does any of it. */
static bool goes_on(const struct run *run)
{
    return run->ranks != NULL ? !run->over : !progress_stopped(run->progress);
}

/* Does all runs, each on a fresh store.  Returns 0, or -1 with err. */
static int run_all(struct run *run, struct err *err)
{
    int status = 0;

    atomic_store(&run->progress->runs, (unsigned)run->config->repeat);
    for (unsigned i = 1; i <= run->config->repeat && status == 0 && goes_on(run); i++) {
        struct err close_err = { 0 };

        atomic_store(&run->progress->run, i);
        status = open_in_turn(run, err) == 0 ? run_once(run, err) : -1;
        /* The first rank restores the settings after all others have
           finished. */
        status = settle(run, status, err);
        if (close_store(run, &close_err) != 0) {
            if (is_first(run))
                runner_complain(close_err.text);
            run->broken = close_err;
        }
        keep_run(run);
    }
    return status;
}

/* Prints and writes the result.  Returns the exit status. */
static int report(const struct run *run, int status)
{
    const struct result *const result = &run->result;
    const struct runner_config *const config = run->config;
    const bool wants_line = config->json || config->output != NULL;
    struct err err = { 0 };

    if (!is_first(run) || run->wrong || ranks_are_lost(run->ranks) || result->run_count == 0 ||
        run_operations(&result->runs[0]) == 0)
        return status;
    char *const line = wants_line ? result_json(result) : NULL;
    if (wants_line && line == NULL)
        (void)err_set(&err, "out of memory for the result's line of JSON");
    if (config->json && run->conductor != NULL)
        conductor_say(run->conductor, "result");
    if (!config->json)
        result_print(result, stdout);
    else if (line != NULL)
        (void)puts(line);
    /* Standard output first: writing the file may block (a pipe, NFS).  program.c reports what
       could not be written. */
    (void)fflush(stdout);
    if (config->output != NULL && line != NULL)
        (void)output_append(line, config->output, &err);
    free(line);
    return err.text[0] == '\0' ? status : runner_fail(&err, EXIT_STORE);
}

/* Runs the load, under a conductor with --turns.  Returns 0, or -1 with err. */
static int conduct(struct run *run, struct err *err)
{
    if (run->config->load.in_turns) {
        run->conductor = conductor_open(STDIN_FILENO, stdout, run->progress, err);
        if (run->conductor == NULL)
            return -1;
    }
    const int status = run_all(run, err);
    run->canceled = conductor_is_gone(run->conductor) && result_complete_runs(&run->result) == 0 &&
                    (status == 0 || err->kind == ERR_CANCELED);
    return status;
}

/* Runs the load with a monitor.  Returns the exit status of this rank, with
   err. */
static int run_monitored(struct run *run, struct err *err)
{
    const struct runner_config *const config = run->config;
    const bool shown = is_first(run) && config->verbose != VERBOSE_NO;
    int status = EXIT_SUCCESS;

    run->monitor =
        monitor_start(run->progress, shown ? config->progress : PROGRESS_NONE, &the_backend, err);
    if (run->monitor == NULL || ranks_watch(run->ranks, run->progress, err) != 0) {
        status = EXIT_STORE;
        (void)settle(run, -1, err); /* the others have begun */
    } else if (conduct(run, err) != 0) {
        status = run->wrong ? EXIT_WRONG : err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_STORE;
    } else {
        /* The run recovered from a failed first attempt; the first rank has
           printed broken. */
        *err = is_first(run) ? (struct err){ 0 } : run->broken;
        status = run->broken.text[0] != '\0' ? EXIT_STORE : EXIT_SUCCESS;
    }
    if (run->result.run_count > 0 && has_baselines(run))
        surroundings_end(&run->surroundings, &run->result);
    int caught = run->monitor != NULL ? monitor_stop(run->monitor) : 0;
    if (caught == 0 && run->canceled)
        caught = SIGTERM; /* nothing else would end it */
    /* An operation that the signal canceled is not an error; everything else
       is. */
    return caught != 0 && (err->text[0] == '\0' || err->kind == ERR_CANCELED) ? 128 + caught
                                                                              : status;
}

static int run_and_report(struct run *run)
{
    struct err err = { 0 };
    int status = run_monitored(run, &err);

    /* From here on a rank waits for one that still puts back what it has set. */
    ranks_unwatch(run->ranks);
    status = together_end(run->ranks, status, &err);
    (void)snprintf(run->result.error, sizeof run->result.error, "%s", err.text);
    if (is_first(run) && status != EXIT_SUCCESS && status < 128 && err.text[0] != '\0')
        runner_complain(err.text);
    return report(run, status);
}

/* Begins in all ranks or in none.  Returns the exit status. */
static int begin_together(struct run *run, const struct options *options,
                          const struct runner_config *config, struct err *err)
{
    int status = begin(run, options, config, err) == 0 ? EXIT_SUCCESS : EXIT_STORE;

    status = together_end(run->ranks, status, err);
    if (status == EXIT_SUCCESS && together_begin(run->ranks, &run->result, err) != 0)
        status = EXIT_USAGE;
    return together_end(run->ranks, status, err);
}

int runner_benchmark(const struct options *options, const struct runner_config *config,
                     struct ranks *ranks)
{
    struct err err = { 0 };
    struct run *const run = err_calloc(1, sizeof *run, &err);

    if (run == NULL)
        return runner_fail(&err, EXIT_STORE);
    (void)pthread_mutex_init(&run->sampling, NULL);
    run->ranks = ranks;
    int status = begin_together(run, options, config, &err);
    if (status == EXIT_SUCCESS)
        status = run_and_report(run);
    else if (is_first(run))
        runner_complain(err.text);
    free(run->surroundings.data_path);
    ledger_close(&run->ledger);
    conductor_close(run->conductor);
    counters_free(run->counters);
    free(run->progress);
    for (size_t i = 0; i < run->result.run_count; i++)
        load_result_release(&run->result.runs[i]);
    free(run->result.runs);
    free(run->result.machines);
    activity_release(&run->activity);
    (void)pthread_mutex_destroy(&run->sampling);
    free(run);
    return status;
}
