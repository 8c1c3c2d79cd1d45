/* SPDX-License-Identifier: ISC */
#include "load/load.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/random.h"

int load_result_init(struct load_result *result, size_t phases, struct err *err)
{
    result->phases = calloc(phases, sizeof *result->phases);
    if (result->phases == NULL)
        return err_set(err, "out of memory");
    result->phase_count = phases;
    for (size_t i = 0; i < phases; i++) {
        histogram_init(&result->phases[i].operations);
        histogram_init(&result->phases[i].commits);
        result->phases[i].syncs = USAGE_UNKNOWN;
    }
    return 0;
}

void load_result_release(struct load_result *result)
{
    for (size_t i = 0; i < result->phase_count; i++) {
        series_release(&result->phases[i].series);
        free(result->phases[i].steps);
    }
    free(result->phases);
    result->phases = NULL;
    result->phase_count = 0;
}

bool load_result_begun(const struct load_result *result)
{
    return result->phase_count > 0 && result->phases[0].begun_ns != 0;
}

bool load_result_done(const struct load_result *result)
{
    for (size_t i = 0; i < result->phase_count; i++) {
        if (result->phases[i].done > 0)
            return true;
    }
    return false;
}

void load_note_reconnect(struct load_result *result,
                         const struct reconnect *reconnect)
{
    result->reconnects = reconnect != NULL;
    if (reconnect != NULL)
        result->reconnect = reconnect->tally;
}

uint64_t load_result_elapsed_ns(const struct load_result *result)
{
    uint64_t elapsed_ns = 0;

    for (size_t i = 0; i < result->phase_count; i++) {
        const uint64_t phase_ns = phase_elapsed_ns(&result->phases[i]);

        if (!result->together)
            elapsed_ns += phase_ns;
        else if (phase_ns > elapsed_ns)
            elapsed_ns = phase_ns;
    }
    return elapsed_ns;
}

uint64_t load_syncs(const struct backend *backend,
                    const struct session *session)
{
    return backend->syncs != NULL ? backend->syncs(session) : USAGE_UNKNOWN;
}

uint64_t load_digest_base(const struct load_config *config, uint64_t sequence)
{
    const uint64_t base = random_at(config->seed, sequence);

    return config->subnets > 1 ? random_at(base, config->subnets) : base;
}

static enum load_end compare(const struct backend *backend, const char *which,
                             const struct lease_counts *counted,
                             const struct lease_counts *due, const char *when,
                             struct err *err)
{
    struct lease_kind kind;

    if (lease_counts_equal(counted, due, &kind))
        return LOAD_DONE;
    (void)err_set(err,
                  "%s: wrong answer: %s the counter of %s %" PRIu32
                  " for leases in state %u says %" PRId64
                  ", where a correct store has %" PRId64,
                  backend->name, when, which, kind.subnet_id,
                  (unsigned)kind.state, lease_counts_of(counted, &kind),
                  lease_counts_of(due, &kind));
    return LOAD_WRONG;
}

enum load_end load_check_counters(const struct load_config *config,
                                  const struct backend *backend,
                                  struct session *session,
                                  const struct lease_counts *due,
                                  const char *when, struct err *err)
{
    static const struct {
        enum counters which;
        const char *name;
    } all[] = { { COUNTERS_BY_SUBNET, "subnet" },
                { COUNTERS_BY_POOL, "the pools of subnet" } };
    enum load_end end = LOAD_DONE;

    if (!config->counted || backend->read_counters == NULL)
        return LOAD_DONE;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && end == LOAD_DONE;
         i++) {
        struct lease_counts counted = { .used = 0 };

        if (backend->read_counters(session, all[i].which, &counted, err) != 0)
            end = LOAD_FAILED;
        else
            end = compare(backend, all[i].name, &counted, due, when, err);
        lease_counts_release(&counted);
    }
    return end;
}
