/* SPDX-License-Identifier: ISC */
/* What the commands of ubench_report have in common. */
#include <stdio.h>
#include <string.h>

#include "programs/report.h"
#include "report/grid.h"

const struct opt_choice report_formats[] = {
    { "text", GRID_TEXT, "for a terminal" },
    { "markdown", GRID_MARKDOWN, "to paste" },
    { "csv", GRID_CSV, "one table, for programs" },
    { NULL, 0, NULL },
};

void report_complain(const struct report_input *input, const char *file,
                     size_t line, const char *text)
{
    (void)fprintf(stderr, "ubench_report %s: %s:%zu: %s; left out\n",
                  input->command->name, file, line, text);
}

static void complain(void *context, const char *file, size_t line,
                     const char *text)
{
    report_complain(context, file, line, text);
}

int report_nothing(const struct report_input *input, struct err *err)
{
    (void)err_set(err, "there are no results in %s%s", input->files[0],
                  input->file_count > 1 ? " and the others" : "");
    return REPORT_FAILED;
}

static int check_rest(const struct report_input *input, struct err *err)
{
    if (input->archive.count + input->archive.crash_count > 0)
        return 0;
    (void)report_nothing(input, err);
    return -1;
}

int report_leave_out_open(struct report_input *input, struct err *err)
{
    archive_leave_out_open(&input->archive, complain, input);
    return check_rest(input, err);
}

void report_gather_crashes(struct report_input *input,
                           struct crash_results *crashes)
{
    crash_results_gather(crashes, &input->archive, complain, input);
}

static int read_files(struct report_input *input, struct err *err)
{
    if (input->file_count == 0)
        return input->command->is_without_files
                   ? 0
                   : err_set_class(err, ERR_USAGE,
                                   "no files were named; --output of the "
                                   "runners writes them");
    if (archive_read(&input->archive, (const char *const *)input->files,
                     (size_t)input->file_count, complain, input, err) != 0)
        return -1;
    if (!input->command->takes_parts)
        archive_leave_out_parts(&input->archive, complain, input);
    return check_rest(input, err);
}

static int print_help(const struct report_command *command)
{
    (void)printf("usage: ubench_report %s [OPTION]... %s\n", command->name,
                 command->operands);
    opt_print_help(command->opts, stdout);
    (void)printf("\n%s", command->epilogue);
    return REPORT_DONE;
}

int report_run(const struct report_command *command, int argc, char **argv)
{
    struct report_config config = { 0 };
    struct report_input input = { .command = command, .config = &config };
    struct err err = { 0 };
    int status = REPORT_FAILED;
    int first = 0;

    if (argc == 2 && strcmp(argv[1], "--list-options") == 0) {
        opt_print_list(command->opts, stdout);
        return REPORT_DONE;
    }
    if (opt_parse(command->opts, &config, argc, argv, NULL, &first, &err) ==
        0) {
        if (config.help)
            return print_help(command);
        input.file_count = argc - first;
        input.files = argv + first;
        if ((command->check == NULL ||
             command->check(&config, input.file_count, input.files, &err) ==
                 0) &&
            read_files(&input, &err) == 0)
            status = command->run(&input, &err);
    }
    archive_release(&input.archive);
    if (err.text[0] == '\0')
        return status;
    (void)fprintf(stderr, "ubench_report %s: %s\n", command->name, err.text);
    return err.kind == ERR_USAGE ? REPORT_USAGE : REPORT_FAILED;
}
