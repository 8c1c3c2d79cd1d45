/* SPDX-License-Identifier: ISC */
#include "programs/runner.h"

#include <libgen.h>
#include <limits.h>

#include "core/clock.h"
#include "load/phases.h"

/* store/null.c under another name: what the harness costs, in every runner. */
extern const struct backend null_backend;

/* What the null store needs per operation with the same leases and the same
   recording; 0 if it could not be run. */
static double measure_harness_ns(const struct load_config *like)
{
    struct load_config config = *like;
    struct load_result result = { 0 };
    struct err err = { 0 };
    struct session *session = NULL;
    const struct load_context context = {
        .backend = &null_backend,
        .sessions = &session,
        .progress = progress_new(),
    };
    double ns = 0;

    config.count = 20000;
    config.preload = 0;
    config.threads = 1;
    config.part = 0;
    config.parts = 0;
    config.batch = 1;
    config.hit_ratio = 0.9;
    config.search_by = LOOKUP_ADDRESS;
    config.pace_per_s = 0;
    if (context.progress != NULL)
        session = null_backend.session_open(NULL, &err);
    if (session != NULL &&
        phases_run(&config, &context, &result, &err) == LOAD_DONE)
        ns = (double)load_result_elapsed_ns(&result) /
             (double)(config.count * PHASE_COUNT);
    null_backend.session_close(session);
    load_result_release(&result);
    progress_free(context.progress);
    return ns;
}

/* The median of empty round trips in nanoseconds; 0 if there are none. */
static double measure_round_trip_ns(const struct backend *backend,
                                    struct session *session)
{
    enum { TIMES = 101 };
    struct histogram histogram;
    struct err err = { 0 };

    if (backend->ping == NULL)
        return 0;
    histogram_init(&histogram);
    for (int i = 0; i < TIMES; i++) {
        const uint64_t begun_ns = clock_now_ns();

        if (backend->ping(session, &err) != 0)
            return 0;
        histogram_record(&histogram, clock_now_ns() - begun_ns);
    }
    return histogram_quantile(&histogram, 0.5);
}

/* Leaves zeroes where the folder is not ours to write in, as a server's. */
static void measure_sync(struct provenance *provenance, const char *path,
                         struct record_baselines *baselines)
{
    enum { RECORD_BYTES = 250 }; /* of a typical lease in a lease file */
    char folder[PATH_MAX];
    struct err err = { 0 };

    (void)snprintf(folder, sizeof folder, "%s", path);
    if (path[0] == '\0' || baselines_fdatasync(dirname(folder), RECORD_BYTES,
                                               &provenance->sync, &err) != 0)
        return;
    baselines->fdatasync_ns = (double)provenance->sync.append.median_ns;
    const uint64_t append_ns = provenance->sync.append.min_ns;
    const uint64_t overwrite_ns = provenance->sync.overwrite.min_ns;
    baselines->fdatasync_min_ns =
        (double)(append_ns < overwrite_ns ? append_ns : overwrite_ns);
}

void provenance_begin(struct provenance *provenance,
                      const struct backend *backend, const struct store *store,
                      struct session *session, const struct load_config *load,
                      struct arena *memory, struct record *record)
{
    struct record_baselines *const baselines = &record->baselines;
    char path[PATH_MAX] = "";

    *provenance = (struct provenance){ .servers = backend->server_processes };
    /* Other parts of the run on this machine are no other work. */
    if (load->part > 0)
        provenance->servers = arena_print(
            memory, "%s %s ",
            backend->server_processes != NULL ? backend->server_processes : "",
            record->program);
    host_describe("", &provenance->host);
    if (backend->data_path != NULL)
        backend->data_path(store, path, sizeof path);
    if (path[0] != '\0')
        host_describe_path("", path, &provenance->host);
    record->host = record_copy_properties(memory, &provenance->host);
    baselines->clock_ns = baselines_clock_ns();
    measure_sync(provenance, path, baselines);
    baselines->round_trip_ns = measure_round_trip_ns(backend, session);
    baselines->harness_ns = measure_harness_ns(load);
    host_noise_sample("", provenance->servers, &provenance->before);
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

void provenance_note_run(struct provenance *provenance,
                         const struct load_config *load,
                         const struct load_result *run)
{
    provenance->too_fast =
        provenance->too_fast ||
        run_too_fast(run, load->batch * load->threads, &provenance->sync);
}

static const char *add_warning(struct arena *memory, const char *warning,
                               const char *text)
{
    return text == NULL ? warning
                        : arena_print(memory, "%s%s%s", warning,
                                      warning[0] != '\0' ? "; " : "", text);
}

void provenance_end(struct provenance *provenance, struct arena *memory,
                    struct record *record)
{
    const char *const not_durable =
        "more changes per second than the disk can sync: something is not as "
        "durable as it says";
    const bool too_fast =
        provenance->too_fast && record->durability == DURABILITY_POWER_SAFE;
    struct host_noise after;
    char text[HOST_WARNING_SIZE];
    const char *warning = "";

    host_noise_sample("", provenance->servers, &after);
    host_noise_describe(&provenance->before, &after, &provenance->host);
    record->host = record_copy_properties(memory, &provenance->host);
    warning = add_warning(memory, warning, too_fast ? not_durable : NULL);
    warning =
        add_warning(memory, warning, host_clock_warning(&provenance->host));
    warning = add_warning(
        memory, warning,
        host_noise_warning(&provenance->before, &after, text, sizeof text));
    record->warning = record_copy_text(memory, warning);
}
