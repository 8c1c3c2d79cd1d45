/* SPDX-License-Identifier: ISC */
/*
 * The main of every runner: parse, open the store, run the load, report,
 * close.  Errors are printed here and nowhere else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/program.h"
#include "programs/monitor.h"
#include "programs/options.h"
#include "programs/runner.h"
#include "record/output.h"
#include "record/writer.h"
#include "report/run_text.h"

enum exit_code { EXIT_STORE = 1, EXIT_USAGE = 2, EXIT_WRONG = 3 };

static void complain(const struct err *err)
{
    (void)fprintf(stderr, "%s_ubench: %s\n", the_backend.name, err->text);
}

static void print_notice(const char *text)
{
    (void)fprintf(stderr, "%s_ubench: %s\n", the_backend.name, text);
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
        .family = config->load.family,
        .target = config->target,
        .host = config->host,
        .port = config->port,
        .user = config->user,
        .password = config->password.given ? config->password.text : NULL,
        .connect_timeout_s = config->connect_timeout_s,
        .read_timeout_s = config->read_timeout_s,
        .engine = config->engine,
        .sync = config->sync,
        .schema = (enum schema)config->schema,
        .subnets = config->load.subnets,
        .compiled = config->compiled,
        .reservations = config->load.reservations > 0,
        .joins = config->load.part > 0,
        .settings = &config->settings,
    };
}

/* Everything that has to be let go of, in the order in which it was taken. */
struct run {
    const struct runner_config *config;
    struct arena memory;     /* of the record */
    struct record record;    /* what is printed and written */
    struct record_run *runs; /* of the record; room for --repeat */
    struct progress *progress;
    struct provenance provenance;
    struct monitor *monitor;
    struct barrier *barrier; /* of the parts; NULL: this is the whole */
    struct barrier_clock clock;
    struct record_part part;
    struct ledger ledger; /* zeroed: there is none */
    struct store *store;
    struct session *sessions[WORKERS_MAX];
    struct load_result result; /* of the run on this store */
    struct class_watch watch;  /* over the class that it stands for */
    enum node_loss node_loss;  /* of the runs so far */
    bool whole;                /* it was not cut short */
    bool changed;              /* the class was another: no figures of it */
    bool wrong;                /* a run gave a wrong answer: no figures */
    bool broken;               /* something could not be put back */
};

/* What is known before the store is opened. */
static void begin_record(struct run *run, const struct options *options)
{
    struct record *const record = &run->record;
    struct arena *const memory = &run->memory;
    struct properties parameters = { 0 };
    struct properties labels = { 0 };
    char started_at[32];
    const time_t now = time(NULL);
    struct tm utc;

    (void)strftime(started_at, sizeof started_at, "%Y-%m-%dT%H:%M:%SZ",
                   gmtime_r(&now, &utc));
    options_describe(options, run->config, &parameters);
    options_describe_labels(run->config, &labels);
    run->runs = arena_alloc(memory, run->config->repeat, sizeof *run->runs);
    *record = (struct record){
        .program = arena_print(memory, "%s_ubench", the_backend.name),
        .version = UBENCH_VERSION,
        .store = the_backend.name,
        .started_at = arena_text(memory, started_at),
        .error = "",
        .warning = "",
        .published = "",
        .node_loss = "",
        .durability_known = true,
        .parameters = record_copy_properties(memory, &parameters),
        .labels = record_copy_properties(memory, &labels),
        .runs = run->runs,
    };
    /* While a store is open, whose settings have to be put back, describe_store
       copies its properties and the host's, which take half as much again. */
    arena_reserve(memory, 3 * sizeof(struct properties));
}

static int open_sessions(struct run *run, struct err *err)
{
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        if (progress_stopped(run->progress))
            return err_set_class(err, ERR_CANCELED, "interrupted");
        run->sessions[i] = the_backend.session_open(run->store, err);
        if (run->sessions[i] == NULL)
            return -1;
    }
    return 0;
}

/* Opens a fresh store with all its sessions. */
static int open_store(struct run *run, struct err *err)
{
    struct store_config store_config = make_store_config(run->config);

    store_config.on_progress = monitor_on_progress;
    store_config.on_progress_context = run->monitor;
    store_config.on_notice = print_notice;
    run->store = the_backend.open(&store_config, err);
    if (run->store == NULL) {
        if ((the_backend.scope & OPT_SCOPE_SERVER) != 0 &&
            err->kind == ERR_LOST && !monitor_has_connected(run->monitor))
            err_add(err, " (scripts/servers.sh start, then eval "
                         "\"$(scripts/servers.sh env)\"; -m, -P, -u, -p and "
                         "-f name another one)");
        return -1;
    }
    monitor_watch(run->monitor, run->store);
    return open_sessions(run, err);
}

/* Lets the store go, whatever happened.  Returns 0, or -1 with err if
   something could not be put back. */
static int close_store(struct run *run, struct err *err)
{
    struct store *const store = run->store;

    monitor_watch(run->monitor, NULL);
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        the_backend.session_close(run->sessions[i]);
        run->sessions[i] = NULL;
    }
    run->store = NULL;
    return the_backend.close(store, err);
}

/* Makes the ledger that was asked for, and says what it costs. */
static int open_ledger(struct run *run, struct properties *facts,
                       struct err *err)
{
    const struct record *const record = &run->record;
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
        .schema = (uint32_t)run->config->schema,
    };
    char path[4096] = "";

    if (the_backend.data_path != NULL)
        the_backend.data_path(run->store, path, sizeof path);
    (void)snprintf(about.store, sizeof about.store, "%s", the_backend.name);
    (void)snprintf(about.version, sizeof about.version, "%s", UBENCH_VERSION);
    (void)snprintf(about.started_at, sizeof about.started_at, "%s",
                   record->started_at);
    (void)snprintf(about.product, sizeof about.product, "%.40s %.80s",
                   facts->items[0].key, facts->items[0].value);
    (void)snprintf(about.durability, sizeof about.durability, "%s",
                   durability_name(record->durability));
    (void)snprintf(about.durability_why, sizeof about.durability_why, "%s",
                   record->durability_from);
    if (ledger_create(&run->ledger, run->config->ledger, path, &about,
                      run->config->workload->leases(load), err) != 0)
        return -1;
    properties_add(facts, "ledger", "%.1f ns for each change, in its rate",
                   (double)run->ledger.header->cost_ps / 1e3);
    return 0;
}

/* The least that was true before and after any run counts. */
static void note_node_loss(struct run *run)
{
    if (the_backend.node_loss == NULL)
        return;
    const enum node_loss now = the_backend.node_loss(run->store);
    if (now == NODE_LOSS_NOT_TOLD)
        return;
    if (now < run->node_loss)
        run->node_loss = now;
    run->record.node_loss = node_loss_name(run->node_loss);
}

/* Says where the figures will come from; once, before the first run. */
static int describe_store(struct run *run, struct err *err)
{
    struct record *const record = &run->record;
    struct properties facts = { 0 };
    char from[256] = "";

    if (record->facts.count > 0)
        return 0;
    the_backend.describe(run->store, &facts);
    record->durability = the_backend.durability(run->store, from, sizeof from);
    record->durability_from = record_copy_text(&run->memory, from);
    note_node_loss(run);
    if (run->config->ledger != NULL && open_ledger(run, &facts, err) != 0)
        return -1;
    record->facts = record_copy_properties(&run->memory, &facts);
    /* What is to be cut short has no time for baselines. */
    if (!run->config->workload->cut_short)
        provenance_begin(&run->provenance, &the_backend, run->store,
                         run->sessions[0], &run->config->load, &run->memory,
                         record);
    if (run->config->json)
        return 0;
    run_text_print_head(record, run->config->verbose, stdout);
    return fflush(stdout) == 0
               ? 0
               : err_set(err, "standard output: %s", strerror(errno));
}

static bool went_well(enum load_end end)
{
    return end == LOAD_DONE || end == LOAD_INTERRUPTED;
}

/* A load, with what it needs to go on after an outage. */
static enum load_end run_workload(struct run *run,
                                  const struct workload *workload,
                                  const struct load_config *load,
                                  struct load_result *result, struct err *err)
{
    const uint64_t patience_ns = run->config->reconnect_ns;
    struct load_context context = {
        .backend = &the_backend,
        .sessions = run->sessions,
        .progress = run->progress,
        .ledger = run->ledger.header != NULL ? &run->ledger : NULL,
        .barrier = run->barrier,
    };

    if (patience_ns > 0) {
        context.reconnect =
            reconnect_new(&the_backend, run->store, run->sessions,
                          run->progress, patience_ns, err);
        if (context.reconnect == NULL)
            return LOAD_FAILED;
    }
    const enum load_end end = workload->run(load, &context, result, err);
    reconnect_free(context.reconnect);
    return end;
}

/* A load whose figures are not reported. */
static int warm_up(struct run *run, struct err *err)
{
    const struct workload *workload = run->config->workload;
    struct load_config load = run->config->load;
    struct load_result ignored = { 0 };

    if (workload->warm_up != NULL)
        workload = workload->warm_up;
    load.count = load.warmup;
    if (!workload->exchanges)
        load.preload = 0;
    load.latency = false;
    const enum load_end end = run_workload(run, workload, &load, &ignored, err);
    load_result_release(&ignored);
    /* The runs before it ended as they did, but if the store gives wrong
       answers no figures of it are shown. */
    run->wrong = end == LOAD_WRONG;
    return went_well(end) ? 0 : -1;
}

static int warm_up_and_run(struct run *run, struct err *err)
{
    const struct runner_config *const config = run->config;
    const struct workload *const workload = config->workload;

    if (config->load.warmup > 0 && warm_up(run, err) != 0)
        return -1;
    if (progress_stopped(run->progress))
        return 0;
    if (workload->announce != NULL && config->verbose != RUN_TEXT_RESULTS &&
        !config->json)
        workload->announce(&config->load, stderr);
    const enum load_end end =
        run_workload(run, workload, &config->load, &run->result, err);
    run->whole = end == LOAD_DONE;
    run->wrong = end == LOAD_WRONG;
    return went_well(end) ? 0 : -1;
}

/* One run on a store that is open.  Returns 0, or -1 with err. */
static int run_once(struct run *run, struct err *err)
{
    struct err change;

    if (describe_store(run, err) != 0 ||
        class_watch_begin(&run->watch, &the_backend, run->store, run->progress,
                          err) != 0)
        return -1;
    const int status = warm_up_and_run(run, err);
    run->changed = class_watch_end(&run->watch, status != 0, &change) != 0;
    note_node_loss(run);
    if (status == 0 && run->changed)
        *err = change;
    return run->changed ? -1 : status;
}

/* Opens a store that several parts use: the first one makes it ready, and then
   the others join it. */
static int open_in_turn(struct run *run, struct err *err)
{
    const bool first = run->config->load.part == 0;
    bool there = first || barrier_wait(run->barrier, 0, NULL);

    if (there && open_store(run, err) != 0)
        return -1;
    if (first)
        there = barrier_wait(run->barrier, 0, NULL);
    return there ? 0 : err_set_class(err, ERR_CANCELED, "interrupted");
}

/* Says which part it was and when it began. */
static void note_part(struct run *run)
{
    const struct load_config *const load = &run->config->load;
    const char *const agent =
        record_properties_find(&run->record.labels, "agent");
    const uint64_t began_ns = clock_read_ns(CLOCK_REALTIME) -
                              (clock_now_ns() - run->result.phases[0].begun_ns);
    struct utsname machine = { .nodename = "" };

    (void)uname(&machine);
    run->part = (struct record_part){
        .number = load->part + 1,
        .of = load->parts,
        .host = record_copy_text(&run->memory,
                                 agent != NULL ? agent : machine.nodename),
        .begun_us = began_ns / 1000,
        .common_us =
            (began_ns - run->clock.own_ns + run->clock.common_ns) / 1000,
        .error_us = (run->clock.error_ns + 999) / 1000,
    };
    run->record.parts = &run->part;
    run->record.part_count = 1;
}

/* Adds the run to the record; it is none if it did not come to its first
   operation, or if its class changed.  After the store was closed: without
   memory it ends the process.
 */
static void keep_run(struct run *run)
{
    if (!run->wrong && !run->changed && load_result_begun(&run->result)) {
        provenance_note_run(&run->provenance, &run->config->load, &run->result);
        run->runs[run->record.run_count++] =
            run_record_make(&run->memory, &run->result, run->whole);
        if (run->barrier != NULL)
            note_part(run);
    }
    load_result_release(&run->result);
}

/* All runs, each on a fresh store.  Returns 0, or -1 with err. */
static int run_all(struct run *run, struct err *err)
{
    int status = 0;

    atomic_store(&run->progress->runs, (unsigned)run->config->repeat);
    for (unsigned i = 1; i <= run->config->repeat && status == 0 &&
                         !progress_stopped(run->progress);
         i++) {
        struct err close_err = { 0 };

        atomic_store(&run->progress->run, i);
        status = open_in_turn(run, err) == 0 ? run_once(run, err) : -1;
        /* The first part puts back what it has set when all others are done. */
        if (status == 0)
            (void)barrier_wait(run->barrier, 0, NULL);
        if (close_store(run, &close_err) != 0) {
            complain(&close_err);
            run->broken = true;
        }
        keep_run(run);
    }
    return status;
}

static int exit_code(const struct run *run, const struct err *err)
{
    if (run->wrong)
        return EXIT_WRONG;
    return err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_STORE;
}

static int print_line(const struct record *record, struct err *err)
{
    char *const line = record_write(record);
    const bool printed = line != NULL && puts(line) != EOF;

    free(line);
    return printed ? 0
                   : err_set(err, "--json: the result could not be written");
}

static int append_line(char *line, const char *path, struct err *err)
{
    bool ended;
    const int status = output_append(line, path, &ended, err);

    if (ended)
        (void)fprintf(stderr,
                      "%s_ubench: --output: %s: the last line that was there "
                      "had no end; it has one now\n",
                      the_backend.name, path);
    return status;
}

static int report(const struct run *run, int status)
{
    const struct record *const record = &run->record;
    struct err err = { 0 };

    if (run->wrong || record->run_count == 0 ||
        record_run_operations(&record->runs[0]) == 0)
        return status;
    if (!run->config->json)
        run_text_print_figures(record, run->config->verbose, stdout);
    else {
        barrier_end(run->barrier);
        if (print_line(record, &err) != 0)
            status = EXIT_STORE;
    }
    /* A file may keep us waiting (a pipe, NFS): not what was measured. */
    (void)fflush(stdout);
    if (run->config->output != NULL &&
        append_line(record_write(record), run->config->output, &err) != 0)
        status = EXIT_STORE;
    if (err.text[0] != '\0')
        complain(&err);
    return status;
}

/* Completes the record: err is why it ended early, if it did. */
static void end_record(struct run *run, const struct err *err)
{
    struct record *const record = &run->record;

    record->incomplete = record_complete_runs(record) < run->config->repeat;
    record->error = record_copy_text(&run->memory, err->text);
    if (record->run_count > 0 && !run->config->workload->cut_short)
        provenance_end(&run->provenance, &run->memory, record);
}

/* Runs it, alone or as one of several parts.  Returns 0, or -1 with err. */
static int run_part(struct run *run, struct err *err)
{
    if (run->config->load.parts > 0) {
        run->barrier =
            barrier_open(STDIN_FILENO, stdout, run->progress, &run->clock, err);
        if (run->barrier == NULL)
            return -1;
    }
    const int status = run_all(run, err);
    if (!barrier_is_canceled(run->barrier) || run->whole ||
        (status != 0 && err->kind != ERR_CANCELED))
        return status;
    return barrier_refuse(err);
}

static int run_and_report(struct run *run)
{
    const struct runner_config *const config = run->config;
    struct err err = { 0 };
    int status = EXIT_SUCCESS;

    run->monitor = monitor_start(
        run->progress,
        config->verbose != RUN_TEXT_RESULTS ? config->progress : PROGRESS_NONE,
        &the_backend, &err);
    if (run->monitor == NULL) {
        complain(&err);
        return EXIT_STORE;
    }
    if (run_part(run, &err) != 0)
        status = exit_code(run, &err);
    else if (run->broken)
        status = EXIT_STORE;
    end_record(run, &err);
    const int caught = monitor_stop(run->monitor);
    /* What was called off by the signal is no error; all else is. */
    if (caught != 0 && (err.text[0] == '\0' || err.kind == ERR_CANCELED))
        status = 128 + caught;
    else if (status != EXIT_SUCCESS && err.text[0] != '\0')
        complain(&err);
    return report(run, status);
}

/* Runs what the command line asked for.  Returns the exit code. */
static int run_benchmark(const struct options *options,
                         const struct runner_config *config)
{
    struct run *const run = calloc(1, sizeof *run);
    struct err err = { 0 };
    int status = EXIT_STORE;

    if (run != NULL)
        run->progress = progress_new();
    if (run == NULL || run->progress == NULL) {
        (void)err_set(&err, "out of memory");
        complain(&err);
    } else if (config->output != NULL &&
               output_check(config->output, &err) != 0) {
        complain(&err);
    } else {
        run->config = config;
        run->node_loss = NODE_LOSS_YES;
        begin_record(run, options);
        status = run_and_report(run);
    }
    if (run != NULL) {
        ledger_close(&run->ledger);
        barrier_close(run->barrier);
        progress_free(run->progress);
        arena_release(&run->memory);
    }
    free(run);
    return status;
}

/* Judges what a crash has left.  Returns the exit code. */
static int verify(const struct runner_config *config)
{
    const struct store_config store = make_store_config(config);
    struct err err = { 0 };

    switch (verifier_run(config, &store, &the_backend, stdout, &err)) {
    case VERDICT_WHOLE:
        return EXIT_SUCCESS;
    case VERDICT_LOST:
        return EXIT_WRONG;
    case VERDICT_UNKNOWN:
        break;
    }
    complain(&err);
    return EXIT_STORE;
}

static int run_program(int argc, char **argv)
{
    struct options options;
    struct runner_config config = { 0 };
    struct err err = { 0 };

    if (backend_missing(&the_backend) != NULL) {
        (void)err_set(&err, "struct backend has no %s",
                      backend_missing(&the_backend));
        complain(&err);
        return EXIT_STORE;
    }
    options_select(&options, &the_backend);
    if (options_parse(&options, &the_backend, &config, argc, argv, &err) != 0) {
        complain(&err);
        return EXIT_USAGE;
    }
    if (config.help) {
        options_print_help(&options, &the_backend,
                           (enum options_help)config.help, stdout);
        return EXIT_SUCCESS;
    }
    if (config.list_options) {
        opt_print_list(options.rows, stdout);
        return EXIT_SUCCESS;
    }
    if (config.version)
        return print_version();
    return config.verify != NULL ? verify(&config)
                                 : run_benchmark(&options, &config);
}

int main(int argc, char **argv)
{
    return program_run(the_backend.name, "_ubench", run_program, argc, argv);
}
