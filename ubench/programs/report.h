/* SPDX-License-Identifier: ISC */
/*
 * ubench_report's commands.  Each is a file of its own, report_NAME.c, with
 * its option table; to add one, declare it here and list it below.
 */
#ifndef UBENCH_PROGRAMS_REPORT_H
#define UBENCH_PROGRAMS_REPORT_H

#include "core/err.h"
#include "core/opt.h"
#include "record/archive.h"
#include "record/crash_results.h"

enum report_exit {
    REPORT_DONE = 0,
    REPORT_FAILED = 1,
    REPORT_USAGE = 2,
    REPORT_REGRESSION = 4,
    REPORT_GO_ON = -1, /* of report_begin: no exit code */
};

struct report_command {
    const char *name;     /* "tables" */
    const char *operands; /* "FILE..." */
    const char *summary;  /* a phrase, for ubench_report --help */
    const char
        *epilogue; /* the end of its --help: an example, with a newline */
    const struct opt *opts; /* has a row for --help */
    /* argv[0] is the command's name.  Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const struct report_command report_tables;
extern const struct report_command report_compare;
extern const struct report_command report_capacity;
extern const struct report_command report_page;
extern const struct report_command report_show;
extern const struct report_command report_crashes;

/* All of them, in the order of --help: the members of an array. */
#define REPORT_COMMANDS                                              \
    &report_show, &report_tables, &report_compare, &report_capacity, \
        &report_page, &report_crashes

/* The choices of --format: enum grid_format. */
extern const struct opt_choice report_formats[];

/*
 * Reads a command's options into config, and puts the place of the first
 * operand in argv into *first.  Where --help was asked for (help points to its
 * field in config) it is printed.  Returns REPORT_GO_ON, or the exit code to
 * end with.
 */
int report_begin(const struct report_command *command, void *config,
                 const bool *help, int argc, char **argv, int *first);

/* Prints the error, once, and returns the exit code of its class. */
int report_failed(const struct report_command *command, const struct err *err);

/* Says on standard error that a line is left out, and why. */
void report_complain(const struct report_command *command, const char *file,
                     size_t line, const char *text);

/* Says that there is nothing to report on in the files that are named from
   argv[first] on, and returns the exit code. */
int report_nothing(const struct report_command *command, int first, int argc,
                   char **argv);

/*
 * Reads all files that are named from argv[first] on, and says on standard
 * error what had to be left out.  Returns REPORT_GO_ON, or the exit code to end
 * with: there are no files, one cannot be read, or nothing is in them.  The
 * caller releases archive in any case.
 */
int report_read(const struct report_command *command, int first, int argc,
                char **argv, struct archive *archive);

/* Leaves out what ran in an open loop, and says so on standard error.  Returns
   REPORT_GO_ON, or the exit code to end with: nothing is left. */
int report_leave_out_open(const struct report_command *command, int first,
                          int argc, char **argv, struct archive *archive);

/* Puts the crashes of an archive together, and says on standard error what had
   to be left out.  The caller releases crashes. */
void report_gather_crashes(const struct report_command *command,
                          const struct archive *archive, struct crash_results *crashes);

#endif
