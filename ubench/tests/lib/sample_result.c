/* SPDX-License-Identifier: ISC */
#include "tests/lib/sample_result.h"

#include <stdlib.h>

#include "programs/runner.h"

#define S UINT64_C(1000000000)

static void fill_run(struct sample_result *result, size_t run)
{
    static const char *const names[] = { "create", "search", "update",
                                         "delete" };
    struct load_result *const phases = &result->runs[run];
    struct err err;

    if (load_result_init(phases, PHASE_COUNT, &err) != 0)
        abort();
    phases->verified = true;
    phases->digest = UINT64_C(0x0123456789abcdef);
    for (int i = 0; i < PHASE_COUNT; i++) {
        struct phase_result *const phase = &phases->phases[i];

        phase->name = names[i];
        phase->planned = SAMPLE_COUNT;
        phase->done = SAMPLE_COUNT;
        phase->misses = i == PHASE_SEARCH ? SAMPLE_COUNT / 10 : 0;
        phase->hits = phase->done - phase->misses;
        phase->usage = (struct usage){
            .user_ns = SAMPLE_COUNT * UINT64_C(1000),
            .system_ns = SAMPLE_COUNT * UINT64_C(500),
            .voluntary_switches = SAMPLE_COUNT,
            .written_bytes = 4096,
            .disk_bytes = USAGE_UNKNOWN,
            .max_rss_bytes = 1 << 20,
        };
        sample_result_time(result, run, (enum phase_name)i,
                           10 + 10 * (uint64_t)i, ((run + 1) * S) << i);
    }
}

struct sample_result *sample_result_new(size_t runs)
{
    struct sample_result *const result = calloc(1, sizeof *result);

    if (result == NULL)
        return NULL;
    result->runs = calloc(runs, sizeof *result->runs);
    if (result->runs == NULL) {
        free(result);
        return NULL;
    }
    result->store = "sample";
    result->durability = DURABILITY_BOUNDED;
    result->durability_from = "sync=off (read back)";
    result->node_loss = "";
    result->warning = "";
    result->error = "";
    result->repeat = runs;
    result->run_count = runs;
    properties_add(&result->parameters, "count", "1000000");
    properties_add(&result->parameters, "lease", "typical");
    properties_add(&result->parameters, "schema", "lean");
    properties_add(&result->parameters, "seed", "7");
    if (runs > 1)
        properties_add(&result->parameters, "repeat", "%zu", runs);
    properties_add(&result->facts, "Sample", "9.8.7");
    properties_add(&result->facts, "sync", "off");
    for (size_t i = 0; i < runs; i++)
        fill_run(result, i);
    return result;
}

void sample_result_free(struct sample_result *result)
{
    if (result == NULL)
        return;
    for (size_t i = 0; i < result->run_count; i++)
        load_result_release(&result->runs[i]);
    free(result->runs);
    free(result);
}

void sample_result_time(struct sample_result *result, size_t run,
                        enum phase_name phase, uint64_t begun_s,
                        uint64_t elapsed_ns)
{
    struct phase_result *const to = &result->runs[run].phases[phase];

    to->begun_ns = begun_s * S;
    to->ended_ns = to->begun_ns + elapsed_ns;
}

void sample_result_interrupt(struct sample_result *result)
{
    struct phase_result *const phases =
        result->runs[result->run_count - 1].phases;
    struct phase_result *const update = &phases[PHASE_UPDATE];
    struct phase_result *const delete = &phases[PHASE_DELETE];

    result->end = LOAD_INTERRUPTED;
    update->done = SAMPLE_COUNT / 4;
    update->hits = update->done;
    update->ended_ns = update->begun_ns + S;
    delete->done = 0;
    delete->hits = 0;
    delete->begun_ns = 0;
    delete->ended_ns = 0;
}

void sample_result_add_latency(struct sample_result *result)
{
    static const struct {
        uint64_t ns;
        unsigned times;
    } values[] = { { 100, 99000 }, { 200, 990 }, { 250, 9 }, { 1500000, 1 } };

    properties_add(&result->parameters, "latency", "on");
    for (size_t run = 0; run < result->run_count; run++) {
        for (int i = 0; i < PHASE_COUNT; i++) {
            struct histogram *const operations =
                &result->runs[run].phases[i].operations;

            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                for (unsigned k = 0; k < values[v].times; k++)
                    histogram_record(operations, values[v].ns);
            }
        }
    }
}

struct record sample_result_record(const struct sample_result *result,
                                   struct arena *memory)
{
    struct record_run *const runs =
        arena_alloc(memory, result->run_count, sizeof *runs);
    size_t complete = 0;

    for (size_t i = 0; i < result->run_count; i++) {
        const bool whole =
            i + 1 < result->run_count || result->end == LOAD_DONE;

        runs[i] = run_record_make(memory, &result->runs[i], whole);
        complete += whole;
    }
    return (struct record){
        .program = "sample_ubench",
        .version = "1.2.3 (abc)",
        .store = result->store,
        .started_at = "2026-01-02T03:04:05Z",
        .incomplete = complete < result->repeat,
        .error = record_copy_text(memory, result->error),
        .warning = result->warning,
        .published = "",
        .durability_known = true,
        .durability = result->durability,
        .durability_from = result->durability_from,
        .node_loss = result->node_loss,
        .parameters = record_copy_properties(memory, &result->parameters),
        .facts = record_copy_properties(memory, &result->facts),
        .host = record_copy_properties(memory, &result->host),
        .labels = record_copy_properties(memory, &result->labels),
        .baselines = result->baselines,
        .run_count = result->run_count,
        .runs = runs,
    };
}
