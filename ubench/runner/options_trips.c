/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "load/exchange/trips.h"
#include "runner/options.h"

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
