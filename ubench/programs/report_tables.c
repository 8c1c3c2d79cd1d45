/* SPDX-License-Identifier: ISC */
/* ubench_report tables: the tables of the 2012 guide. */
#include "programs/report.h"
#include "report/guide_tables.h"
#include "report/loss_tables.h"

struct tables_config {
    int format;
    bool help;
};

static const struct opt tables_opts[] = {
    { .kind = OPT_KIND_CHOICE,
      .name = "format",
      .arg = "FORMAT",
      .fallback = "text",
      .choices = report_formats,
      .offset = OPT_FIELD_CHOICE(struct tables_config, format),
      .group = "Output",
      .help = "what the tables are for" },
    { .kind = OPT_KIND_FLAG,
      .letter = 'h',
      .name = "help",
      .offset = OPT_FIELD_BOOL(struct tables_config, help),
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

/* What contradicts a class comes first: it bears on all that follows.  Returns
   false if there was nothing. */
static bool print_all(const struct archive *archive, enum grid_format format)
{
    struct sections sections;
    struct losses losses;

    report_gather_losses(&report_tables, archive, &losses);
    sections_init(&sections, archive);
    if (format != GRID_CSV)
        loss_tables_print_contradictions(&losses, format, stdout);
    guide_tables_print(&sections, &losses, format, stdout);
    if (losses.count > 0 && format != GRID_CSV) {
        (void)printf("%s%slost in crashes\n\n", sections.count > 0 ? "\n" : "",
                     format == GRID_MARKDOWN ? "### " : "");
        (void)loss_tables_print(&losses, format, stdout);
    }
    const size_t printed = sections.count + losses.count;
    sections_release(&sections);
    losses_release(&losses);
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
    .closed_only = true,
    .run = run_tables,
};
