/* SPDX-License-Identifier: ISC */
/* ubench_report show: results as their runners printed them. */
#include <inttypes.h>
#include <string.h>

#include "programs/report.h"
#include "report/run_text.h"

struct show_config {
    uint64_t line;
    bool help;
};

static const struct opt show_opts[] = {
    { OPT_COUNT(struct show_config, line), .letter = 'l', .name = "line",
      .arg = "N", .fallback = "0", .max = UINT32_MAX, .group = "What to show",
      .help = "only line N of each file; 0: all" },
    { OPT_FLAG(struct show_config, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static void show_record(const struct record *record)
{
    if (strcmp(record_parameter(record, "verbose"), "no") != 0)
        run_text_print_provenance(record, stdout);
    run_text_print_figures(record, stdout);
}

/* An empty line stands between results.  Returns how many there were. */
static size_t show_all(const struct archive *archive, uint64_t line)
{
    size_t shown = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];

        if (line != 0 && record->line != line)
            continue;
        if (!run_text_is_possible(record)) {
            report_complain(&report_show, record->file, record->line,
                            "its runs do not have the same phases");
            continue;
        }
        if (shown++ > 0)
            (void)putchar('\n');
        show_record(record);
    }
    return shown;
}

static int run_show(int argc, char **argv)
{
    struct show_config config = { 0 };
    struct archive archive = { 0 };
    struct err err = { 0 };
    int first;
    int status =
        report_begin(&report_show, &config, &config.help, argc, argv, &first);

    if (status == REPORT_GO_ON)
        status = report_read(&report_show, first, argc, argv, &archive);
    if (status == REPORT_GO_ON && show_all(&archive, config.line) > 0)
        status = REPORT_DONE;
    else if (status == REPORT_GO_ON && config.line == 0)
        status = report_nothing(&report_show, first, argc, argv);
    else if (status == REPORT_GO_ON) {
        (void)err_set(&err, "--line: there is no result in line %" PRIu64,
                      config.line);
        status = report_failed(&report_show, &err);
    }
    archive_release(&archive);
    return status;
}

const struct report_command report_show = {
    .name = "show",
    .operands = "FILE...",
    .summary = "results as their runners printed them",
    .epilogue = "ubench_report show --line=3 results.jsonl\n"
                "    prints the tables of the third result, from its line\n",
    .opts = show_opts,
    .run = run_show,
};
