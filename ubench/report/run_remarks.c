/* SPDX-License-Identifier: ISC */
#include <inttypes.h>

#include "core/units.h"
#include "report/run_text_parts.h"

/* The last run that is complete; the one that was cut short if none is. */
static const struct record_run *last_run(const struct record *record)
{
    const size_t complete = record_complete_runs(record);

    return &record->runs[complete > 0 ? complete - 1 : 0];
}

static uint64_t known(uint64_t count)
{
    return count != RECORD_UNKNOWN ? count : 0;
}

/* What all phases cost; those that ran together have one bill. */
static struct usage add_usage(const struct record_run *run)
{
    const size_t bills = run->together ? 1 : run->phase_count;
    struct usage total = { 0 };

    for (size_t i = 0; i < bills; i++) {
        const struct usage *const usage = &run->phases[i].usage;

        total.user_ns += known(usage->user_ns);
        total.system_ns += known(usage->system_ns);
        total.voluntary_switches += known(usage->voluntary_switches);
        total.involuntary_switches += known(usage->involuntary_switches);
        total.fdatasyncs += known(usage->fdatasyncs);
    }
    return total;
}

static void print_cost(const struct record *record, FILE *out)
{
    const struct record_run *const last = last_run(record);
    const struct usage total = add_usage(last);
    const uint64_t operations = record_run_operations(last);

    if (operations == 0 || last->phases[0].usage.user_ns == RECORD_UNKNOWN)
        return;
    const double each = 1 / (double)operations;
    (void)fprintf(out,
                  "%-*s  per %s, client only: %.3f us user, %.3f us "
                  "system, %.3f + %.3f context switches",
                  RUN_TEXT_LABEL, "cost",
                  record_is_of_exchanges(record) ? "exchange" : "operation",
                  (double)total.user_ns * each / 1e3,
                  (double)total.system_ns * each / 1e3,
                  (double)total.voluntary_switches * each,
                  (double)total.involuntary_switches * each);
    if (total.fdatasyncs > 0)
        (void)fprintf(out, ", %.3f fdatasyncs",
                      (double)total.fdatasyncs * each);
    (void)fputc('\n', out);
}

/* The phases of 2012: what was created, found and left. */
static void print_phases_verified(const struct record_run *run, FILE *out)
{
    char created[UNITS_TEXT_SIZE];
    char hits[UNITS_TEXT_SIZE];
    char searches[UNITS_TEXT_SIZE];

    (void)fprintf(out, "%s created, %s of %s searches hit as they should, ",
                  units_count(created, known(run->phases[0].hits)),
                  units_count(hits, known(run->phases[1].hits)),
                  units_count(searches, run->phases[1].operations));
}

static void print_verified(const struct record *record, FILE *out)
{
    const bool exchanges = record_is_of_exchanges(record);
    const struct record_run *const last = last_run(record);
    char text[UNITS_TEXT_SIZE];

    if (last->digest[0] == '\0') /* figures of others */
        return;
    (void)fprintf(out, "%-*s  ", RUN_TEXT_LABEL, "verified");
    if (!last->verified)
        (void)fprintf(out, "nothing: this store keeps no leases; ");
    else if (record_is_of_2012(record))
        print_phases_verified(last, out);
    else
        (void)fprintf(out, "each answer of %s operations was right, ",
                      units_count(text, exchanges
                                            ? record_run_steps(last)
                                            : record_run_operations(last)));
    if (last->verified && !last->incomplete)
        (void)fprintf(out, "%s left%s; ",
                      units_count(text, known(last->leases_left)),
                      exchanges ? " over" : "");
    else if (last->verified)
        (void)fprintf(out, "then it ended early; ");
    (void)fprintf(out, "digest %s\n", last->digest);
}

/* Of all runs together. */
static struct record_reconnect add_reconnects(const struct record *record)
{
    struct record_reconnect sum = { 0 };

    for (size_t i = 0; i < record->run_count; i++) {
        const struct record_reconnect *const one = record->runs[i].reconnect;

        if (one == NULL)
            continue;
        sum.outages += one->outages;
        sum.ended += one->ended;
        sum.outage_ns += one->outage_ns;
        sum.connections += one->connections;
        sum.unknown += one->unknown;
        sum.found_done += one->found_done;
        sum.repeated += one->repeated;
        if (one->longest_ns > sum.longest_ns)
            sum.longest_ns = one->longest_ns;
    }
    return sum;
}

/* How often the server went away, for how long, and what was in flight. */
static void print_outages(const struct record *record, FILE *out)
{
    const struct record_reconnect sum = add_reconnects(record);
    char text[UNITS_TEXT_SIZE];

    if (record->runs[0].reconnect == NULL)
        return;
    (void)fprintf(out, "%-*s  ", RUN_TEXT_LABEL, "outages");
    if (sum.outages == 0) {
        (void)fprintf(out, "none\n");
        return;
    }
    (void)fprintf(out, "%" PRIu64, sum.outages);
    if (sum.ended > 0)
        (void)fprintf(out, ", %s in all",
                      units_time(text, (double)sum.outage_ns));
    if (sum.ended > 1)
        (void)fprintf(out, ", %s the longest",
                      units_time(text, (double)sum.longest_ns));
    if (sum.ended < sum.outages)
        (void)fprintf(out, ", the last one without an end");
    (void)fprintf(out,
                  "; %" PRIu64 " new connections; changes of unknown outcome: "
                  "%" PRIu64 ", found done %" PRIu64
                  ", submitted again %" PRIu64 "\n",
                  sum.connections, sum.unknown, sum.found_done, sum.repeated);
}

void run_remarks_print(const struct record *record, FILE *out)
{
    if (record->runs[0].open == NULL)
        print_cost(record, out);
    print_outages(record, out);
    if (record->warning[0] != '\0')
        (void)fprintf(out, "%-*s  %s\n", RUN_TEXT_LABEL, "WARNING",
                      record->warning);
    print_verified(record, out);
}
