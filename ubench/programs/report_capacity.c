/* SPDX-License-Identifier: ISC */
/* ubench_report capacity: leases per second, and the clients they serve. */
#include <inttypes.h>

#include "core/units.h"
#include "programs/report.h"
#include "report/capacity.h"

#define CONFIG struct report_config
#define SECOND UINT64_C(1000000000)
/* That of units_scan_duration. */
#define DAY      (24 * 3600 * SECOND)
#define HALF     0.5 /* T1 of RFC 2131, 4.4.5 */
#define TIME_MAX (UINT64_C(52) * 24 * 3600 * SECOND)

static const struct opt capacity_opts[] = {
    { OPT_DURATION(CONFIG, site.lease_time_ns), .name = "lease-time",
      .arg = "TIME", .fallback = "24h", .min = SECOND, .max = TIME_MAX,
      .group = "The site", .help = "how long a lease is valid" },
    { OPT_SHARE(CONFIG, site.renew_at), .name = "renew-at", .arg = "SHARE",
      .fallback = "0.5", .help = "part of it after which a client renews" },
    { OPT_DURATION(CONFIG, site.within_ns), .name = "within", .arg = "TIME",
      .min = SECOND, .max = TIME_MAX,
      .help = "instead of these: each client comes once, new, in that time" },
    { OPT_COUNT(CONFIG, site.clients), .name = "clients", .arg = "N", .min = 1,
      .max = UINT64_C(1000000000000),
      .help = "how many there are: what rate do they need?" },
    { OPT_RATE(CONFIG, site.rate), .name = "rate", .arg = "R",
      .max = UINT64_C(1000000000),
      .help = "leases per second: how many clients do they serve?" },
    { OPT_RATE(CONFIG, site.headroom), .name = "headroom", .arg = "FACTOR",
      .fallback = "2", .max = 1000000, .group = "Of results",
      .help = "a store is to do so many times what its clients need" },
    REPORT_OPT_FORMAT,
    REPORT_OPT_HELP
};

static int check_site(struct report_config *config, int file_count,
                      char **files, struct err *err)
{
    (void)files;
    if (config->site.within_ns > 0 &&
        (config->site.lease_time_ns != DAY || config->site.renew_at != HALF))
        return err_set_class(err, ERR_USAGE,
                             "--within: takes the place of --lease-time and "
                             "--renew-at: name it or them");
    if (config->site.renew_at <= 0)
        return err_set_class(err, ERR_USAGE,
                             "--renew-at: 0 is not above 0 (and at most 1)");
    if (config->site.headroom < 1)
        return err_set_class(err, ERR_USAGE, "--headroom: %g is below 1",
                             config->site.headroom);
    if (file_count == 0 && config->site.clients == 0 && config->site.rate <= 0)
        return err_set_class(err, ERR_USAGE,
                             "there is nothing to work out: name --clients, "
                             "--rate or files");
    return 0;
}

static struct capacity make_capacity(const struct report_config *config)
{
    const bool once = config->site.within_ns > 0;

    return (struct capacity){
        .interval_s = once ? (double)config->site.within_ns / 1e9
                           : (double)config->site.lease_time_ns / 1e9 *
                                 config->site.renew_at,
        .clients = config->site.clients,
        .headroom = config->site.headroom,
        .exchange_v4 = once ? "dora" : "renew",
        .exchange_v6 = once ? "sarr" : "renew",
    };
}

static void print_site(const struct report_config *config,
                       const struct capacity *capacity, FILE *out)
{
    char lease_time[UNITS_TEXT_SIZE];
    char interval[UNITS_TEXT_SIZE];

    (void)units_duration(interval, (uint64_t)(capacity->interval_s * 1e9));
    if (config->site.within_ns > 0)
        (void)fprintf(out, "each comes once within %s, as a new client\n",
                      interval);
    else
        (void)fprintf(out, "each renews its lease of %s after %s\n",
                      units_duration(lease_time, config->site.lease_time_ns),
                      interval);
}

static void print_answers(const struct report_config *config,
                          const struct capacity *capacity, FILE *out)
{
    char text[UNITS_TEXT_SIZE];

    if (config->site.clients > 0) {
        (void)fprintf(out, "%s clients need %.3g leases per second: ",
                      units_count(text, config->site.clients),
                      capacity_rate(capacity, (double)config->site.clients));
        print_site(config, capacity, out);
    }
    if (config->site.rate > 0) {
        (void)fprintf(
            out, "%g leases per second serve %s clients: ", config->site.rate,
            units_count(
                text, (uint64_t)capacity_clients(capacity, config->site.rate)));
        print_site(config, capacity, out);
    }
}

static int run_capacity(struct report_input *input, struct err *err)
{
    const struct report_config *const config = input->config;
    const struct capacity capacity = make_capacity(config);
    const bool csv = config->format == GRID_CSV && input->file_count > 0;
    struct arena memory = { 0 };
    struct groups groups;

    (void)err;
    if (!csv)
        print_answers(config, &capacity, stdout);
    if (input->file_count == 0)
        return REPORT_DONE;
    if (!csv && config->site.clients == 0 && config->site.rate <= 0) {
        (void)printf("clients: ");
        print_site(config, &capacity, stdout);
    }
    if (!csv)
        (void)fputc('\n', stdout);
    const struct archive measured =
        archive_view(&input->archive, ARCHIVE_CLOSED | ARCHIVE_OPEN, &memory);
    groups_init(&groups, &measured);
    capacity_print(&capacity, &groups, (enum grid_format)config->format,
                   stdout);
    groups_release(&groups);
    arena_release(&memory);
    return REPORT_DONE;
}

const struct report_command report_capacity = {
    .name = "capacity",
    .operands = "[FILE]...",
    .summary = "what rates mean for a site: how many clients",
    .epilogue = "ubench_report capacity --clients=86400 --lease-time=24h "
                "out.jsonl\n"
                "    says what they need, and how many each store there would "
                "carry\n",
    .opts = capacity_opts,
    .is_without_files = true,
    .check = check_site,
    .run = run_capacity,
};
