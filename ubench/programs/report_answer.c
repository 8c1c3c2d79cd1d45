/* SPDX-License-Identifier: ISC */
/* ubench_report answer: which store carries a site. */
#include <math.h>

#include "core/units.h"
#include "programs/report.h"
#include "report/answer/table.h"
#include "report/answer/words.h"

#define CONFIG struct report_config
#define SECOND UINT64_C(1000000000)
/* That of units_scan_duration. */
#define TIME_MAX (UINT64_C(52) * 24 * 3600 * SECOND)
#define IPV4     UINT64_C(4294967296)

static const struct opt_choice restarts[] = {
    { "known", 0, "clients that still have their leases: dora-known" },
    { "new", 1, "clients that have none: dora" },
    { NULL, 0, NULL },
};

static const struct opt answer_opts[] = {
    { OPT_COUNT(CONFIG, site.clients), .name = "clients", .arg = "N", .min = 1,
      .max = IPV4, .group = "The site",
      .help = "how many there are; unset: 1,000 to 1,000,000" },
    { OPT_DURATION(CONFIG, site.lease_time_ns), .name = "lease-time",
      .arg = "TIME", .fallback = "24h", .min = SECOND, .max = TIME_MAX,
      .help = "how long a lease is valid" },
    { OPT_SHARE(CONFIG, site.renew_at), .name = "renew-at", .arg = "SHARE",
      .fallback = "0.5", .help = "part of it after which a client renews" },
    { OPT_DURATION(CONFIG, site.restart_ns), .name = "restart-within",
      .arg = "TIME", .fallback = "5m", .min = SECOND, .max = TIME_MAX,
      .help = "time in which all clients start again" },
    { OPT_CHOICE(CONFIG, site.restart_of), .name = "restart-of",
      .arg = "CLIENTS", .fallback = "known", .choices = restarts,
      .help = "as which they start again" },
    { OPT_RATE(CONFIG, site.rate), .name = "rate", .arg = "R",
      .max = UINT64_C(1000000000),
      .help = "how many clients do R renewals per second serve?" },
    { OPT_RATE(CONFIG, site.headroom), .name = "headroom", .arg = "FACTOR",
      .fallback = "2", .max = 1000000, .group = "Of results",
      .help = "how many times what its clients need is enough" },
    { OPT_SETTINGS(CONFIG, compare.where), .name = "where", .arg = "KEY=VALUE",
      .help = "only results that have this, as for compare" },
    REPORT_OPT_FORMAT,
    REPORT_OPT_HELP
};

static int check_site(struct report_config *config, int file_count,
                      char **files, struct err *err)
{
    (void)files;
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

static struct answer_site make_site(const struct report_config *config)
{
    return (struct answer_site){
        .clients = config->site.clients,
        .lease_time_s = (double)config->site.lease_time_ns / 1e9,
        .renew_at = config->site.renew_at,
        .restart_s = (double)config->site.restart_ns / 1e9,
        .restart_new = config->site.restart_of == 1,
        .reserve = config->site.headroom,
    };
}

/* Without results: what follows from the numbers alone.  No more clients than
   there are addresses can be served. */
static void print_needs(const struct report_config *config,
                        const struct answer_site *site)
{
    const double clients = (double)site->clients;
    const double served =
        config->site.rate / answer_need(site, ANSWER_RENEWALS, 1);
    struct arena memory = { 0 };

    if (site->clients > 0)
        (void)printf(
            "%s clients with leases of %s need %s renewals per second,\nand %s "
            "restarts per second if all start again within %s\n",
            units_count(UNITS_TEXT, site->clients),
            units_duration(UNITS_TEXT, config->site.lease_time_ns),
            words_figure(&memory, answer_need(site, ANSWER_RENEWALS, clients)),
            words_figure(&memory, answer_need(site, ANSWER_RESTARTS, clients)),
            units_duration(UNITS_TEXT, config->site.restart_ns));
    if (config->site.rate > 0)
        (void)printf(
            "%.10g renewals per second serve %s clients with leases of "
            "%s%s\n",
            config->site.rate,
            words_figure(&memory, fmin(served, (double)IPV4)),
            units_duration(UNITS_TEXT, config->site.lease_time_ns),
            served > (double)IPV4 ? ":\nIPv4 has no more addresses" : "");
    arena_release(&memory);
}

static int run_answer(struct report_input *input, struct err *err)
{
    const struct report_config *const config = input->config;
    const struct answer_site site = make_site(config);
    struct answer answer;

    if (input->file_count == 0 || config->site.rate > 0)
        print_needs(config, &site);
    if (input->file_count == 0)
        return REPORT_DONE;
    const int status = answer_init(&answer, &site, &config->compare.where,
                                   &input->archive, err);
    if (status == 0)
        answer_print(&answer, (enum grid_format)config->format, stdout);
    answer_release(&answer);
    return status == 0 ? REPORT_DONE : REPORT_FAILED;
}

const struct report_command report_answer = {
    .name = "answer",
    .alias = "capacity",
    .operands = "[FILE]...",
    .summary = "which stores carry a site, and what safety costs",
    .epilogue = "ubench_report answer --clients=20k --lease-time=24h "
                "out.jsonl\n"
                "    says which stores there carry 20,000 clients, and by "
                "what factor\n",
    .opts = answer_opts,
    .is_without_files = true,
    .check = check_site,
    .run = run_answer,
};
