/* SPDX-License-Identifier: ISC */
/* One run on an open store: the warm-up, the load, and a thread that watches the store once a
   second. */
#include <inttypes.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"
#include "runner/run.h"

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
        .on_edge = result == &run->load && run->config->activity && run_is_first(run)
                       ? note_activity
                       : NULL,
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

int run_once(struct run *run, struct err *err)
{
    const bool watched =
        run_is_first(run) && (the_backend.check_class != NULL || run->config->activity);
    struct ticker *ticker = NULL;

    if (run_describe_store(run, err) != 0)
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
    run_note_node_loss(run);
    if (run->class_change.text[0] != '\0') {
        if (status == 0)
            *err = run->class_change;
        run->changed = true;
        status = -1;
    }
    return status;
}
