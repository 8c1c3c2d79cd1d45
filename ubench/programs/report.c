/* SPDX-License-Identifier: ISC */
/* The main of ubench_report: finds the command and lets it run. */
#include "programs/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef UBENCH_VERSION
#define UBENCH_VERSION "0.1.0"
#endif

static const struct report_command *const commands[] = {
    &report_tables,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int print_help(void)
{
    (void)printf("usage: ubench_report COMMAND [OPTION]... [FILE]...\n"
                 "Reads what the runners wrote with --output.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        (void)printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    (void)printf("\nubench_report COMMAND --help lists its options.\n");
    return REPORT_DONE;
}

static int refuse(const char *what)
{
    (void)fprintf(stderr, "ubench_report: %s; the commands are", what);
    for (size_t i = 0; i < COMMANDS; i++)
        (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", commands[i]->name);
    (void)fprintf(stderr, "\n");
    return REPORT_USAGE;
}

int report_failed(const struct report_command *command, const struct err *err)
{
    (void)fprintf(stderr, "ubench_report %s: %s\n", command->name, err->text);
    return err->class == ERR_USAGE ? REPORT_USAGE : REPORT_FAILED;
}

int report_begin(const struct report_command *command, void *config,
                 const bool *help, int argc, char **argv, int *first)
{
    struct err err = { 0 };

    if (opt_parse_operands(command->opts, config, argc, argv, first, &err) != 0)
        return report_failed(command, &err);
    if (!*help)
        return REPORT_GO_ON;
    (void)printf("usage: ubench_report %s [OPTION]... %s\n", command->name,
                 command->operands);
    opt_print_help(command->opts, stdout);
    (void)printf("\n%s", command->epilogue);
    return REPORT_DONE;
}

static void complain(void *context, const char *file, size_t line,
                     const char *text)
{
    const struct report_command *const command = context;

    (void)fprintf(stderr, "ubench_report %s: %s:%zu: %s; left out\n",
                  command->name, file, line, text);
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
    if (archive->count == 0) {
        (void)err_set(&err, "there are no results in %s%s", argv[first],
                      argc - first > 1 ? " and the others" : "");
        return report_failed(command, &err);
    }
    return REPORT_GO_ON;
}

static int run_command(int argc, char **argv)
{
    char text[128];

    if (argc < 2)
        return refuse("no command was given");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        (void)printf("ubench_report %s\n", UBENCH_VERSION);
        return REPORT_DONE;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    }
    (void)snprintf(text, sizeof text, "'%.80s' is no command", argv[1]);
    return refuse(text);
}

int main(int argc, char **argv)
{
    const int status = run_command(argc, argv);

    /* A report that did not arrive is no success. */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    (void)fprintf(stderr, "ubench_report: standard output: %s\n",
                  strerror(errno));
    return status == REPORT_DONE ? REPORT_FAILED : status;
}
