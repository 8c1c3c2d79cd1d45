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
#include "report/compare/compare.h"

enum report_exit {
    REPORT_DONE = 0,
    REPORT_FAILED = 1,
    REPORT_USAGE = 2,
    REPORT_REGRESSION = 4,
};

/* What options are read into, those of all commands. */
struct report_config {
    bool help;
    int format;         /* enum grid_format */
    const char *title;  /* of a page */
    const char *output; /* of a merged result, to append to; NULL: none */
    uint64_t line;      /* of each file, to show; 0: all */
    struct compare_config compare;
    bool fail_on_regression;
    struct {
        uint64_t clients;
        uint64_t lease_time_ns;
        double renew_at;
        uint64_t restart_ns;
        int restart_of; /* 0: known clients, 1: new ones */
        double rate;
        double headroom;
    } site;                  /* that the answer is for */
    uint64_t server_time_ns; /* 0: unset */
};

struct report_command;

/* What a command works on. */
struct report_input {
    const struct report_command *command;
    const struct report_config *config;
    int file_count;
    char **files;
    struct archive archive; /* all that could be used of the files */
};

struct report_command {
    const char *name;     /* "tables" */
    const char *alias;    /* another name of it, or NULL */
    const char *operands; /* "FILE..." */
    const char *summary;  /* a phrase, for ubench_report --help */
    const char
        *epilogue; /* the end of its --help: an example, with a newline */
    const struct opt *opts; /* of struct report_config; ends with
                               REPORT_OPT_HELP */
    bool is_without_files;  /* it may be: there is something to work out */
    bool takes_parts;       /* of a run; others leave them out */
    /* Whether options and files go together.  Returns 0, or -1 with err.
       NULL: they do. */
    int (*check)(struct report_config *config, int file_count, char **files,
                 struct err *err);
    /* Prints.  Returns the exit code; that of an error is the error's. */
    int (*run)(struct report_input *input, struct err *err);
};

extern const struct report_command report_tables;
extern const struct report_command report_compare;
extern const struct report_command report_answer;
extern const struct report_command report_predict;
extern const struct report_command report_page;
extern const struct report_command report_show;
extern const struct report_command report_merge;
extern const struct report_command report_crashes;

/* All of them, in the order of --help: the members of an array. */
#define REPORT_COMMANDS                                               \
    &report_answer, &report_tables, &report_compare, &report_predict, \
        &report_page, &report_show, &report_merge, &report_crashes

/* The choices of --format: enum grid_format. */
extern const struct opt_choice report_formats[];

/* Rows of option tables that several commands have; the last ends a table. */
#define REPORT_OPT_FORMAT                                          \
    {                                                              \
        OPT_CHOICE(struct report_config, format),                  \
            .name = "format", .arg = "FORMAT", .fallback = "text", \
            .choices = report_formats, .group = "Output",          \
            .help = "what the tables are for"                      \
    }
#define REPORT_OPT_HELP                                                    \
    { OPT_FLAG(struct report_config, help), .letter = 'h', .name = "help", \
      .help = "print this and exit" },                                     \
    {                                                                      \
        .kind = OPT_KIND_END                                               \
    }

/* Runs a command; argv[0] is its name.  Says on standard error what is wrong,
   and which lines of the files had to be left out.  Returns the exit code. */
int report_run(const struct report_command *command, int argc, char **argv);

/* Says on standard error that a line is left out, and why. */
void report_complain(const struct report_input *input, const char *file,
                     size_t line, const char *text);

/* Fills err: there is nothing to report on in the files.  Returns the exit
   code. */
int report_nothing(const struct report_input *input, struct err *err);

/* Leaves out what ran in an open loop, and says so on standard error.  Returns
   0, or -1 with err: nothing is left. */
int report_leave_out_open(struct report_input *input, struct err *err);

/* Puts the crashes together, and says on standard error what had to be left
   out.  The caller releases them. */
void report_gather_crashes(struct report_input *input,
                           struct crash_results *crashes);

#endif
