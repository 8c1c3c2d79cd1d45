/* SPDX-License-Identifier: ISC */
#include "programs/report.h"

#include "tests/lib/check.h"

static const struct report_command *const commands[] = { REPORT_COMMANDS };

/* Names, letters, help and defaults of every command's table. */
TEST(tables_are_sound)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        struct err err = { 0 };

        if (opt_check(commands[i]->opts, &err) != 0)
            fail_msg("%s: %s", commands[i]->name, err.text);
    }
}

TEST(commands_say_what_they_are)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        const struct report_command *const command = commands[i];
        const size_t length = strlen(command->epilogue);
        bool help = false;

        check(command->name, command->summary[0] != '\0', "it has a summary");
        check(command->name, command->operands[0] != '\0', "it has operands");
        check(command->name,
              length > 0 && command->epilogue[length - 1] == '\n',
              "its help ends with a whole line");
        for (const struct opt *row = command->opts; row->kind != OPT_KIND_END;
             row++)
            help = help || strcmp(row->name, "help") == 0;
        check(command->name, help, "it has --help");
    }
}
