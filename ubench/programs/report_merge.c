/* SPDX-License-Identifier: ISC */
/* ubench_report merge: the parts of one run, put together. */
#include <stdio.h>
#include <stdlib.h>

#include "programs/report.h"
#include "record/merge.h"
#include "record/output.h"
#include "record/writer.h"

static const struct opt merge_opts[] = {
    { OPT_TEXT(struct report_config, output), .letter = 'O', .name = "output",
      .arg = "FILE", .group = "Output",
      .help = "append the run to FILE, as the runners do, and print nothing" },
    REPORT_OPT_HELP
};

/* Takes the line, which is NULL without memory. */
static void put(char *line, const char *output, struct err *err)
{
    bool ended = false;

    if (output != NULL)
        (void)output_append(line, output, &ended, err);
    else if (line == NULL)
        (void)err_set(err, "out of memory");
    else
        (void)puts(line);
    if (output == NULL)
        free(line);
    if (ended)
        (void)fprintf(stderr,
                      "ubench_report merge: --output: %s: the last line that "
                      "was there had no end; it has one now\n",
                      output);
}

static int run_merge(struct report_input *input, struct err *err)
{
    const struct archive *const archive = &input->archive;
    struct arena memory = { 0 };
    struct record merged;

    if (archive->count == 0)
        return report_nothing(input, err);
    if (merge_parts(&memory, archive->records, archive->count, &merged, err) ==
        0)
        put(record_write(&merged), input->config->output, err);
    arena_release(&memory);
    return err->text[0] == '\0' ? REPORT_DONE : REPORT_FAILED;
}

const struct report_command report_merge = {
    .name = "merge",
    .operands = "FILE...",
    .summary = "the parts of one run that scripts/agents.sh split, as a result",
    .epilogue = "ubench_report merge -O all.jsonl part-1.jsonl part-2.jsonl\n"
                "    appends the run whose parts these are; refuses parts that "
                "are missing,\n    of other settings, invalid or not of the "
                "same time\n",
    .opts = merge_opts,
    .takes_parts = true,
    .run = run_merge,
};
