/* SPDX-License-Identifier: ISC */
/* ubench_report show: results as their runners printed them. */
#include <inttypes.h>

#include "programs/report.h"
#include "report/run_text.h"
#include "report/tables.h"

static const struct opt show_opts[] = {
    { OPT_COUNT(struct report_config, line), .letter = 'l', .name = "line",
      .arg = "N", .fallback = "0", .max = UINT32_MAX, .group = "What to show",
      .help = "only line N of each file; 0: all" },
    REPORT_OPT_HELP
};

/* Of a whole server the tables are all there is. */
static void show_server(const struct record *record)
{
    const struct archive one = { .count = 1, .records = record };
    const struct archive none = { .count = 0 };
    const bool is_open = record->runs[0].open != NULL;
    struct groups searches;
    struct groups open;

    groups_init(&searches, is_open ? &none : &one);
    groups_init(&open, is_open ? &one : &none);
    trial_tables_print(&open, GRID_TEXT, stdout);
    server_tables_print(&searches, &open, GRID_TEXT, stdout);
    groups_release(&searches);
    groups_release(&open);
}

static void show_record(const struct record *record)
{
    if (record->server != NULL) {
        show_server(record);
        return;
    }
    const enum run_text_detail detail = run_text_detail_of(record);

    run_text_print_head(record, detail, stdout);
    run_text_print_figures(record, detail, stdout);
}

/* An empty line stands between results. */
static int run_show(struct report_input *input, struct err *err)
{
    const uint64_t line = input->config->line;
    size_t shown = 0;

    for (size_t i = 0; i < input->archive.count; i++) {
        const struct record *const record = &input->archive.records[i];

        if (line != 0 && record->line != line)
            continue;
        if (!run_text_is_possible(record)) {
            report_complain(input, record->file, record->line,
                            "its runs do not have the same phases");
            continue;
        }
        if (shown++ > 0)
            (void)putchar('\n');
        show_record(record);
    }
    if (shown > 0)
        return REPORT_DONE;
    if (line == 0)
        return report_nothing(input, err);
    (void)err_set(err, "--line: there is no result in line %" PRIu64, line);
    return REPORT_FAILED;
}

const struct report_command report_show = {
    .name = "show",
    .operands = "FILE...",
    .summary = "results as their runners printed them",
    .epilogue = "ubench_report show --line=3 results.jsonl\n"
                "    prints the tables of the third result, from its line\n",
    .opts = show_opts,
    .takes_parts = true,
    .run = run_show,
};
