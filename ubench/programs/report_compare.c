/* SPDX-License-Identifier: ISC */
/* ubench_report compare: are two groups of results different? */
#include <string.h>

#include "programs/report.h"
#include "report/compare_text.h"

struct command_config {
    struct compare_config compare;
    int format;
    bool fail_on_regression;
    bool help;
};

#define CONFIG struct command_config

static const struct opt_choice figures[] = {
    { "rate", COMPARE_RATE, "operations per second" },
    { "mean", LATENCY_MEAN, "of the latencies of single operations" },
    { "p50", LATENCY_P50, "a quantile of them, where it is not chance" },
    { "p95", LATENCY_P95, "the same" },
    { "p99", LATENCY_P99, "the same" },
    { "p99.9", LATENCY_P99_9, "the same" },
    { NULL, 0, NULL },
};

static const struct opt_choice formats[] = {
    { "text", GRID_TEXT, "for a terminal" },
    { "markdown", GRID_MARKDOWN, "to paste" },
    { "csv", GRID_CSV, "the rows alone" },
    { NULL, 0, NULL },
};

static const struct opt compare_opts[] = {
    { OPT_SETTINGS(CONFIG, compare.baseline), .name = "baseline",
      .arg = "KEY=VALUE",
      .group =
          "What to compare; a KEY is a parameter, a fact, a label, store,\n"
          "version or durability, and each option may be repeated",
      .help = "the results to compare with; two files: the first" },
    { OPT_SETTINGS(CONFIG, compare.candidate), .name = "candidate",
      .arg = "KEY=VALUE",
      .help = "the results in question; two files: the second" },
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
      .help = "exit with 4 if a phase is worse; 1: too few runs to tell" },
    { OPT_CHOICE(CONFIG, format), .name = "format", .arg = "FORMAT",
      .fallback = "text", .choices = formats, .group = "Output",
      .help = "what it is for" },
    { OPT_FLAG(CONFIG, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

/* Without --baseline and --candidate the groups are two files. */
static int choose_files(struct compare_config *config, int operands,
                        char **operand, struct err *err)
{
    if ((config->baseline.count > 0) != (config->candidate.count > 0))
        return err_set_class(err, ERR_USAGE,
                             "--%s is missing: --baseline and --candidate go "
                             "together",
                             config->baseline.count > 0 ? "candidate"
                                                        : "baseline");
    if (config->baseline.count > 0)
        return 0;
    if (operands != 2)
        return err_set_class(err, ERR_USAGE,
                             "%d file%s: two are compared, or groups that "
                             "--baseline and --candidate choose",
                             operands, operands == 1 ? "" : "s");
    if (strcmp(operand[0], operand[1]) == 0)
        return err_set_class(err, ERR_USAGE,
                             "%s: every result would be in both groups; "
                             "--baseline and --candidate choose groups within "
                             "a file",
                             operand[0]);
    config->files[COMPARE_BASELINE] = operand[0];
    config->files[COMPARE_CANDIDATE] = operand[1];
    return 0;
}

/* The exit code, of a gate if that was asked for: one that cannot fail because
   there are too few runs is none. */
static int judge(const struct comparison *comparison,
                 const struct command_config *config, struct err *err)
{
    if (!config->fail_on_regression)
        return REPORT_DONE;
    if (compare_count(comparison, COMPARE_WORSE) > 0)
        return REPORT_REGRESSION;
    if (compare_count(comparison, COMPARE_NOT_ENOUGH) == 0)
        return REPORT_DONE;
    (void)err_set(err,
                  "--fail-on-regression: not enough runs to tell for %zu of "
                  "the phases",
                  compare_count(comparison, COMPARE_NOT_ENOUGH));
    return report_failed(&report_compare, err);
}

static int compare(const struct command_config *config,
                   const struct archive *archive)
{
    struct comparison comparison;
    struct err err = { 0 };
    int status;

    if (compare_init(&comparison, &config->compare, archive, &err) != 0) {
        status = report_failed(&report_compare, &err);
    } else {
        compare_print(&comparison, &config->compare,
                      (enum grid_format)config->format, stdout);
        status = judge(&comparison, config, &err);
    }
    compare_release(&comparison);
    return status;
}

static int run_compare(int argc, char **argv)
{
    struct command_config config = { 0 };
    struct archive archive = { 0 };
    struct err err = { 0 };
    int first;
    int status = report_begin(&report_compare, &config, &config.help, argc,
                              argv, &first);

    if (status != REPORT_GO_ON)
        return status;
    if (choose_files(&config.compare, argc - first, argv + first, &err) != 0)
        return report_failed(&report_compare, &err);
    status = report_read(&report_compare, first, argc, argv, &archive);
    if (status == REPORT_GO_ON)
        status = compare(&config, &archive);
    archive_release(&archive);
    return status;
}

const struct report_command report_compare = {
    .name = "compare",
    .operands = "BASELINE CANDIDATE, or FILE...",
    .summary = "are two groups of results different, and by how much",
    .epilogue =
        "ubench_report compare before.jsonl after.jsonl\n"
        "    says of each phase, and each rate that was searched for, whether "
        "it\n    became better or worse\n"
        "ubench_report compare --baseline store=mysql --candidate store=pgsql "
        "sweep.jsonl\n"
        "    compares two groups of a campaign, paired by block\n",
    .opts = compare_opts,
    .run = run_compare,
};
