/* SPDX-License-Identifier: ISC */
/* ubench_report tables: the tables of the 2012 guide. */
#include "programs/report.h"
#include "report/crash_tables.h"
#include "report/drift.h"
#include "report/guide_tables.h"
#include "report/trial_tables.h"

struct tables_config {
    int format;
    bool help;
};

static const struct opt tables_opts[] = {
    { OPT_CHOICE(struct tables_config, format), .name = "format",
      .arg = "FORMAT", .fallback = "text", .choices = report_formats,
      .group = "Output", .help = "what the tables are for" },
    { OPT_FLAG(struct tables_config, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static void print_gap(bool between)
{
    if (between)
        (void)putchar('\n');
}

static void print_crashes(const struct crash_results *crashes,
                          enum grid_format format)
{
    if (crashes->count == 0)
        return;
    (void)printf("%slost in crashes\n\n",
                 format == GRID_MARKDOWN ? "### " : "");
    (void)crash_tables_print(crashes, format, stdout);
}

/* What contradicts a class comes first: it bears on all that follows.  Returns
   false if there was nothing. */
static bool print_all(const struct archive *archive, enum grid_format format)
{
    struct arena memory = { 0 };
    const struct archive closed =
        archive_view(archive, ARCHIVE_CLOSED, &memory);
    const struct archive open = archive_view(archive, ARCHIVE_OPEN, &memory);
    struct groups phases;
    struct groups trials;
    struct crash_results crashes;

    report_gather_crashes(&report_tables, archive, &crashes);
    groups_init(&phases, &closed);
    groups_init(&trials, &open);
    const size_t printed = phases.count + trials.count + crashes.count;
    if (format != GRID_CSV)
        crash_tables_print_contradictions(&crashes, format, stdout);
    guide_tables_print(&phases, &crashes, format, stdout);
    if (format != GRID_CSV) {
        print_gap(phases.count > 0 && trials.count > 0);
        trial_tables_print(&trials, format, stdout);
        drift_print(archive, format, stdout);
        print_gap(phases.count + trials.count > 0 && crashes.count > 0);
        print_crashes(&crashes, format);
    }
    groups_release(&phases);
    groups_release(&trials);
    crash_results_release(&crashes);
    arena_release(&memory);
    return printed > 0;
}

static int run_tables(int argc, char **argv)
{
    struct tables_config config = { 0 };
    struct archive archive = { 0 };
    int first;
    int status =
        report_begin(&report_tables, &config, &config.help, argc, argv, &first);

    if (status == REPORT_GO_ON)
        status = report_read(&report_tables, first, argc, argv, &archive);
    if (status == REPORT_GO_ON && config.format == GRID_CSV)
        status =
            report_leave_out_open(&report_tables, first, argc, argv, &archive);
    if (status == REPORT_GO_ON)
        status = print_all(&archive, (enum grid_format)config.format)
                     ? REPORT_DONE
                     : report_nothing(&report_tables, first, argc, argv);
    archive_release(&archive);
    return status;
}

const struct report_command report_tables = {
    .name = "tables",
    .operands = "FILE...",
    .summary = "the tables of the 2012 guide, one pair per durability class",
    .epilogue =
        "ubench_report tables results/guide-2012.jsonl\n"
        "    prints the guide's own Tables 3.1 to 3.3, from its times\n",
    .opts = tables_opts,
    .run = run_tables,
};
