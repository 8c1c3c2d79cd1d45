/* SPDX-License-Identifier: ISC */
/* ubench_report merge: the parts of one run, put together. */
#include <stdlib.h>

#include "programs/report.h"
#include "record/merge.h"
#include "record/writer.h"

static const struct opt merge_opts[] = { REPORT_OPT_HELP };

static int run_merge(struct report_input *input, struct err *err)
{
    const struct archive *const archive = &input->archive;
    struct arena memory = { 0 };
    struct record merged;

    if (archive->count == 0)
        return report_nothing(input, err);
    if (merge_parts(&memory, archive->records, archive->count, &merged, err) ==
        0) {
        char *const line = record_write(&merged);

        if (line == NULL)
            (void)err_set(err, "out of memory");
        else
            (void)puts(line);
        free(line);
    }
    arena_release(&memory);
    return err->text[0] == '\0' ? REPORT_DONE : REPORT_FAILED;
}

const struct report_command report_merge = {
    .name = "merge",
    .operands = "FILE...",
    .summary = "the parts of one run that scripts/agents.sh split, as a result",
    .epilogue = "ubench_report merge part-1.jsonl part-2.jsonl >>all.jsonl\n"
                "    appends the run whose parts these are; refuses parts that "
                "are missing,\n    of other settings, invalid or not of the "
                "same time\n",
    .opts = merge_opts,
    .takes_parts = true,
    .run = run_merge,
};
