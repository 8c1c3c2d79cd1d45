/* SPDX-License-Identifier: ISC */
/* ubench_report page: everything on one page of HTML. */
#include "programs/report.h"
#include "report/page/page.h"

static const struct opt page_opts[] = {
    { OPT_TEXT(struct report_config, title), .letter = 't', .name = "title",
      .arg = "TEXT", .fallback = "Lease stores, measured", .group = "Output",
      .help = "what stands above it all" },
    REPORT_OPT_HELP
};

static int run_page(struct report_input *input, struct err *err)
{
    struct crash_results crashes;

    report_gather_crashes(input, &crashes);
    const int status = page_write(&input->archive, &crashes,
                                  input->config->title, stdout, err);
    crash_results_release(&crashes);
    return status == 0 ? REPORT_DONE : REPORT_FAILED;
}

const struct report_command report_page = {
    .name = "page",
    .operands = "FILE...",
    .summary = "tables and charts on one page of HTML",
    .epilogue = "ubench_report page results.jsonl > report.html\n"
                "    the page needs nothing else; open it in a browser\n",
    .opts = page_opts,
    .run = run_page,
};
