/* SPDX-License-Identifier: ISC */
#include "runner/runner.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/workloads.h"

/* store/null.c under another name: what the harness costs, in every runner. */
extern const struct backend null_backend;

/* The time that the null store needs per operation of a like load; NAN:
   unknown. */
static double measure_harness_ns(const struct load_config *like)
{
    const struct load_config config = {
        .count = 20000,
        .seed = like->seed,
        .threads = 1,
        .batch = 1,
        .subnets = like->subnets,
        .latency = like->latency,
        .profile = like->profile,
        .family = like->family,
        .hit_ratio = 0.9,
    };
    struct load_result result = { 0 };
    struct err err = { 0 };
    struct session *session = NULL;
    const struct load_context context = {
        .backend = &null_backend,
        .sessions = &session,
        .progress = progress_new(),
    };
    double ns = NAN;

    if (context.progress != NULL)
        session = null_backend.session_open(NULL, &err);
    if (session != NULL && workload_run(&workload_phases, &config, &context,
                                        &result, &err) == LOAD_DONE)
        ns = (double)load_result_elapsed_ns(&result) /
             (double)(config.count * PHASE_COUNT);
    null_backend.session_close(session);
    load_result_release(&result);
    free(context.progress);
    return ns;
}

/* The median of empty round trips in nanoseconds; NAN if there are none. */
static double measure_round_trip_ns(const struct backend *backend,
                                    struct session *session)
{
    enum { TIMES = 101 };
    struct histogram histogram;
    struct err err = { 0 };

    if (backend->ping == NULL)
        return NAN;
    histogram_init(&histogram);
    for (int i = 0; i < TIMES; i++) {
        const uint64_t begun_ns = clock_now_ns();

        if (backend->ping(session, &err) != 0)
            return NAN;
        histogram_record(&histogram, clock_now_ns() - begun_ns);
    }
    return histogram_quantile(&histogram, 0.5);
}

/* Leaves the floors alone where the folder cannot be written to, as a
   server's. */
static void measure_sync(struct surroundings *surroundings, const char *path,
                         struct floors *floors)
{
    char folder[PATH_MAX];
    struct err err = { 0 };

    (void)snprintf(folder, sizeof folder, "%s", path);
    if (path[0] == '\0' ||
        baselines_fdatasync(dirname(folder), &surroundings->sync, &err) != 0)
        return;
    const struct baselines_sync *const sync = &surroundings->sync;
    floors->fdatasync_ns = (double)sync->append.median_ns;
    floors->fdatasync_min_ns =
        (double)(sync->append.min_ns < sync->overwrite.min_ns
                     ? sync->append.min_ns
                     : sync->overwrite.min_ns);
}

int surroundings_check_clock(struct err *err)
{
    enum { READINGS = 2000000 }; /* some tens of milliseconds */
    const uint64_t begun_ns = clock_now_ns();

    for (int i = 0; i < READINGS; i++) {
        if (clock_now_ns() != begun_ns)
            return 0;
    }
    return err_set(err,
                   "the clock does not move: CLOCK_MONOTONIC was the same in "
                   "%d readings, so nothing can be measured",
                   READINGS);
}

void surroundings_begin(struct surroundings *surroundings,
                        const struct backend *backend,
                        const struct store *store, struct session *session,
                        struct result *result)
{
    const struct load_config *const load = &result->config->load;
    /* Other parts of the run on this machine are no other work, nor is what
       takes turns with it. */
    const char *const beside =
        " mariadbd mysqld postgres null_ubench memfile_ubench sqlite_ubench "
        "mysql_ubench pgsql_ubench kea_ubench ";
    char path[PATH_MAX] = "";

    *surroundings = (struct surroundings){
        .servers = load->parts > 0 || load->in_turns
                       ? beside
                       : backend->server_processes,
    };
    host_describe("", &result->host);
    if (backend->data_path != NULL)
        backend->data_path(store, path, sizeof path);
    if (path[0] != '\0')
        host_describe_path("", path, &result->host);
    surroundings->data_path = realpath(path, NULL);
    result->floors.clock_ns = baselines_clock_ns();
    measure_sync(surroundings, path, &result->floors);
    result->floors.round_trip_ns = measure_round_trip_ns(backend, session);
    result->floors.harness_ns = measure_harness_ns(load);
    host_noise_sample("", surroundings->servers, &surroundings->before);
}

/* True if a run's changes came faster than the disk can sync them. */
static bool run_too_fast(const struct load_result *run, uint64_t sharing,
                         const struct baselines_sync *baseline)
{
    uint64_t commits = 0;
    bool too_fast = false;

    for (size_t k = 0; k < run->phase_count && !too_fast; k++) {
        const struct phase_result *const phase = &run->phases[k];
        const uint64_t elapsed_ns = phase_elapsed_ns(phase);

        commits = phase->commits_due + (run->together ? commits : 0);
        too_fast = elapsed_ns > 0 &&
                   baselines_too_fast((double)commits * (double)NS_PER_S /
                                          (double)elapsed_ns,
                                      sharing, baseline);
    }
    return too_fast;
}

/* Rows that the server read without an index for each operation of a run, or 0
   if they are few: others may have asked for some, too. */
static double scanned_each(const struct load_result *run)
{
    uint64_t done = 0;
    uint64_t scanned = 0;

    for (size_t k = 0; k < run->phase_count; k++) {
        const struct phase_result *const phase = &run->phases[k];

        done += phase->done;
        if ((k == 0 || !run->together) &&
            phase->usage.server_scanned != USAGE_UNKNOWN)
            scanned += phase->usage.server_scanned;
    }
    return scanned > 100 * (done + 1000) ? (double)scanned / (double)(done + 1)
                                         : 0.0;
}

void surroundings_note_run(struct surroundings *surroundings,
                           const struct load_config *load,
                           const struct load_result *run)
{
    surroundings->too_fast =
        surroundings->too_fast ||
        run_too_fast(run, load->batch * load->threads, &surroundings->sync);
    surroundings->scanned = fmax(surroundings->scanned, scanned_each(run));
}

void surroundings_end(struct surroundings *surroundings, struct result *result)
{
    struct warnings *const warnings = &result->warnings;
    struct host_noise after;

    host_noise_sample("", surroundings->servers, &after);
    host_noise_describe(&surroundings->before, &after, &result->host);
    if (surroundings->too_fast && result->durability == DURABILITY_POWER_SAFE)
        warnings->items[warnings->count++] = (struct host_warning){
            "not-durable", "more changes per second than the disk can sync: "
                           "something is not as durable as it says"
        };
    if (surroundings->scanned > 0.0) {
        struct host_warning *const warning =
            &warnings->items[warnings->count++];

        warning->code = "table-scanned";
        (void)snprintf(warning->text, sizeof warning->text,
                       "the server read %.0f rows without an index for each "
                       "operation: an index is missing, or not used",
                       surroundings->scanned);
    }
    warnings->count +=
        host_warnings(&surroundings->before, &after, &result->host,
                      &warnings->items[warnings->count]);
}
