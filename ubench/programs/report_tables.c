/* SPDX-License-Identifier: ISC */
/* ubench_report tables: the tables of the 2012 guide; and crashes. */
#include "programs/report.h"
#include "report/tables.h"

static const struct opt tables_opts[] = { REPORT_OPT_FORMAT, REPORT_OPT_HELP };

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
    grid_print_heading(format, stdout, "lost in crashes");
    (void)crash_tables_print(crashes, format, stdout);
}

/* What contradicts a class comes first: it bears on all that follows. */
static int run_tables(struct report_input *input, struct err *err)
{
    const enum grid_format format = (enum grid_format)input->config->format;
    struct arena memory = { 0 };
    struct groups phases;
    struct groups trials;
    struct groups servers;
    struct crash_results crashes;

    if (format == GRID_CSV && report_leave_out_open(input, err) != 0)
        return REPORT_FAILED;
    const struct archive closed = archive_view(
        &input->archive,
        format == GRID_CSV ? ARCHIVE_CLOSED | ARCHIVE_SERVER : ARCHIVE_CLOSED,
        &memory);
    const struct archive open =
        archive_view(&input->archive, ARCHIVE_OPEN, &memory);
    const struct archive whole =
        archive_view(&input->archive, ARCHIVE_SERVER, &memory);
    report_gather_crashes(input, &crashes);
    groups_init(&phases, &closed);
    groups_init(&trials, &open);
    groups_init(&servers, &whole);
    const size_t printed =
        phases.count + trials.count + servers.count + crashes.count;
    if (format != GRID_CSV)
        crash_tables_print_contradictions(&crashes, format, stdout);
    guide_tables_print(&phases, &crashes, format, stdout);
    if (format != GRID_CSV) {
        print_gap(phases.count > 0 && trials.count > 0);
        trial_tables_print(&trials, format, stdout);
        print_gap(phases.count + trials.count > 0 && servers.count > 0);
        server_tables_print(&servers, &trials, format, stdout);
        drift_print(&input->archive, format, stdout);
        print_gap(printed > crashes.count && crashes.count > 0);
        print_crashes(&crashes, format);
    }
    groups_release(&phases);
    groups_release(&trials);
    groups_release(&servers);
    crash_results_release(&crashes);
    arena_release(&memory);
    return printed > 0 ? REPORT_DONE : report_nothing(input, err);
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
    .summary = "what was lost in the crashes of scripts/crash",
    .epilogue = "ubench_report crashes build/crash/crashes.jsonl\n"
                "    A file is a campaign; a level whose controls failed has "
                "no verdict,\n    and the exit status is 1.\n",
    .opts = tables_opts,
    .run = run_crashes,
};
