/* SPDX-License-Identifier: ISC */
#include "load/load.h"

#include <stdlib.h>

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
