/* SPDX-License-Identifier: ISC */
/* Prints a result for people: the store and its class, the figures, and what
   they mean.  ubench_report show prints everything else. */
#include "runner/result.h"

#include <inttypes.h>

#include "core/units.h"
#include "runner/text.h"

/* Above the figures */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Appends "10,000 typical leases", "200 exchanges (renew) of 50 clients with
   ...". */
static void add_load(const struct runner_config *config, struct text *text)
{
    char load[512];

    config->workload->describe(&config->load, config->workload_name, load, sizeof load);
    text_add(text, "%s", load);
    text_add(text, "%s", config->load.profile == LEASE_PROFILE_GUIDE ? "guide" : "typical");
}

/* Prints the store, the load and the schema. */
static void print_subject(const struct result *result, FILE *out)
{
    static const char *const schemas[] = {
        [SCHEMA_LEAN] = "lean (one index: the address)",
        [SCHEMA_KEA] = "kea (Kea's columns and indexes)",
        [SCHEMA_KEA_STATS] = "kea+stats (Kea's columns, indexes and counters)",
    };
    const struct runner_config *const config = result->config;
    const uint64_t threads = config->load.threads;
    const bool stores = result->durability != DURABILITY_NONE;
    const struct property *const product = &result->facts.items[0];
    char program[64];

    (void)snprintf(program, sizeof program, "%s_ubench", result->store);
    struct text text = text_begin(out, program, TEXT_PLAIN);
    text_add(&text, "%s%s%s,", product->key, stores ? " " : "", stores ? product->value : "");
    text_add(&text, "%" PRIu64 " thread%s,", threads, plural(threads));
    add_load(config, &text);
    text_add(&text, "%sleases%s", config->ipv6 ? "IPv6 " : "", stores ? "," : "");
    if (stores)
        text_add(&text, "schema %s", schemas[config->store.schema]);
    text_end(&text);
}

/* Prints the class in words, with the settings that decide it. */
static void print_class(const struct result *result, FILE *out)
{
    static const enum text_colour colours[] = {
        [DURABILITY_NONE] = TEXT_PLAIN,        [DURABILITY_VOLATILE] = TEXT_BAD,
        [DURABILITY_PROCESS_SAFE] = TEXT_FAIR, [DURABILITY_BOUNDED] = TEXT_FAIR,
        [DURABILITY_POWER_SAFE] = TEXT_GOOD,
    };
    const enum durability class = result->durability;
    const struct durability_words *const words = &durability_classes[class];
    struct text text = text_begin(out, words->name, colours[class]);

    text_add(&text, "%s", words->meaning);
    if (class != DURABILITY_NONE)
        text_add(&text, "(%s)", result->durability_from);
    text_end(&text);
}

void result_print_head(const struct result *result, FILE *out)
{
    const uint64_t threads = result->config->load.threads;
    const uint64_t at_risk = result_at_risk(result);

    if (result->config->verbose == VERBOSE_NO)
        return;
    print_subject(result, out);
    print_class(result, out);
    if (at_risk > 0) /* for every class */
        text_print(out, "at risk",
                   "up to %s leases at any moment: %" PRIu64
                   " thread%s with up to %s uncommitted changes each",
                   units_count(UNITS_TEXT, at_risk), threads, plural(threads),
                   units_count(UNITS_TEXT, at_risk / threads));
    if (result->config->load.batch > 1 && result->config->workload->exchanges)
        text_print(
            out, "batches",
            "each thread commits its exchanges together (--batch=%s), and answers each after "
            "its commit",
            result->config->batch);
    (void)fputc('\n', out);
}

/* Below the figures */

/* Prints the number and the length of the server's outages in all runs, and how
   changes of unknown outcome ended. */
static void print_outages(const struct result *result, FILE *out)
{
    struct outages sum = { 0 };

    if (!result->runs[0].reconnects)
        return;
    for (size_t i = 0; i < result->run_count; i++) {
        const struct outages *const one = &result->runs[i].reconnect;

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
    if (sum.outages == 0) {
        text_print(out, "outages", "none");
        return;
    }
    struct text text = text_begin(out, "outages", TEXT_PLAIN);
    text_add(&text, "%" PRIu64 "%s", sum.outages, sum.ended > 0 ? "," : "");
    if (sum.ended > 0)
        text_add(&text, "%s in total, the longest %s",
                 units_time(UNITS_TEXT, (double)sum.outage_ns),
                 units_time(UNITS_TEXT, (double)sum.longest_ns));
    if (sum.ended < sum.outages)
        text_add(&text, "(the last one had not ended)");
    text_add(&text,
             "and %" PRIu64 " new connections; changes of unknown outcome: "
             "%" PRIu64 ", found done %" PRIu64 ", submitted again %" PRIu64,
             sum.connections, sum.unknown, sum.found_done, sum.repeated);
    text_end(&text);
}

/* Returns the sum of the phases that search. */
static struct phase_result sum_searches(const struct load_result *run)
{
    struct phase_result sum = { .done = 0 };

    for (size_t i = 0; i < run->phase_count; i++) {
        const bool searches = run->phases[i].commits_due == 0;

        sum.done += searches * run->phases[i].done;
        sum.hits += searches * run->phases[i].hits;
    }
    return sum;
}

/* Appends how many answers were checked: the hits of searches, or all
   operations. */
static void add_answers(const struct result *result, const struct load_result *run,
                        struct text *text)
{
    const struct workload *const workload = result->config->workload;
    const bool counts_searches = workload->reads && !workload->exchanges;
    const struct phase_result searches =
        counts_searches ? sum_searches(run) : (struct phase_result){ .done = 0 };

    if (searches.done > 0)
        text_add(text, "every answer correct: %s of %s searches hit%s,",
                 units_count(UNITS_TEXT, searches.hits), units_count(UNITS_TEXT, searches.done),
                 searches.hits < searches.done ? " (the others were meant to miss)" : "");
    else
        text_add(text, "every answer of %s operations correct,",
                 units_count(UNITS_TEXT, workload->exchanges ? run_store_operations(run)
                                                             : run_operations(run)));
    if (!run->complete) {
        text_add(text, "then the run ended early");
        return;
    }
    if (run->read_back < run->read_back_of)
        text_add(text, "%s of %s leases read back,", units_count(UNITS_TEXT, run->read_back),
                 units_count(UNITS_TEXT, run->read_back_of));
    else if (run->read_back > 0)
        text_add(text, "all %s leases read back,", units_count(UNITS_TEXT, run->read_back));
    if (result->config->load.pool.allocator != ALLOCATOR_NONE)
        text_add(text, "no address given to two clients,");
    text_add(text, "%s leases left%s", units_count(UNITS_TEXT, run->left),
             workload->exchanges || result->config->load.preload > 0 ? " over" : "");
}

static void print_verified(const struct result *result, FILE *out)
{
    const size_t complete = result_complete_runs(result);
    /* If no run is complete, the one that was cut short. */
    const struct load_result *const last = &result->runs[complete > 0 ? complete - 1 : 0];
    struct text text = text_begin(out, "verified", TEXT_PLAIN);

    if (last->verified)
        add_answers(result, last, &text);
    else
        text_add(&text, "nothing: this store keeps no leases");
    text_end(&text);
    text_print(out, "digest", "%016" PRIx64 ": the same on every store that ran these operations",
               last->digest);
}

/* Prints the scope of the figures, where they were measured, and how to print
   more. */
static void print_origin(const struct result *result, FILE *out)
{
    const struct runner_config *const config = result->config;
    const char *const cpu = properties_find(&result->host, "cpu");
    const char *const cores = properties_find(&result->host, "cores");

    if (result->durability != DURABILITY_NONE && config->load.server_time_ns == 0)
        text_print(out, "scope", "the store alone: no DHCP server, no packets");
    struct text text = text_begin(out, "measured by", TEXT_PLAIN);
    text_add(&text, "%s_ubench %s", result->store, result->version);
    if (cpu != NULL && cores != NULL)
        text_add(&text, "on %s, cores: %s", cpu, cores);
    text_end(&text);
    if (config->verbose == VERBOSE_FULL && config->output != NULL)
        text_print(out, "more", "ubench_report show %s prints everything", config->output);
    else
        text_print(out, "more", "add -O FILE, then ubench_report show FILE prints everything");
}

static void print_figures(const struct result *result, FILE *out)
{
    const uint64_t repeat = result->config->repeat;
    const size_t complete = result_complete_runs(result);

    if (result->runs[0].open == NULL) {
        text_print_closed(result, out);
        return;
    }
    for (size_t i = 0; i < result->run_count; i++) {
        if (repeat > 1)
            (void)fprintf(out, "%srun %zu of %" PRIu64 "\n", i > 0 ? "\n" : "", i + 1, repeat);
        text_print_open(result, &result->runs[i], out);
    }
    if (complete < repeat)
        text_print(out, "incomplete", "%zu of %" PRIu64 " runs are complete", complete, repeat);
}

void result_print(const struct result *result, FILE *out)
{
    const bool usual = result->config->verbose != VERBOSE_NO;
    const uint64_t server_ns = result->config->load.server_time_ns;

    print_figures(result, out);
    (void)fputc('\n', out);
    if (server_ns > 0)
        text_print(out, "server time",
                   "each exchange also used %s of processor time, as a DHCP server would: the "
                   "rates are not those of the store alone",
                   units_duration(UNITS_TEXT, server_ns));
    print_outages(result, out);
    for (size_t i = 0; i < result->warnings.count; i++) {
        struct text text = text_begin(out, "WARNING", TEXT_BAD);

        text_add(&text, "%s", result->warnings.items[i].value);
        text_end(&text);
    }
    print_verified(result, out);
    if (usual && result->node_loss != NODE_LOSS_NO_SERVER)
        text_print(out, "node loss", "%s", node_losses[result->node_loss].meaning);
    if (usual)
        print_origin(result, out);
}
