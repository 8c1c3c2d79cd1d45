/* SPDX-License-Identifier: ISC */
#include "core/opt.h"

#include <stdio.h>

#include "tests/lib/check.h"

/* One option of each kind, and nothing else that the runners have. */
struct sample {
    bool flag;
    uint64_t count;
    uint64_t any;
    double share;
    double rate;
    uint64_t duration_ns;
    int choice;
    const char *text;
    struct opt_secret secret;
    struct opt_settings settings;
};

static const struct opt_choice colours[] = {
    { "red", 10, "the first" },
    { "green", 20, NULL },
    { NULL, 0, NULL },
};

static const struct opt other_table[] = {
    { OPT_TEXT(struct sample, text), .letter = 'e', .name = "engine", .arg = "ENGINE",
      .help = "an engine" },
    { .kind = OPT_KIND_END },
};

static const char *owner_of(const struct opt *row)
{
    return row == other_table ? "others" : "nobody";
}

static const struct opt sample_table[] = {
    { OPT_COUNT(struct sample, count), .letter = 'n', .name = "count", .arg = "N",
      .fallback = "100", .min = 1, .max = 100000000, .group = "First:", .help = "how many" },
    { OPT_COUNT(struct sample, any), .name = "any", .arg = "N", .max = UINT64_MAX,
      .help = "any number" },
    { OPT_SHARE(struct sample, share), .letter = 'H', .name = "hit-ratio", .arg = "H",
      .fallback = "0.9", .help = "a share" },
    { OPT_RATE(struct sample, rate), .letter = 'r', .name = "rate", .arg = "R", .max = 1000000,
      .help = "a rate" },
    { OPT_DURATION(struct sample, duration_ns), .letter = 'd', .name = "duration", .arg = "T",
      .fallback = "1m", .min = 1000000, .max = 3600000000000, .help = "a time" },
    { OPT_CHOICE(struct sample, choice), .letter = 'c', .name = "colour", .arg = "NAME",
      .alone = "red", .fallback = "green", .choices = colours,
      .group = "Second:", .help = "a colour" },
    { OPT_TEXT(struct sample, text), .letter = 'f', .name = "file", .arg = "FILE",
      .help = "a file" },
    { OPT_SECRET(struct sample, secret), .letter = 'p', .name = "password", .arg = "PASSWORD",
      .help = "a secret" },
    { OPT_SETTINGS(struct sample, settings), .letter = 'o', .name = "set", .arg = "NAME=VALUE",
      .help = "a setting" },
    { OPT_FLAG(struct sample, flag), .letter = 'h', .name = "help", .help = "this" },
    { .kind = OPT_KIND_END, .others = other_table, .owner = owner_of },
};

enum { WORDS_MAX = 80, LINE_MAX_SIZE = 4096 };

/* A command line to be parsed; what config points to lives in line. */
struct command {
    char line[LINE_MAX_SIZE];
    char *words[WORDS_MAX + 1];
    int count;
    struct sample config;
    struct err err;
};

/* Splits at blanks ("_" stands for an empty word) and parses. */
static int parse(struct command *command, const char *line)
{
    char *rest = command->line;

    memset(command, 0, sizeof *command);
    assert_in_range(strlen(line), 0, sizeof command->line - 1);
    memcpy(command->line, line, strlen(line) + 1);
    command->words[command->count++] = rest;
    for (char *c = rest; *c != '\0'; c++) {
        if (*c != ' ')
            continue;
        *c = '\0';
        assert_in_range(command->count, 1, WORDS_MAX - 1);
        command->words[command->count++] = c + 1;
    }
    for (int i = 0; i < command->count; i++) {
        if (strcmp(command->words[i], "_") == 0)
            command->words[i][0] = '\0';
    }
    return opt_parse(sample_table, &command->config, command->count, command->words, NULL,
                     &command->err);
}

/* The text that opt_show writes of an option, after the command line was
 * accepted. */
TEST(shows_what_was_typed)
{
    static const struct {
        const char *line;
        const char *name;
        const char *shown;
    } cases[] = {
        { "x", "count", "100" },
        { "x -n 1", "count", "1" },
        { "x -n100k", "count", "100000" },
        { "x -n 10K", "count", "10000" },
        { "x -n 1e3", "count", "1000" },
        { "x --count=100M", "count", "100000000" },
        { "x --count 5", "count", "5" },
        { "x -n 5 -n 6", "count", "6" },
        { "x", "any", "" },
        { "x --any=18446744073709551615", "any", "18446744073709551615" },
        { "x", "hit-ratio", "0.9" },
        { "x -H 0", "hit-ratio", "0" },
        { "x -H 1", "hit-ratio", "1" },
        { "x -H .25", "hit-ratio", "0.25" },
        { "x -H 3%", "hit-ratio", "0.03" },
        { "x -H 100%", "hit-ratio", "1" },
        { "x", "rate", "" },
        { "x -r 0.5", "rate", "0.5" },
        { "x -r 20k", "rate", "20000" },
        { "x -r 1M", "rate", "1000000" },
        { "x", "duration", "1m" },
        { "x -d 500ms", "duration", "500ms" },
        { "x -d 90s", "duration", "90s" },
        { "x -d 0.5m", "duration", "30s" },
        { "x -d 60m", "duration", "1h" },
        { "x", "colour", "green" },
        { "x -c red", "colour", "red" },
        { "x -c", "colour", "red" },
        { "x --colour", "colour", "red" },
        { "x --colour -n 7", "colour", "red" },
        { "x -c -n 7", "count", "7" },
        { "x -c --file=a", "file", "a" },
        { "x -c red -n 7", "count", "7" },
        { "x", "file", "" },
        { "x -f a", "file", "a" },
        { "x -f -n", "file", "-n" },
        { "x --file=a=b", "file", "a=b" },
        { "x", "password", "" },
        { "x -p x", "password", "(hidden)" },
        { "x -p _", "password", "(hidden)" },
        { "x", "set", "" },
        { "x -o a=1 --set b= -o a=2=3", "set", "a=1 b= a=2=3" },
        { "x", "help", "no" },
        { "x -h", "help", "yes" },
        { "x --help -n 7", "count", "7" },
        { "x -hn 7", "count", "7" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct command command;
        char text[64] = "no such row";

        if (parse(&command, cases[i].line) != 0)
            fail_msg("%s: %s", cases[i].line, command.err.text);
        for (const struct opt *row = sample_table; row->kind != OPT_KIND_END; row++) {
            if (strcmp(row->name, cases[i].name) == 0)
                opt_show(row, &command.config, text, sizeof text);
        }
        check_text(cases[i].line, text, cases[i].shown);
    }
}

#define UNKNOWN   "unknown option; --help lists them"
#define NOT_WHOLE "is not a whole number in 1..100000000 (such as 500, 100k or 1M)"

static const struct {
    const char *line;
    const char *error;
} refused[] = {
    { "x -n 0", "--count: 0 is outside 1..100000000" },
    { "x -n -5", "--count: -5 is outside 1..100000000" },
    { "x -n -0", "--count: -0 is outside 1..100000000" },
    { "x --count=101M", "--count: 101M is outside 1..100000000" },
    { "x -r 0", "--rate: '0' is not a number above 0 (such as 0.5 or 20k)" },
    { "x -r -1", "--rate: '-1' is not a number above 0 (such as 0.5 or 20k)" },
    { "x -r 1001k", "--rate: 1001k is above 1000000" },
    { "x -d 5", "--duration: '5' is not a time with a unit (such as 500ms, 2s or 10m)" },
    { "x -d 2h", "--duration: 2h is outside 1ms..1h" },
    { "x -d 999us", "--duration: 999us is outside 1ms..1h" },
    { "x -d 0", "--duration: 0 is outside 1ms..1h" },
    { "x -n 99999999999999999999", "--count: 99999999999999999999 is outside 1..100000000" },
    { "x --any=18446744073709551616",
      "--any: 18446744073709551616 is outside 0..18446744073709551615" },
    { "x -n 1e9", "--count: 1e9 is outside 1..100000000" },
    { "x -n 1e99", "--count: 1e99 is outside 1..100000000" },
    { "x -n 1e", "--count: '1e' " NOT_WHOLE },
    { "x -n e3", "--count: 'e3' " NOT_WHOLE },
    { "x -n 1e3.5", "--count: '1e3.5' " NOT_WHOLE },
    { "x -n abc", "--count: 'abc' " NOT_WHOLE },
    { "x -n _", "--count: '' " NOT_WHOLE },
    { "x -n k", "--count: 'k' " NOT_WHOLE },
    { "x -n 5k5", "--count: '5k5' " NOT_WHOLE },
    { "x -n 5kM", "--count: '5kM' " NOT_WHOLE },
    { "x -n 1.5", "--count: '1.5' " NOT_WHOLE },
    { "x -H 1.5", "--hit-ratio: 1.5 is outside 0..1" },
    { "x -H -0.1", "--hit-ratio: -0.1 is outside 0..1" },
    { "x -H nan", "--hit-ratio: 'nan' is not a number in 0..1 (such as 0.25 or 25%)" },
    { "x -H 1e999", "--hit-ratio: '1e999' is not a number in 0..1 (such as 0.25 or 25%)" },
    { "x -H 101%", "--hit-ratio: 101% is outside 0..1" },
    { "x -H 90%%", "--hit-ratio: '90%%' is not a number in 0..1 (such as 0.25 or 25%)" },
    { "x -H %", "--hit-ratio: '%' is not a number in 0..1 (such as 0.25 or 25%)" },
    { "x -c blue", "--colour: 'blue' is not one of red, green" },
    { "x -c re", "--colour: 're' is not one of red, green; did you mean red?" },
    { "x -c gren", "--colour: 'gren' is not one of red, green; did you mean green?" },
    { "x -c -q", "-q: " UNKNOWN },
    { "x -cn 5", "--colour: 'n' is not one of red, green" },
    { "x --colour=-n 5", "--colour: '-n' is not one of red, green" },
    { "x -c _", "--colour: '' is not one of red, green" },
    { "x -o a", "--set: 'a' is not NAME=VALUE" },
    { "x -o =1", "--set: '=1' is not NAME=VALUE" },
    { "x -o _", "--set: '' is not NAME=VALUE" },
    { "x -n", "--count: the value N is missing" },
    { "x --count", "--count: the value N is missing" },
    { "x -h -o", "--set: the value NAME=VALUE is missing" },
    { "x --file=", "--file: FILE must not be empty" },
    { "x --help=yes", "--help takes no value" },
    { "x -q", "-q: " UNKNOWN },
    { "x -hq", "-q: " UNKNOWN },
    { "x --quiet", "--quiet: " UNKNOWN },
    { "x --quiet=yes", "--quiet: " UNKNOWN },
    { "x --cuont 5", "--cuont: unknown option; did you mean --count?" },
    { "x --hitratio=1", "--hitratio: unknown option; did you mean --hit-ratio?" },
    { "x --an5 5", "--an5: unknown option; did you mean --any?" },
    { "x --w", "--w: " UNKNOWN },
    { "x --engine=a", "--engine: only for others" },
    { "x -e a", "-e: only for others" },
    { "x -n 5 stray", "'stray': unexpected argument; --help lists the options" },
    { "x stray -n 5", "'stray': unexpected argument; --help lists the options" },
    { "x -- -n", "'--': unexpected argument; --help lists the options" },
    { "x -", "'-': unexpected argument; --help lists the options" },
    { "x _", "'': unexpected argument; --help lists the options" },
};

TEST(refuses_in_words)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct command command;

        check(refused[i].line, parse(&command, refused[i].line) == -1, "refused");
        check_text(refused[i].line, command.err.text, refused[i].error);
        check_number(refused[i].line, command.err.kind, ERR_USAGE);
    }
}

TEST(secrets_are_copied_and_wiped)
{
    struct command command;

    assert_int_equal(parse(&command, "x -p s3cret --password=0ther"), 0);
    assert_true(command.config.secret.given);
    assert_string_equal(command.config.secret.text, "0ther");
    assert_string_equal(command.words[2], "xxxxxx");
    assert_string_equal(command.words[3], "--password=xxxxx");
}

TEST(long_secrets_are_refused_unseen)
{
    struct command command;
    char line[OPT_SECRET_MAX + 16] = "x -p ";

    memset(line + 5, 's', OPT_SECRET_MAX);
    line[5 + OPT_SECRET_MAX] = '\0';
    assert_int_equal(parse(&command, line), -1);
    assert_string_equal(command.err.text, "--password: the value is longer than 255 characters");
    line[5 + OPT_SECRET_MAX - 1] = '\0';
    assert_int_equal(parse(&command, line), 0);
    assert_int_equal(strlen(command.config.secret.text), OPT_SECRET_MAX - 1);
}

TEST(settings_have_limits)
{
    struct command command;
    char line[LINE_MAX_SIZE] = "x";
    size_t length = 1;

    for (int i = 0; i < OPT_SETTINGS_MAX; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, " -oa%d=%d", i, i);
    assert_int_equal(parse(&command, line), 0);
    assert_int_equal(command.config.settings.count, OPT_SETTINGS_MAX);
    assert_string_equal(command.config.settings.items[31].name, "a31");
    assert_string_equal(command.config.settings.items[31].value, "31");
    (void)snprintf(line + length, sizeof line - length, " -o b=1");
    assert_int_equal(parse(&command, line), -1);
    assert_string_equal(command.err.text, "--set: 'b=1' is one too many; at most 32 are allowed");
    (void)snprintf(line, sizeof line, "x -o %064d=1", 0);
    assert_int_equal(parse(&command, line), -1);
    (void)snprintf(line, sizeof line, "x -o %063d=1", 0);
    assert_int_equal(parse(&command, line), 0);
}
