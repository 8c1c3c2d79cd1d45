/* SPDX-License-Identifier: ISC */
/* Command lines, an argument on each line, and the first one as numbers, too:
   what is shown of an option is read again and is the same. */
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "runner/options/options.h"
#include "tests/fuzz/fuzz.h"

enum { ARGUMENTS_MAX = 32, TEXT_MAX = 1024 };

static void try_numbers(const char *text)
{
    uint64_t number;
    uint64_t same;
    double value;

    (void)units_scan_count(text, &number);
    (void)units_scan_real(text, &value);
    if (units_scan_rate(text, &value) == 0 && !(value > 0))
        abort();
    if (units_scan_duration(text, &number) == 0 &&
        (units_scan_duration(units_duration(UNITS_TEXT, number), &same) != 0 || same != number))
        abort();
}

static void try_row(const struct opt *row, const struct runner_config *config)
{
    static struct runner_config other;
    char text[TEXT_MAX];
    char again[TEXT_MAX];
    char *argv[] = { text, NULL };
    char name[64] = "--";
    struct err err = { 0 };
    struct opt table[2] = { *row, { .kind = OPT_KIND_END } };
    char argument[TEXT_MAX + 64];

    opt_show(row, config, text, sizeof text);
    if (text[0] == '\0' || row->kind == OPT_KIND_FLAG || row->kind == OPT_KIND_SECRET ||
        row->kind == OPT_KIND_SETTINGS || strlen(text) + 1 == sizeof text)
        return;
    (void)snprintf(argument, sizeof argument, "%s%s=%s", name, row->name, text);
    char *two[] = { argv[0], argument, NULL };
    if (opt_parse(table, &other, 2, two, NULL, &err) != 0)
        abort();
    opt_show(row, &other, again, sizeof again);
    if (strcmp(text, again) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options options;
    static struct runner_config config;
    char text[TEXT_MAX];
    char *arguments[ARGUMENTS_MAX + 1] = { text };
    char *rest = text;
    int count = 1;
    struct err err = { 0 };

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    while (count < ARGUMENTS_MAX && rest != NULL)
        arguments[count++] = strsep(&rest, "\n");
    arguments[count] = NULL;
    try_numbers(arguments[1]);
    memset(&config, 0, sizeof config);
    options_select(&options, &the_backend);
    if (options_parse(&options, &config, count, arguments, &err) != 0) {
        if (err.text[0] == '\0')
            abort();
        mix_release(&config.load.mix);
        return 0;
    }
    for (const struct opt *row = options.rows; row->kind != OPT_KIND_END; row++)
        try_row(row, &config);
    mix_release(&config.load.mix);
    return 0;
}
