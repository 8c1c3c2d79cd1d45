/* SPDX-License-Identifier: ISC */
/*
 * The main of every runner: parse, open the store, run the load, report,
 * close.  Errors are printed here and nowhere else.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs/monitor.h"
#include "programs/options.h"
#include "report/result.h"
#include "report/tables.h"

enum exit_code { EXIT_STORE = 1, EXIT_USAGE = 2, EXIT_WRONG = 3 };

#ifndef UBENCH_VERSION
#define UBENCH_VERSION "0.1.0"
#endif

static void complain(const struct err *err)
{
    (void)fprintf(stderr, "%s_ubench: %s\n", the_backend.name, err->text);
}

static int print_version(void)
{
    char library[128];

    the_backend.library(library, sizeof library);
    (void)printf("%s_ubench %s (%s)\n", the_backend.name, UBENCH_VERSION,
                 library);
    return EXIT_SUCCESS;
}

static struct store_config make_store_config(const struct runner_config *config)
{
    return (struct store_config){
        .target = config->target,
        .host = config->host,
        .port = config->port,
        .user = config->user,
        .password = config->password.given ? config->password.text : NULL,
        .connect_timeout_s = config->connect_timeout_s,
        .read_timeout_s = config->read_timeout_s,
        .engine = config->engine,
        .sync = (enum sync_level)config->sync,
        .schema = (enum schema)config->schema,
        .compiled = config->compiled,
        .settings = &config->settings,
    };
}

static void begin_result(struct result *result, const struct options *options,
                         const struct runner_config *config)
{
    const time_t now = time(NULL);
    struct tm utc;

    result->store = the_backend.name;
    result->version = UBENCH_VERSION;
    (void)strftime(result->started_at, sizeof result->started_at,
                   "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    options_describe(options, config, &result->parameters);
    result->config = (struct phases_config){
        .count = config->count,
        .preload = config->preload,
        .seed = config->seed,
        .hit_ratio = config->hit_ratio,
        .profile = (enum lease_profile)config->lease,
    };
}

/* Everything that has to be let go of, in the order in which it was taken. */
struct run {
    const struct runner_config *config;
    struct result *result;
    struct progress progress;
    struct monitor *monitor;
    struct store *store;
    struct session *session;
};

static int run_load(struct run *run, struct err *err)
{
    struct result *const result = run->result;
    const struct store_config store_config = make_store_config(run->config);

    run->store = the_backend.open(&store_config, err);
    if (run->store == NULL)
        return -1;
    monitor_watch(run->monitor, run->store);
    the_backend.describe(run->store, &result->facts);
    result->durability = the_backend.durability(
        run->store, result->durability_why, sizeof result->durability_why);
    run->session = the_backend.session_open(run->store, err);
    if (run->session == NULL)
        return -1;
    if (run->config->verbose) {
        tables_print_provenance(result, stdout);
        if (fflush(stdout) != 0)
            return err_set(err, "standard output: %s", strerror(errno));
    }
    result->end = phases_run(&result->config, &the_backend, run->session,
                             &run->progress, &result->phases, err);
    return result->end == PHASES_FAILED || result->end == PHASES_WRONG ? -1 : 0;
}

/* Lets go of everything, whatever happened.  Returns the signal that came, or
   0; prints what could not be put back. */
static int finish(struct run *run, int *status)
{
    struct err err = { 0 };

    monitor_watch(run->monitor, NULL);
    the_backend.session_close(run->session);
    if (the_backend.close(run->store, &err) != 0) {
        complain(&err);
        *status = EXIT_STORE;
    }
    return monitor_stop(run->monitor);
}

static int report(struct run *run, int status)
{
    const struct result *const result = run->result;
    struct err err = { 0 };

    if (result->end == PHASES_WRONG || result->phases.phases[0].done == 0)
        return status;
    tables_print_figures(result, stdout);
    if (run->config->output != NULL &&
        result_append(result, run->config->output, &err) != 0) {
        complain(&err);
        return EXIT_STORE;
    }
    return status;
}

static int run_and_report(const struct options *options,
                          const struct runner_config *config,
                          struct result *result)
{
    struct run run = { .config = config, .result = result };
    struct err err = { 0 };
    int status = EXIT_SUCCESS;

    if (config->output != NULL &&
        result_check_path(config->output, &err) != 0) {
        complain(&err);
        return EXIT_STORE;
    }
    begin_result(result, options, config);
    run.monitor = monitor_start(
        &run.progress,
        config->verbose ? (enum progress_style)config->progress : PROGRESS_NONE,
        &the_backend, &err);
    if (run.monitor == NULL) {
        complain(&err);
        return EXIT_STORE;
    }
    if (run_load(&run, &err) != 0)
        status = err.class == ERR_USAGE        ? EXIT_USAGE
                 : result->end == PHASES_WRONG ? EXIT_WRONG
                                               : EXIT_STORE;
    const int caught = finish(&run, &status);
    if (caught != 0 && status != EXIT_WRONG)
        status = 128 + caught;
    else if (status != EXIT_SUCCESS && err.text[0] != '\0')
        complain(&err);
    (void)snprintf(result->error, sizeof result->error, "%s", err.text);
    return report(&run, status);
}

static int run_program(int argc, char **argv)
{
    struct options options;
    struct runner_config config = { 0 };
    struct err err = { 0 };
    char program[32];

    (void)snprintf(program, sizeof program, "%s_ubench", the_backend.name);
    options_select(&options, &the_backend);
    if (options_parse(&options, &the_backend, &config, argc, argv, &err) != 0) {
        complain(&err);
        return EXIT_USAGE;
    }
    if (config.help) {
        options_print_help(&options, &the_backend, stdout);
        return EXIT_SUCCESS;
    }
    if (config.version)
        return print_version();
    struct result *const result = calloc(1, sizeof *result);
    if (result == NULL) {
        (void)fprintf(stderr, "%s: out of memory\n", program);
        return EXIT_STORE;
    }
    result->program = program;
    const int status = run_and_report(&options, &config, result);
    free(result);
    return status;
}

/* A report that did not arrive is no success. */
static int check_output(int status)
{
    if (fflush(stdout) == 0 && (status != EXIT_SUCCESS || !ferror(stdout)))
        return status;
    (void)fprintf(stderr, "%s_ubench: standard output: %s\n", the_backend.name,
                  strerror(errno));
    return status == EXIT_SUCCESS ? EXIT_STORE : status;
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error like others: settings are to be put back. */
    (void)signal(SIGPIPE, SIG_IGN);
    return check_output(run_program(argc, argv));
}
