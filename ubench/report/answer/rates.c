/* SPDX-License-Identifier: ISC */
#include "report/answer/rates.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "record/server.h"

/* The phase of the guide that does what a step asks for; NULL if none does. */
static const char *phase_of(enum step_action action)
{
    switch (action) {
    case STEP_FIND_CLIENT_ID:
    case STEP_FIND_HWADDR:
    case STEP_FIND_DUID:
    case STEP_FIND_IN_SUBNET:
    case STEP_FIND_ADDRESS:
    case STEP_CHECK_CANDIDATES:
        return "search";
    case STEP_CREATE:
        return "create";
    case STEP_RENEW:
    case STEP_RELEASE:
    case STEP_DECLINE:
        return "update";
    case STEP_REMOVE:
        return "delete";
    case STEP_LIST_EXPIRED:
    case STEP_RECLAIM:
    case STEP_PURGE:
    case STEP_FIND_RESERVATION:
    case STEP_END:
        break;
    }
    return NULL;
}

static double estimate(const struct record_run *run,
                       const struct exchange *exchange)
{
    double time_s = 0;

    for (const struct step *step = exchange->steps; step->action != STEP_END;
         step++) {
        if (step->action == STEP_FIND_RESERVATION)
            continue;
        const char *const name = phase_of(step->action);
        const struct record_phase *const phase =
            name != NULL ? record_run_phase(run, name) : NULL;

        if (phase == NULL || !(record_phase_rate(phase) > 0))
            return NAN;
        time_s += 1 / record_phase_rate(phase);
    }
    return 1 / time_s;
}

/* How a run tells the rate of an exchange, if it does. */
static enum rate_kind kind_of_run(const struct record_run *run,
                                  const struct exchange *exchange)
{
    const bool measured = record_run_phase(run, exchange->name) != NULL;

    if (run->open != NULL)
        return measured && run->phase_count == 1 && run->sustained_per_s > 0
                   ? RATE_SUSTAINED
                   : RATE_UNKNOWN;
    if (!measured)
        return RATE_ESTIMATED;
    return run->phase_count > 1 && run->together ? RATE_UNKNOWN : RATE_ALONE;
}

double rate_of_run(const struct record_run *run,
                   const struct exchange *exchange, enum rate_kind kind)
{
    if (kind_of_run(run, exchange) != kind || kind == RATE_UNKNOWN)
        return NAN;
    if (kind == RATE_SUSTAINED)
        return run->sustained_per_s;
    if (kind == RATE_ESTIMATED)
        return estimate(run, exchange);
    return record_phase_rate(record_run_phase(run, exchange->name));
}

/* "2 searches + 1 update": what an estimate is made of. */
static const char *name_steps(struct arena *memory,
                              const struct exchange *exchange)
{
    static const struct {
        const char *phase;
        const char *one;
        const char *many;
    } kinds[] = { { "search", "search", "searches" },
                  { "create", "create", "creates" },
                  { "update", "update", "updates" },
                  { "delete", "delete", "deletes" } };
    const char *text = "";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t count = 0;

        for (const struct step *step = exchange->steps;
             step->action != STEP_END; step++) {
            const char *const name = phase_of(step->action);
            count += name != NULL && strcmp(name, kinds[i].phase) == 0;
        }
        if (count > 0)
            text = arena_join(memory, text, " + ", "%zu %s", count,
                              count == 1 ? kinds[i].one : kinds[i].many);
    }
    return text;
}

static const char *source_of(struct arena *memory,
                             const struct exchange *exchange,
                             enum rate_kind kind)
{
    return kind == RATE_ESTIMATED ? name_steps(memory, exchange)
           : kind == RATE_SUSTAINED
               ? arena_print(memory, "%s, sustained", exchange->name)
               : exchange->name;
}

static bool is_in_groups(const struct record *record)
{
    return record_parameter_count(record, "batch", 1) != 1;
}

/* Leases in the store when the last operation was done. */
static uint64_t leases_of(const struct group_run *of)
{
    static const char *const makers[] = { "create", "dora", "sarr" };
    const struct record_server *const server = of->record->server;
    uint64_t leases = record_parameter_count(of->record, "preload", 0);

    if (server != NULL) {
        const struct record_server_trial *const best =
            record_server_best(server);

        /* The store is emptied before each trial. */
        if (best != NULL)
            return best->stored != RECORD_UNKNOWN ? best->stored
                                                  : best->granted;
    }
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        const struct record_phase *const phase =
            record_run_phase(of->run, makers[i]);

        leases += phase != NULL ? phase->operations : 0;
    }
    return leases;
}

/* A server's work beside the store's: the rate is not the store's. */
static bool has_server_time(const struct record *record)
{
    return record_parameter(record, "server-time")[0] != '\0';
}

static bool tells(const struct group_run *of, const struct exchange *exchange,
                  enum rate_kind kind)
{
    return !is_in_groups(of->record) && !has_server_time(of->record) &&
           rate_of_run(of->run, exchange, kind) > 0;
}

/* The rate of a group for an exchange; its kind is RATE_UNKNOWN if no run
   tells. */
static struct rate gather(struct arena *memory, const struct group *group,
                          const struct exchange *exchange, enum rate_kind kind)
{
    struct sample *const sample = arena_alloc(memory, 1, sizeof *sample);
    struct rate rate = { .kind = RATE_UNKNOWN, .sample = sample };

    sample->count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const struct group_run *const of = &group->runs[i];

        if (tells(of, exchange, kind) && leases_of(of) > rate.leases)
            rate.leases = leases_of(of);
    }
    for (size_t i = 0; i < group->run_count; i++) {
        const struct group_run *const of = &group->runs[i];
        const uint64_t operations = of->run->phases[0].operations;
        const double per_s = rate_of_run(of->run, exchange, kind);
        const bool fewer = rate.leases > 0 && 2 * leases_of(of) <= rate.leases;

        if (!tells(of, exchange, kind) || fewer ||
            !sample_add(sample, of->record, per_s))
            continue;
        rate.least = rate.runs == 0 ? per_s : fmin(rate.least, per_s);
        rate.operations =
            rate.runs++ == 0 || rate.operations == operations ? operations : 0;
    }
    if (rate.runs == 0)
        return rate;
    rate.kind = kind;
    rate.source = source_of(memory, exchange, kind);
    rate.per_s = sample_median(sample);
    return rate;
}

static const struct exchange *find_exchange(const char *name, bool v6)
{
    struct mix mix = { 0 };
    struct err err = { 0 };
    const int status =
        mix_parse(name, v6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4, &mix, &err);

    assert(status == 0 && mix.count == 1);
    (void)status;
    return mix.kinds[0].exchange;
}

static const char *why_unknown(struct arena *memory, const struct group *group,
                               const struct exchange *exchange)
{
    if (is_in_groups(group->records[0]))
        return "a server commits each lease by itself";
    if (group->run_count == 0)
        return "no run is complete";
    if (has_server_time(group->runs[0].record))
        return "a server's time is in its rates";
    if (group->runs[0].run->open != NULL)
        return "an open loop, no rate confirmed";
    if (group->runs[0].run->together)
        return "in a mix the share of each exchange is given";
    return arena_print(memory, "no %s, nor its steps", exchange->name);
}

struct rate rate_of_group(struct arena *memory, const struct group *group,
                          const char *const *exchanges, size_t count)
{
    const bool v6 = record_is_v6(group->records[0]);
    struct rate rate = { .kind = RATE_UNKNOWN };

    for (int kind = RATE_ALONE; kind < RATE_UNKNOWN; kind++) {
        for (size_t i = 0; i < count; i++) {
            rate = gather(memory, group, find_exchange(exchanges[i], v6),
                          (enum rate_kind)kind);
            if (rate.kind != RATE_UNKNOWN)
                return rate;
        }
    }
    rate.source = why_unknown(memory, group, find_exchange(exchanges[0], v6));
    return rate;
}
