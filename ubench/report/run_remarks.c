/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/fold.h"
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
    struct fold fold = fold_begin("cost", out);

    fold_add(&fold,
             "per %s, client only: %s user, %s system, %.3f + %.3f context "
             "switches%s",
             record_is_of_exchanges(record) ? "exchange" : "operation",
             units_time(UNITS_TEXT, (double)total.user_ns * each),
             units_time(UNITS_TEXT, (double)total.system_ns * each),
             (double)total.voluntary_switches * each,
             (double)total.involuntary_switches * each,
             total.fdatasyncs > 0 ? "," : "");
    if (total.fdatasyncs > 0)
        fold_add(&fold, "%.3f fdatasyncs", (double)total.fdatasyncs * each);
    fold_end(&fold);
}

/* What there was to get wrong: the hits of the phases of 2012, all operations
   of others. */
static void add_answers(const struct record *record,
                        const struct record_run *run, struct fold *fold)
{
    if (record_is_of_2012(record) && run->phases[1].operations > 0)
        fold_add(fold, "every answer right: %s of %s searches hit,",
                 units_count(UNITS_TEXT, known(run->phases[1].hits)),
                 units_count(UNITS_TEXT, run->phases[1].operations));
    else
        fold_add(fold, "every answer of %s operations right,",
                 units_count(UNITS_TEXT, record_is_of_exchanges(record)
                                             ? record_run_steps(run)
                                             : record_run_operations(run)));
    if (run->incomplete)
        fold_add(fold, "then it ended early");
    else
        fold_add(fold, "%s leases left%s",
                 units_count(UNITS_TEXT, known(run->leases_left)),
                 record_is_of_exchanges(record) ? " over" : "");
}

static void print_verified(const struct record *record, FILE *out)
{
    const struct record_run *const last = last_run(record);
    struct fold fold;

    if (last->digest[0] == '\0') /* figures of others */
        return;
    fold = fold_begin("verified", out);
    if (last->verified)
        add_answers(record, last, &fold);
    else
        fold_add(&fold, "nothing: this store keeps no leases");
    fold_end(&fold);
    fold_print(out, "digest", "%s: the same on every store that did this work",
               last->digest);
}

/* A warning, as it begins, and what it means to the figures. */
struct doubt {
    const char *begin;
    const char *meaning;
};

static const struct doubt doubts[] = {
    { "the hypervisor took away ", ": rates too low" },
    { "other work used ", ": rates too low" },
    { "the load was ", ": rates may be low" },
    { "the control group's CPU limit ", ": it sets the rates" },
    { "more changes per second ", "" },
    { "the clocksource ", "" },
    { NULL, "" }, /* of others */
};

static const struct doubt *find_doubt(const char *text)
{
    const struct doubt *doubt = doubts;

    while (doubt->begin != NULL &&
           strncmp(text, doubt->begin, strlen(doubt->begin)) != 0)
        doubt++;
    return doubt;
}

/* Where the next warning in the text begins, behind "; "; NULL: there is none.
 */
static const char *next_warning(const char *text)
{
    while ((text = strstr(text, "; ")) != NULL) {
        text += 2;
        if (find_doubt(text)->begin != NULL)
            return text;
    }
    return NULL;
}

static void print_warnings(const struct record *record, FILE *out)
{
    const char *text = record->warning;

    while (text != NULL && text[0] != '\0') {
        const char *const next = next_warning(text);
        const size_t length =
            next != NULL ? (size_t)(next - text) - 2 : strlen(text);

        struct fold fold = fold_begin_in(FOLD_BAD, "WARNING", out);

        fold_add(&fold, "%.*s%s", (int)length, text, find_doubt(text)->meaning);
        fold_end(&fold);
        text = next;
    }
}

/* Of all runs together. */
static struct outages add_reconnects(const struct record *record)
{
    struct outages sum = { 0 };

    for (size_t i = 0; i < record->run_count; i++) {
        const struct outages *const one = record->runs[i].reconnect;

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
    const struct outages sum = add_reconnects(record);
    struct fold fold;

    if (record->runs[0].reconnect == NULL)
        return;
    if (sum.outages == 0) {
        fold_print(out, "outages", "none");
        return;
    }
    fold = fold_begin("outages", out);
    fold_add(&fold, "%" PRIu64 "%s", sum.outages, sum.ended > 0 ? "," : "");
    if (sum.ended > 0)
        fold_add(&fold, "%s in all%s",
                 units_time(UNITS_TEXT, (double)sum.outage_ns),
                 sum.ended > 1 ? "," : "");
    if (sum.ended > 1)
        fold_add(&fold, "%s the longest",
                 units_time(UNITS_TEXT, (double)sum.longest_ns));
    if (sum.ended < sum.outages)
        fold_add(&fold, "(the last one without an end)");
    fold_add(&fold,
             "and %" PRIu64 " new connections; changes of unknown outcome: "
             "%" PRIu64 ", found done %" PRIu64 ", submitted again %" PRIu64,
             sum.connections, sum.unknown, sum.found_done, sum.repeated);
    fold_end(&fold);
}

/* Of a server: what its class does not say. */
static void print_node_loss(const struct record *record, FILE *out)
{
    static const struct {
        const char *survived;
        const char *text;
    } all[] = {
        { "yes", "survived: another node has each acknowledged change" },
        { "no", "not survived: no other node has to have the changes" },
        { "unknown", "not known: nodes came or went, or are not shown" },
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(record->node_loss, all[i].survived) == 0)
            fold_print(out, "node loss", "%s", all[i].text);
    }
}

/* A server's work beside the store's, which the rates are of, too. */
static void print_server_time(const struct record *record, FILE *out)
{
    const char *const server_time = record_parameter(record, "server-time");

    if (server_time[0] != '\0')
        fold_print(out, "server time",
                   "%s of processor time beside each exchange, as a DHCP "
                   "server takes: the rates are not the store's",
                   server_time);
}

void run_remarks_print(const struct record *record, enum run_text_detail detail,
                       FILE *out)
{
    if (record->runs[0].open == NULL && detail == RUN_TEXT_FULL)
        print_cost(record, out);
    print_server_time(record, out);
    print_outages(record, out);
    print_warnings(record, out);
    print_verified(record, out);
    if (detail != RUN_TEXT_RESULTS)
        print_node_loss(record, out);
}
