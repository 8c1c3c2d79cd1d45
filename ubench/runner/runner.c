/* SPDX-License-Identifier: ISC */
/*
 * What a runner is for: opens the store, runs the load, reports and closes the
 * store, as often as --repeat says.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "load/conductor.h"
#include "load/gather.h"
#include "load/ranks.h"
#include "measure/counters.h"
#include "runner/json/result_json.h"
#include "runner/output.h"
#include "runner/run.h"

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
        (run_is_first(run) && config->output != NULL && output_check(config->output, err) != 0))
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

/* Opens a store that several ranks use: after all ranks have left the previous
   one, the first prepares it, then the others join.  Returns 0, or -1 with
   err. */
static int open_in_turn(struct run *run, struct err *err)
{
    const bool first = run_is_first(run);
    bool there = ranks_meet(run->ranks, 0, NULL) && (first || ranks_meet(run->ranks, 0, NULL));

    if (there && run_open_store(run, err) != 0)
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
    if (run_is_first(run))
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
        if (run_close_store(run, &close_err) != 0) {
            if (run_is_first(run))
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

    if (!run_is_first(run) || run->wrong || ranks_are_lost(run->ranks) || result->run_count == 0 ||
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
    const bool shown = run_is_first(run) && config->verbose != VERBOSE_NO;
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
        *err = run_is_first(run) ? (struct err){ 0 } : run->broken;
        status = run->broken.text[0] != '\0' ? EXIT_STORE : EXIT_SUCCESS;
    }
    if (run->result.run_count > 0 && run_has_baselines(run))
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
    if (run_is_first(run) && status != EXIT_SUCCESS && status < 128 && err.text[0] != '\0')
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
    else if (run_is_first(run))
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
