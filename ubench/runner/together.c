/* SPDX-License-Identifier: ISC */
/* What the ranks of a run exchange before and after it. */
#include "runner/runner.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "load/ranks.h"

static uint64_t digest_text(uint64_t digest, const char *text)
{
    for (; *text != '\0'; text++)
        digest = random_at(digest, (unsigned char)*text);
    return random_at(digest, 0);
}

/* Refuses ranks with other options, which would do a different run and keep
   these waiting forever. */
static int check_alike(struct ranks *ranks, const struct result *result, struct err *err)
{
    const struct properties *const parameters = &result->parameters;
    uint64_t least = digest_text(digest_text(0, result->store), result->version);

    for (size_t i = 0; i < parameters->count; i++) {
        least = digest_text(least, parameters->items[i].key);
        least = digest_text(least, parameters->items[i].value);
    }
    uint64_t most = least;
    ranks_least(ranks, &least, 1);
    ranks_most(ranks, &most, 1);
    return least == most
               ? 0
               : err_usage(err, "the ranks differ in their version of ubench or in their options; "
                                "start the same program everywhere, with the same options");
}

int together_begin(struct ranks *ranks, struct result *result, struct err *err)
{
    struct properties host = { .count = 0 };
    struct machine own = { .ranks = 1, .first = ranks_machine(ranks) };
    struct machine *const all = result->machines;

    if (ranks_count(ranks) == 1)
        return 0;
    if (check_alike(ranks, result, err) != 0)
        return -1;
    host_describe("", &host);
    const char *const cpu = properties_find(&host, "cpu");
    (void)strncpy(own.cpu, cpu != NULL ? cpu : "unknown", sizeof own.cpu - 1);
    ranks_collect(ranks, &own, sizeof own, all);
    for (size_t i = 0; i < ranks_count(ranks); i++) {
        size_t m = 0;

        while (m < result->machine_count && all[m].first != all[i].first)
            m++;
        if (m < result->machine_count)
            all[m].ranks++;
        else
            all[result->machine_count++] = all[i];
    }
    return 0;
}

/* Returns how well this rank explains the end of the run; higher is better.  A
   rank that was only asked to stop does not know the reason. */
static int weight_of(int status, const struct err *err)
{
    if (status == EXIT_SUCCESS)
        return 0;
    if (status > 128)
        return 2; /* it received the signal itself */
    return err->kind == ERR_CANCELED ? 1 : 2 + status;
}

int together_end(struct ranks *ranks, int status, struct err *err)
{
    struct {
        int status;
        struct err err;
    } worst = { status, *err };

    ranks_share(ranks, weight_of(status, err), &worst, sizeof worst);
    if (ranks_are_lost(ranks))
        return status;
    *err = worst.err;
    return worst.status;
}
