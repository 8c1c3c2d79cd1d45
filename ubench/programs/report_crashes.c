/* SPDX-License-Identifier: ISC */
/* ubench_report crashes: what campaigns of scripts/crash.sh came to. */
#include "programs/report.h"
#include "report/crash_tables.h"

struct crashes_config {
    int format;
    bool help;
};

static const struct opt crashes_opts[] = {
    { OPT_CHOICE(struct crashes_config, format), .name = "format",
      .arg = "FORMAT", .fallback = "text", .choices = report_formats,
      .group = "Output", .help = "what the table is for" },
    { OPT_FLAG(struct crashes_config, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static int print_crashes(const struct crash_results *crashes, const char *file,
                         enum grid_format format)
{
    struct err err = { 0 };

    if (crashes->count == 0) {
        (void)err_set(&err, "there are no crashes in %s", file);
        return report_failed(&report_crashes, &err);
    }
    if (format != GRID_CSV)
        crash_tables_print_contradictions(crashes, format, stdout);
    return crash_tables_print(crashes, format, stdout) ? REPORT_DONE
                                                       : REPORT_FAILED;
}

static int run_crashes(int argc, char **argv)
{
    struct crashes_config config = { 0 };
    struct archive archive = { 0 };
    struct crash_results crashes = { 0 };
    int first;
    int status = report_begin(&report_crashes, &config, &config.help, argc,
                              argv, &first);

    if (status == REPORT_GO_ON)
        status = report_read(&report_crashes, first, argc, argv, &archive);
    if (status == REPORT_GO_ON) {
        report_gather_crashes(&report_crashes, &archive, &crashes);
        status = print_crashes(&crashes, argv[first],
                               (enum grid_format)config.format);
    }
    crash_results_release(&crashes);
    archive_release(&archive);
    return status;
}

const struct report_command report_crashes = {
    .name = "crashes",
    .operands = "FILE...",
    .summary = "what was lost in the crashes of scripts/crash.sh",
    .epilogue = "ubench_report crashes build/crash/crashes.jsonl\n"
                "    A file is a campaign; a level whose controls failed has "
                "no verdict,\n    and the exit status is 1.\n",
    .opts = crashes_opts,
    .run = run_crashes,
};
