/* SPDX-License-Identifier: ISC */
/* The main of ubench_report: finds the command and lets it run. */
#include "programs/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"

static const struct report_command *const commands[] = { REPORT_COMMANDS };

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
        if (strcmp(argv[1], commands[i]->name) == 0 ||
            (commands[i]->alias != NULL &&
             strcmp(argv[1], commands[i]->alias) == 0))
            return report_run(commands[i], argc - 1, argv + 1);
    }
    (void)snprintf(text, sizeof text, "'%.80s' is no command", argv[1]);
    return refuse(text);
}

/* A line that was not read for want of memory is not a bad line: without any
   the program ends, as its arenas do. */
static void *allocate(size_t size)
{
    void *const memory = malloc(size);

    if (memory != NULL)
        return memory;
    (void)fputs("ubench_report: out of memory\n", stderr);
    exit(REPORT_FAILED);
}

int main(int argc, char **argv)
{
    json_set_alloc_funcs(allocate, free);
    return program_run("ubench_report", "", run_command, argc, argv);
}
