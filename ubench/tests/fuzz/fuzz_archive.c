/* SPDX-License-Identifier: ISC */
/* Files of results, by all commands of ubench_report. */
#include "programs/report.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct report_command *const commands[] = { REPORT_COMMANDS };
    const char *const path = fuzz_file(data, size);
    char others[] = "--baseline=store=x";
    char these[] = "--candidate=store=sqlite";

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const bool two = commands[i] == &report_compare;
        char *argv[] = { (char *)(uintptr_t)commands[i]->name,
                         (char *)(uintptr_t)path, two ? others : NULL, these,
                         NULL };

        (void)report_run(commands[i], two ? 4 : 2, argv);
    }
    return 0;
}
