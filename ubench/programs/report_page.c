/* SPDX-License-Identifier: ISC */
/* ubench_report page: everything on one page of HTML. */
#include "programs/report.h"
#include "report/page/page.h"

struct page_options {
    const char *title;
    bool help;
};

static const struct opt page_opts[] = {
    { OPT_TEXT(struct page_options, title), .letter = 't', .name = "title",
      .arg = "TEXT", .fallback = "Lease stores, measured", .group = "Output",
      .help = "what stands above it all" },
    { OPT_FLAG(struct page_options, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static int write_page(const struct archive *archive,
                      const struct page_options *options)
{
    struct err err = { 0 };
    struct crash_results crashes;

    report_gather_crashes(&report_page, archive, &crashes);
    const int status =
        page_write(archive, &crashes, options->title, stdout, &err);
    crash_results_release(&crashes);
    if (status != 0)
        return report_failed(&report_page, &err);
    return REPORT_DONE;
}

static int run_page(int argc, char **argv)
{
    struct page_options options = { 0 };
    struct archive archive = { 0 };
    int first;
    int status =
        report_begin(&report_page, &options, &options.help, argc, argv, &first);

    if (status == REPORT_GO_ON)
        status = report_read(&report_page, first, argc, argv, &archive);
    if (status == REPORT_GO_ON)
        status = write_page(&archive, &options);
    archive_release(&archive);
    return status;
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
