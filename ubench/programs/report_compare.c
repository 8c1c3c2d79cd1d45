/* SPDX-License-Identifier: ISC */
/* ubench_report compare: are two groups of results different? */
#include <string.h>

#include "programs/report.h"
#include "report/compare/compare.h"

#define CONFIG struct report_config

static const struct opt_choice figures[] = {
    { "rate", COMPARE_RATE, "operations per second" },
    { "mean", LATENCY_MEAN, "of the latencies of single operations" },
    { "p50", LATENCY_P50, "a quantile of them, where it is not chance" },
    { "p95", LATENCY_P95, "the same" },
    { "p99", LATENCY_P99, "the same" },
    { "p99.9", LATENCY_P99_9, "the same" },
    { NULL, 0, NULL },
};

static const struct opt compare_opts[] = {
    { OPT_TEXT(CONFIG, compare.by), .name = "by", .arg = "KEY",
      .group =
          "What to compare; a KEY is a parameter, a fact, a label, store,\n"
          "version or durability, and options with =VALUE may be repeated",
      .help = "the groups are its values; the first is the baseline" },
    { OPT_SETTINGS(CONFIG, compare.baseline), .name = "baseline",
      .arg = "KEY=VALUE",
      .help = "the results to compare with; two files: the first" },
    { OPT_SETTINGS(CONFIG, compare.candidate), .name = "candidate",
      .arg = "KEY=VALUE",
      .help = "the results in question; several of a KEY: each of them" },
    { OPT_SETTINGS(CONFIG, compare.where), .name = "where", .arg = "KEY=VALUE",
      .help = "only results that have this" },
    { OPT_TEXT(CONFIG, compare.phases), .name = "phases", .arg = "NAME,...",
      .help = "only these phases" },
    { OPT_CHOICE(CONFIG, compare.figure), .name = "figure", .arg = "FIGURE",
      .fallback = "rate", .choices = figures, .help = "what is compared" },
    { OPT_SHARE(CONFIG, compare.min_effect), .name = "min-effect",
      .arg = "SHARE", .fallback = "3%", .group = "What counts",
      .help = "a smaller difference is none" },
    { OPT_FLAG(CONFIG, compare.across_classes), .name = "across-classes",
      .help = "compare what promises different durability" },
    { OPT_FLAG(CONFIG, fail_on_regression), .name = "fail-on-regression",
      .help = "exit with 4 if a phase is worse; 1: one is missing, or too few "
              "runs to tell" },
    REPORT_OPT_FORMAT,
    REPORT_OPT_HELP
};

/* Without --by, --baseline and --candidate the groups are the files. */
static int choose_files(struct report_config *all, int file_count, char **files,
                        struct err *err)
{
    const struct compare_config *const config = &all->compare;

    if (config->by != NULL && config->candidate.count > 0)
        return err_set_class(err, ERR_USAGE,
                             "--candidate: with --by all values but the "
                             "baseline's are candidates; --where chooses");
    if (config->by != NULL)
        return 0;
    if ((config->baseline.count > 0) != (config->candidate.count > 0))
        return err_set_class(err, ERR_USAGE,
                             "--%s is missing: --baseline and --candidate go "
                             "together",
                             config->baseline.count > 0 ? "candidate"
                                                        : "baseline");
    if (config->baseline.count > 0)
        return 0;
    if (file_count < 2)
        return err_set_class(err, ERR_USAGE,
                             "%d file%s: two or more are compared, or groups "
                             "that --by, or --baseline and --candidate choose",
                             file_count, file_count == 1 ? "" : "s");
    for (int i = 1; i < file_count; i++) {
        if (strcmp(files[0], files[i]) == 0)
            return err_set_class(err, ERR_USAGE,
                                 "%s: every result would be in both groups; "
                                 "--by, or --baseline and --candidate choose "
                                 "groups within a file",
                                 files[0]);
    }
    return 0;
}

/* The exit code, of a gate if that was asked for: one that cannot fail because
   there are too few runs, or none, is none. */
static int judge(const struct comparisons *comparisons,
                 const struct report_config *config, struct err *err)
{
    const size_t untold = compare_count(comparisons, COMPARE_NOT_ENOUGH);

    if (!config->fail_on_regression)
        return REPORT_DONE;
    if (compare_count(comparisons, COMPARE_WORSE) > 0)
        return REPORT_REGRESSION;
    for (size_t i = 0; i < comparisons->count; i++) {
        if (comparisons->items[i].lacking[0] == '\0')
            continue;
        (void)err_set(err,
                      "--fail-on-regression: %s lacks what the baseline has: "
                      "%s",
                      comparisons->items[i].names[COMPARE_CANDIDATE],
                      comparisons->items[i].lacking);
        return REPORT_FAILED;
    }
    if (untold == 0)
        return REPORT_DONE;
    (void)err_set(err,
                  "--fail-on-regression: not enough runs to tell for %zu of "
                  "the phases",
                  untold);
    return REPORT_FAILED;
}

static int run_compare(struct report_input *input, struct err *err)
{
    const struct report_config *const config = input->config;
    struct comparisons comparisons;
    int status = REPORT_FAILED;

    if (compare_init(&comparisons, &config->compare,
                     (const char *const *)input->files,
                     (size_t)input->file_count, &input->archive, err) == 0) {
        compare_print(&comparisons, &config->compare,
                      (enum grid_format)config->format, stdout);
        status = judge(&comparisons, config, err);
    }
    compare_release(&comparisons);
    return status;
}

const struct report_command report_compare = {
    .name = "compare",
    .operands = "BASELINE CANDIDATE..., or FILE...",
    .summary = "are groups of results different, and by how much",
    .epilogue =
        "ubench_report compare before.jsonl after.jsonl\n"
        "    says of each phase, and each rate that was searched for, whether "
        "it\n    became better or worse\n"
        "ubench_report compare --baseline store=mysql --candidate store=pgsql "
        "sweep.jsonl\n"
        "    compares two groups of a campaign, paired by block\n"
        "ubench_report compare --by threads sweep.jsonl\n"
        "    compares each number of threads with the lowest\n",
    .opts = compare_opts,
    .check = choose_files,
    .run = run_compare,
};
