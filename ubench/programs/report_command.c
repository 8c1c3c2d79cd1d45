/* SPDX-License-Identifier: ISC */
/* What the commands of ubench_report have in common. */
#include <stdio.h>

#include "programs/report.h"
#include "report/grid.h"

const struct opt_choice report_formats[] = {
    { "text", GRID_TEXT, "for a terminal" },
    { "markdown", GRID_MARKDOWN, "to paste" },
    { "csv", GRID_CSV, "one table, for programs" },
    { NULL, 0, NULL },
};

int report_failed(const struct report_command *command, const struct err *err)
{
    (void)fprintf(stderr, "ubench_report %s: %s\n", command->name, err->text);
    return err->kind == ERR_USAGE ? REPORT_USAGE : REPORT_FAILED;
}

int report_begin(const struct report_command *command, void *config,
                 const bool *help, int argc, char **argv, int *first)
{
    struct err err = { 0 };

    if (opt_parse(command->opts, config, argc, argv, NULL, first, &err) != 0)
        return report_failed(command, &err);
    if (!*help)
        return REPORT_GO_ON;
    (void)printf("usage: ubench_report %s [OPTION]... %s\n", command->name,
                 command->operands);
    opt_print_help(command->opts, stdout);
    (void)printf("\n%s", command->epilogue);
    return REPORT_DONE;
}

void report_complain(const struct report_command *command, const char *file,
                     size_t line, const char *text)
{
    (void)fprintf(stderr, "ubench_report %s: %s:%zu: %s; left out\n",
                  command->name, file, line, text);
}

static void complain(void *context, const char *file, size_t line,
                     const char *text)
{
    report_complain(context, file, line, text);
}

int report_nothing(const struct report_command *command, int first, int argc,
                   char **argv)
{
    struct err err = { 0 };

    (void)err_set(&err, "there are no results in %s%s", argv[first],
                  argc - first > 1 ? " and the others" : "");
    return report_failed(command, &err);
}

int report_leave_out_open(const struct report_command *command, int first,
                          int argc, char **argv, struct archive *archive)
{
    struct report_command context = *command;

    archive_leave_out_open(archive, complain, &context);
    return archive->count + archive->other_count > 0
               ? REPORT_GO_ON
               : report_nothing(command, first, argc, argv);
}

int report_read(const struct report_command *command, int first, int argc,
                char **argv, struct archive *archive)
{
    struct err err = { 0 };

    *archive = (struct archive){ 0 };
    if (first >= argc) {
        (void)err_set_class(&err, ERR_USAGE,
                            "no files were named; --output of the runners "
                            "writes them");
        return report_failed(command, &err);
    }
    struct report_command context = *command;
    if (archive_read(archive, (const char *const *)(argv + first),
                     (size_t)(argc - first), complain, &context, &err) != 0)
        return report_failed(command, &err);
    return archive->count + archive->other_count > 0
               ? REPORT_GO_ON
               : report_nothing(command, first, argc, argv);
}

void report_gather_crashes(const struct report_command *command,
                           const struct archive *archive,
                           struct crash_results *crashes)
{
    struct report_command context = *command;

    crash_results_gather(crashes, archive, complain, &context);
}
