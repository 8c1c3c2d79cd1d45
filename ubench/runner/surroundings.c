/* SPDX-License-Identifier: ISC */
#include "runner/runner.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "load/workloads.h"
#include "measure/baselines.h"
#include "measure/counters.h"
#include "measure/host/kernel_files.h"

/* store/null.c under another name: measures the harness, in every runner. */
extern const struct backend null_backend;

/* Returns the time per operation of a similar load on the null store; NAN:
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
        .phases = { .hit_ratio = 0.9 },
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
    if (session != NULL &&
        workload_run(&workload_phases, &config, &context, &result, &err) == LOAD_DONE)
        ns = (double)load_result_elapsed_ns(&result) / (double)run_operations(&result);
    null_backend.session_close(session);
    load_result_release(&result);
    free(context.progress);
    return ns;
}

/* Returns the median of empty round trips in nanoseconds; NAN if the store has
   none. */
static double measure_round_trip_ns(struct session *session)
{
    enum { TIMES = 101 };
    struct histogram histogram;
    struct err err = { 0 };

    if (the_backend.ping == NULL)
        return NAN;
    histogram_init(&histogram);
    for (int i = 0; i < TIMES; i++) {
        const uint64_t begun_ns = clock_now_ns();

        if (the_backend.ping(session, &err) != 0)
            return NAN;
        histogram_record(&histogram, clock_now_ns() - begun_ns);
    }
    return histogram_quantile(&histogram, 0.5);
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
                   "%d readings",
                   READINGS);
}

void surroundings_begin(struct surroundings *surroundings, const struct store *store,
                        struct session *session, struct result *result)
{
    const struct load_config *const load = &result->config->load;
    struct baselines *const baselines = &result->baselines;
    /* Other ranks of the run on this machine are not other work, nor are the
       programs that take turns with it. */
    const char *const beside = " mariadbd mysqld postgres null_ubench memfile_ubench sqlite_ubench "
                               "mysql_ubench pgsql_ubench kea_ubench ";
    char path[PATH_MAX] = "";
    const bool has_server =
        the_backend.server == NULL || the_backend.server(&result->config->settings) != NULL;
    char counters[96];

    *surroundings = (struct surroundings){
        .servers = load->ranks > 1 || load->in_turns ? beside : the_backend.server_processes,
        .writers = has_server ? the_backend.server_processes : NULL,
    };
    host_describe("", &result->host);
    counters_describe(&counters_of_processor, "", counters, sizeof counters);
    properties_add(&result->host, "counters", "%s", counters);
    if (the_backend.data_path != NULL)
        the_backend.data_path(store, path, sizeof path);
    if (path[0] != '\0') {
        host_describe_path("", path, &result->host);
        surroundings->data_path = realpath(path, NULL);
        baselines_fdatasync(dirname(path), &baselines->fdatasync_ns, &baselines->fdatasync_min_ns);
    }
    baselines->clock_ns = baselines_clock_ns();
    baselines->round_trip_ns = measure_round_trip_ns(session);
    baselines->harness_ns = measure_harness_ns(load);
    host_noise_sample("", surroundings->servers, &surroundings->before);
}

void surroundings_note_run(struct surroundings *surroundings, const struct result *result,
                           const struct load_result *run)
{
    const struct load_config *const load = &result->config->load;
    uint64_t commits = 0;
    uint64_t done = 0;
    uint64_t scanned = 0;

    for (size_t k = 0; k < run->phase_count; k++) {
        const struct phase_result *const phase = &run->phases[k];

        commits = phase->commits_due + (run->together ? commits : 0);
        if (baselines_too_fast(commits, phase_elapsed_ns(phase), load->batch * load->threads,
                               result->baselines.fdatasync_min_ns))
            surroundings->too_fast = true;
        done += phase->done;
        if ((k == 0 || !run->together) && phase->usage.server_scanned != USAGE_UNKNOWN)
            scanned += phase->usage.server_scanned;
    }
    /* Other clients may have caused some of the scans. */
    if (scanned > 100 * (done + 1000))
        surroundings->scanned = fmax(surroundings->scanned, (double)scanned / (double)(done + 1));
}

void surroundings_sample(const struct surroundings *surroundings, struct store *store,
                         struct activity *activity)
{
    static const struct {
        const char *name; /* in /proc/PID/io */
        enum activity_figure figure;
    } counters[] = { { "wchar", ACTIVITY_WRITTEN_BYTES }, { "write_bytes", ACTIVITY_DISK_BYTES } };
    struct activity_sample *const sample = activity_add(activity, clock_now_ns());

    if (sample == NULL)
        return;
    if (the_backend.sample != NULL)
        the_backend.sample(store, sample);
    if (surroundings->data_path == NULL)
        return; /* on another machine */
    for (size_t i = 0; i < 2; i++) {
        if (surroundings->writers == NULL)
            (void)kernel_number("", "/proc/self/io", counters[i].name,
                                &sample->figures[counters[i].figure]);
        else
            sample->figures[counters[i].figure] = host_servers_io_bytes(
                surroundings->writers, surroundings->data_path, counters[i].name);
    }
    sample->figures[ACTIVITY_DEVICE_BYTES] = host_device_written_bytes(surroundings->data_path);
}

void surroundings_end(struct surroundings *surroundings, struct result *result)
{
    struct properties *const warnings = &result->warnings;
    struct host_noise after;

    if (surroundings->too_fast && result->durability == DURABILITY_POWER_SAFE)
        properties_add(warnings, "not-durable",
                       "more changes per second than the disk can sync: something reports changes "
                       "as durable before they are");
    if (surroundings->scanned > 0.0)
        properties_add(warnings, "table-scanned",
                       "the store read %.0f rows per operation without an index: an index is "
                       "missing or not used",
                       surroundings->scanned);
    host_noise_sample("", surroundings->servers, &after);
    host_noise_describe(&surroundings->before, &after, &result->host, warnings);
}
