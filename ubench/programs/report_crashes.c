/* SPDX-License-Identifier: ISC */
/* ubench_report crashes: what campaigns of scripts/crash.sh came to. */
#include "programs/report.h"
#include "report/crash_tables.h"

static const struct opt crashes_opts[] = { REPORT_OPT_FORMAT, REPORT_OPT_HELP };

static int run_crashes(struct report_input *input, struct err *err)
{
    const enum grid_format format = (enum grid_format)input->config->format;
    struct crash_results crashes;
    int status = REPORT_FAILED;

    report_gather_crashes(input, &crashes);
    if (crashes.count == 0) {
        (void)err_set(err, "there are no crashes in %s", input->files[0]);
    } else {
        if (format != GRID_CSV)
            crash_tables_print_contradictions(&crashes, format, stdout);
        if (crash_tables_print(&crashes, format, stdout))
            status = REPORT_DONE;
    }
    crash_results_release(&crashes);
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
