/* SPDX-License-Identifier: ISC */
/* ubench_report capacity: leases per second, and the clients they serve. */
#include <inttypes.h>

#include "core/units.h"
#include "programs/report.h"
#include "report/capacity.h"

struct capacity_config {
    uint64_t lease_time_ns;
    uint64_t within_ns;
    double renew_at;
    double rate;
    double headroom;
    uint64_t clients;
    int format;
    bool help;
};

#define CONFIG struct capacity_config
#define SECOND UINT64_C(1000000000)
/* That of units_scan_duration. */
#define DAY      (24 * 3600 * SECOND)
#define HALF     0.5 /* T1 of RFC 2131, 4.4.5 */
#define TIME_MAX (UINT64_C(52) * 24 * 3600 * SECOND)

static const struct opt capacity_opts[] = {
    { OPT_DURATION(CONFIG, lease_time_ns), .name = "lease-time", .arg = "TIME",
      .fallback = "24h", .min = SECOND, .max = TIME_MAX, .group = "The site",
      .help = "how long a lease is valid" },
    { OPT_SHARE(CONFIG, renew_at), .name = "renew-at", .arg = "SHARE",
      .fallback = "0.5", .help = "part of it after which a client renews" },
    { OPT_DURATION(CONFIG, within_ns), .name = "within", .arg = "TIME",
      .min = SECOND, .max = TIME_MAX,
      .help = "instead of these: each client comes once, new, in that time" },
    { OPT_COUNT(CONFIG, clients), .name = "clients", .arg = "N", .min = 1,
      .max = UINT64_C(1000000000000),
      .help = "how many there are: what rate do they need?" },
    { OPT_RATE(CONFIG, rate), .name = "rate", .arg = "R",
      .max = UINT64_C(1000000000),
      .help = "leases per second: how many clients do they serve?" },
    { OPT_RATE(CONFIG, headroom), .name = "headroom", .arg = "FACTOR",
      .fallback = "2", .max = 1000000, .group = "Of results",
      .help = "a store is to do so many times what its clients need" },
    { OPT_CHOICE(CONFIG, format), .name = "format", .arg = "FORMAT",
      .fallback = "text", .choices = report_formats, .group = "Output",
      .help = "what the tables are for" },
    { OPT_FLAG(CONFIG, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static int check_config(const struct capacity_config *config, bool files,
                        struct err *err)
{
    if (config->within_ns > 0 &&
        (config->lease_time_ns != DAY || config->renew_at != HALF))
        return err_set_class(err, ERR_USAGE,
                             "--within: takes the place of --lease-time and "
                             "--renew-at: name it or them");
    if (config->renew_at <= 0)
        return err_set_class(err, ERR_USAGE,
                             "--renew-at: 0 is not above 0 (and at most 1)");
    if (config->headroom < 1)
        return err_set_class(err, ERR_USAGE, "--headroom: %g is below 1",
                             config->headroom);
    if (!files && config->clients == 0 && config->rate <= 0)
        return err_set_class(err, ERR_USAGE,
                             "there is nothing to work out: name --clients, "
                             "--rate or files");
    return 0;
}

static struct capacity make_capacity(const struct capacity_config *config)
{
    const bool once = config->within_ns > 0;

    return (struct capacity){
        .interval_s =
            once ? (double)config->within_ns / 1e9
                 : (double)config->lease_time_ns / 1e9 * config->renew_at,
        .clients = config->clients,
        .headroom = config->headroom,
        .exchange_v4 = once ? "dora" : "renew",
        .exchange_v6 = once ? "sarr" : "renew",
    };
}

static void print_site(const struct capacity_config *config,
                       const struct capacity *capacity, FILE *out)
{
    char lease_time[UNITS_TEXT_SIZE];
    char interval[UNITS_TEXT_SIZE];

    (void)units_duration(interval, (uint64_t)(capacity->interval_s * 1e9));
    if (config->within_ns > 0)
        (void)fprintf(out, "each comes once within %s, as a new client\n",
                      interval);
    else
        (void)fprintf(out, "each renews its lease of %s after %s\n",
                      units_duration(lease_time, config->lease_time_ns),
                      interval);
}

static void print_answers(const struct capacity_config *config,
                          const struct capacity *capacity, FILE *out)
{
    char text[UNITS_TEXT_SIZE];

    if (config->clients > 0) {
        (void)fprintf(out, "%s clients need %.3g leases per second: ",
                      units_count(text, config->clients),
                      capacity_rate(capacity, (double)config->clients));
        print_site(config, capacity, out);
    }
    if (config->rate > 0) {
        (void)fprintf(
            out, "%g leases per second serve %s clients: ", config->rate,
            units_count(text,
                        (uint64_t)capacity_clients(capacity, config->rate)));
        print_site(config, capacity, out);
    }
}

static void print_results(const struct capacity_config *config,
                          const struct capacity *capacity,
                          const struct archive *archive)
{
    struct arena memory = { 0 };
    const struct archive measured =
        archive_view(archive, ARCHIVE_CLOSED | ARCHIVE_OPEN, &memory);
    struct groups groups;

    if (config->format != GRID_CSV) {
        print_answers(config, capacity, stdout);
        if (config->clients == 0 && config->rate <= 0) {
            (void)printf("clients: ");
            print_site(config, capacity, stdout);
        }
        (void)fputc('\n', stdout);
    }
    groups_init(&groups, &measured);
    capacity_print(capacity, &groups, (enum grid_format)config->format, stdout);
    groups_release(&groups);
    arena_release(&memory);
}

static int run_capacity(int argc, char **argv)
{
    struct capacity_config config = { 0 };
    struct archive archive = { 0 };
    struct err err = { 0 };
    int first;
    int status = report_begin(&report_capacity, &config, &config.help, argc,
                              argv, &first);

    if (status != REPORT_GO_ON)
        return status;
    if (check_config(&config, first < argc, &err) != 0)
        return report_failed(&report_capacity, &err);
    const struct capacity capacity = make_capacity(&config);
    if (first == argc) {
        print_answers(&config, &capacity, stdout);
        return REPORT_DONE;
    }
    status = report_read(&report_capacity, first, argc, argv, &archive);
    if (status == REPORT_GO_ON) {
        print_results(&config, &capacity, &archive);
        status = REPORT_DONE;
    }
    archive_release(&archive);
    return status;
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
    .run = run_capacity,
};
