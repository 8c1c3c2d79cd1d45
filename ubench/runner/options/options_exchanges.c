/* SPDX-License-Identifier: ISC */
/* --batch and --trips: what they mean, and what they cannot be combined with. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "load/exchange/trips.h"
#include "load/pool/pool_plan.h"
#include "runner/options/options.h"

enum { BATCH_MAX = 1000000 };

static const uint64_t time_min_ns = 1000;
static const uint64_t time_max_ns = UINT64_C(60000000000);

/* Reads "N", "T" or "N,T"; *timed says whether there is a T.  Returns 0, or -1. */
static int scan(const char *text, struct load_config *load, bool *timed)
{
    const char *const comma = strchr(text, ',');
    char count[32];

    (void)snprintf(count, sizeof count, "%.*s", (int)strcspn(text, ","), text);
    const bool counted = units_scan_count(count, &load->batch) == 0;
    *timed = comma != NULL || !counted;
    load->batch_ns = 0;
    if (!counted)
        load->batch = BATCH_MAX;
    if (!counted && comma != NULL)
        return -1;
    return *timed ? units_scan_duration(comma != NULL ? comma + 1 : text, &load->batch_ns) : 0;
}

int options_resolve_batch(struct runner_config *config, struct err *err)
{
    struct load_config *const load = &config->load;
    const char *const text = config->batch;
    char *const resolved = config->batch_text;
    const size_t size = sizeof config->batch_text;
    bool timed;

    if (scan(text, load, &timed) != 0)
        return err_usage(err,
                         "--batch: '%s' is not a whole number, a time with a unit, or both (such "
                         "as 16, 5ms or 16,5ms)",
                         text);
    if (load->batch < 1 || load->batch > BATCH_MAX)
        return err_usage(err, "--batch: %s is outside 1..%d", text, BATCH_MAX);
    if (timed && (load->batch_ns < time_min_ns || load->batch_ns > time_max_ns))
        return err_usage(err, "--batch: %s is outside 1us..60s", text);
    if (timed && load->batch == 1)
        return err_usage(err, "--batch: %s has a time for a single change; use --batch=1", text);
    /* As it is recorded: with the same text for the same value. */
    if (!timed)
        (void)snprintf(resolved, size, "%" PRIu64, load->batch);
    else if (strchr(text, ',') == NULL)
        (void)snprintf(resolved, size, "%s", units_duration(UNITS_TEXT, load->batch_ns));
    else
        (void)snprintf(resolved, size, "%" PRIu64 ",%s", load->batch,
                       units_duration(UNITS_TEXT, load->batch_ns));
    config->batch = resolved;
    return 0;
}

/* The first exchange of a server's own work; NULL: there is none. */
static const char *find_own_work(const struct mix *mix)
{
    size_t i = 0;

    while (i < mix->count && mix->kinds[i].exchange.party != PARTY_NONE)
        i++;
    return i < mix->count ? mix->kinds[i].exchange.name : NULL;
}

/* Refuses what batches of exchanges cannot be combined with. */
static int check_exchanges(const struct runner_config *config, struct err *err)
{
    const struct load_config *const load = &config->load;
    const char *const own = find_own_work(&load->mix);
    const struct {
        bool is_given;
        const char *text;
    } others[] = {
        { load->open.hook_delay_ns > 0,
          "--hook-delay, since a thread that waits for a hook would hold up its batch; leave it "
          "out" },
        { config->store.host != NULL && strchr(config->store.host, ',') != NULL,
          "several hosts, since a node that lags is asked again one by one; name one with -m" },
        { load->counted && load->threads > 1,
          "--schema=kea+stats and several threads, as transactions would lock each other's "
          "counters; use --schema=kea" },
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].is_given)
            return err_usage(err, "--batch=%s cannot be used with %s", config->batch,
                             others[i].text);
    }
    return own == NULL
               ? 0
               : err_usage(err,
                           "--batch=%s: '%s' is a server's own work, which no client waits for; "
                           "use exchanges of clients, such as --workload=renew",
                           config->batch, own);
}

int options_check_batch(const struct options *options, const struct runner_config *config,
                        struct err *err)
{
    const struct load_config *const load = &config->load;

    if (load->batch == 1)
        return 0;
    if (options->backend->no_batch)
        return err_usage(err, "--batch: %s does not support batches; expected 1, not %s",
                         options->backend->name, config->batch);
    if (config->reconnect_ns > 0)
        return err_usage(err,
                         "--reconnect cannot be used with --batch=%s, as a lost transaction cannot "
                         "be continued; use --batch=1",
                         config->batch);
    if (config->workload->exchanges)
        return check_exchanges(config, err);
    return load->batch_ns == 0
               ? 0
               : err_usage(err,
                           "--batch: a time is for exchanges, whose clients wait for the commit; "
                           "expected a whole number, not '%s'",
                           config->batch);
}

/* --trips */

/* The first exchange of which nobody knows what belongs to which packet; NULL: there is none. */
static const char *find_without_packets(const struct mix *mix)
{
    size_t i = 0;

    while (i < mix->count && exchange_has_packets(&mix->kinds[i].exchange))
        i++;
    return i < mix->count ? mix->kinds[i].exchange.name : NULL;
}

int options_check_trips(const struct runner_config *config, struct err *err)
{
    const struct load_config *const load = &config->load;
    const struct store_config *const store = &config->store;
    const bool calls = load->trips == TRIPS_PROCEDURE;
    const struct {
        bool is_given;
        const char *text;
    } others[] = {
        { load->reservations > 0,
          "--hosts, since the address to look up depends on the reservation; leave it out" },
        { config->reconnect_ns > 0,
          "--reconnect, since the questions of a lost round trip cannot be repeated one by one; "
          "leave it out" },
        { store->host != NULL && strchr(store->host, ',') != NULL,
          "several hosts, since a node that lags is asked again one by one; name one with -m" },
        { load->pool.allocator != ALLOCATOR_NONE && !calls,
          "--allocator, since each look-up of a candidate waits for its choice; use "
          "--trips=procedure" },
        { load->pool.allocator != ALLOCATOR_NONE &&
              allocator_free_list(load->pool.allocator) == FREE_LIST_NONE,
          "an allocator in the server, which chooses one candidate after another; use "
          "--allocator=shared-flq or skip-locked" },
        { load->pool.allocator != ALLOCATOR_NONE && pool_plan_changes_leases(&load->mix),
          "--allocator and exchanges of clients that have a lease; use --workload=dora" },
        { calls && load->cache_threshold > 0,
          "--cache-threshold, since the procedures write each lease; use --trips=pipeline" },
        { calls && config->sql != NULL,
          "--sql, whose statements the procedures do not use; use --trips=pipeline" },
        { calls && store->schema == SCHEMA_LEAN,
          "--schema=lean, since the procedures are for Kea's tables; use --schema=kea" },
    };
    const char *const how = calls ? "procedure" : "pipeline";

    if (load->trips == TRIPS_SERIES)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].is_given)
            return err_usage(err, "--trips=%s cannot be used with %s", how, others[i].text);
    }
    const char *const name = find_without_packets(&load->mix);
    return name == NULL
               ? 0
               : err_usage(
                     err,
                     "--trips=%s: the exchange '%s' of a file does not say which steps belong "
                     "to one packet; use a built-in exchange, such as --workload=dora",
                     how, name);
}
