/* SPDX-License-Identifier: ISC */
#include "core/opt.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/nearest.h"
#include "core/units.h"

enum { NAMES_WIDTH = 27, LINE_WIDTH = 79 }; /* columns of the help */

/* Sets err to the reason why the option's value is refused.  Returns -1. */
#define REFUSE(err, row, reason, ...) err_usage(err, "--%s: " reason, (row)->name, __VA_ARGS__)

static int set_count(const struct opt *row, uint64_t *field, const char *value, struct err *err)
{
    const bool negative = value[0] == '-';
    const bool scanned = units_scan_count(value + negative, field) == 0;

    if (!scanned && errno != ERANGE)
        return REFUSE(err, row,
                      "'%s' is not a whole number in %" PRIu64 "..%" PRIu64
                      " (such as 500, 100k or 1M)",
                      value, row->min, row->max);
    if (!scanned || negative || *field < row->min || *field > row->max)
        return REFUSE(err, row, "%s is outside %" PRIu64 "..%" PRIu64, value, row->min, row->max);
    return 0;
}

/* Reads "0.03" or "3%". */
static int scan_share(const char *value, double *share)
{
    char number[64];
    const size_t length = strlen(value);
    const bool percent = length > 0 && value[length - 1] == '%';

    if (length >= sizeof number)
        return -1;
    (void)snprintf(number, sizeof number, "%.*s", (int)length - percent, value);
    if (units_scan_real(number, share) != 0)
        return -1;
    *share /= percent ? 100 : 1;
    return 0;
}

static int set_share(const struct opt *row, double *field, const char *value, struct err *err)
{
    if (scan_share(value, field) != 0)
        return REFUSE(err, row, "'%s' is not a number in 0..1 (such as 0.25 or 25%%)", value);
    if (*field < 0 || *field > 1)
        return REFUSE(err, row, "%s is outside 0..1", value);
    return 0;
}

static int set_rate(const struct opt *row, double *field, const char *value, struct err *err)
{
    if (units_scan_rate(value, field) != 0)
        return REFUSE(err, row, "'%s' is not a number above 0 (such as 0.5 or 20k)", value);
    if (*field > (double)row->max)
        return REFUSE(err, row, "%s is above %" PRIu64, value, row->max);
    return 0;
}

static int set_duration(const struct opt *row, uint64_t *field, const char *value, struct err *err)
{
    if (units_scan_duration(value, field) != 0)
        return REFUSE(err, row, "'%s' is not a time with a unit (such as 500ms, 2s or 10m)", value);
    if (*field < row->min || *field > row->max)
        return REFUSE(err, row, "%s is outside %s..%s", value, units_duration(UNITS_TEXT, row->min),
                      units_duration(UNITS_TEXT, row->max));
    return 0;
}

static int set_choice(const struct opt *row, int *field, const char *value, struct err *err)
{
    struct nearest nearest = { .typed = value };
    char names[256] = "one of";

    for (const struct opt_choice *c = row->choices; c->name != NULL; c++) {
        if (strcmp(c->name, value) == 0) {
            *field = c->value;
            return 0;
        }
        nearest_try(&nearest, c->name);
        const size_t length = strlen(names);
        (void)snprintf(names + length, sizeof names - length, "%s%s",
                       c == row->choices ? " " : ", ", c->name);
    }
    (void)REFUSE(err, row, "'%s' is not %s", value, names);
    return nearest_add(&nearest, "", err);
}

static int set_text(const struct opt *row, const char **field, const char *value, struct err *err)
{
    /* A script forgot to set a variable: no name is empty. */
    if (value[0] == '\0')
        return REFUSE(err, row, "%s must not be empty", row->arg);
    *field = value;
    return 0;
}

static int set_secret(const struct opt *row, struct opt_secret *field, char *value, struct err *err)
{
    const size_t length = strlen(value);

    if (length >= sizeof field->text)
        return REFUSE(err, row, "the value is longer than %zu characters", sizeof field->text - 1);
    memcpy(field->text, value, length + 1);
    field->given = true;
    /* ps(1) shows argv to all users. */
    memset(value, 'x', length);
    return 0;
}

static int add_setting(const struct opt *row, struct opt_settings *field, char *value,
                       struct err *err)
{
    char *const equals = strchr(value, '=');

    if (equals == NULL || equals == value || equals - value >= OPT_SETTING_NAME_MAX)
        return REFUSE(err, row, "'%s' is not NAME=VALUE", value);
    if (field->count == OPT_SETTINGS_MAX)
        return REFUSE(err, row, "'%s' is one too many; at most %d are allowed", value,
                      OPT_SETTINGS_MAX);
    *equals = '\0';
    field->items[field->count++] = (struct opt_setting){ value, equals + 1 };
    return 0;
}

static int set_value(const struct opt *row, void *config, char *value, struct err *err)
{
    void *const field = (char *)config + row->offset;

    switch (row->kind) {
    case OPT_KIND_FLAG:
        *(bool *)field = true;
        return 0;
    case OPT_KIND_COUNT:
        return set_count(row, field, value, err);
    case OPT_KIND_SHARE:
        return set_share(row, field, value, err);
    case OPT_KIND_RATE:
        return set_rate(row, field, value, err);
    case OPT_KIND_DURATION:
        return set_duration(row, field, value, err);
    case OPT_KIND_CHOICE:
        return set_choice(row, field, value, err);
    case OPT_KIND_TEXT:
        return set_text(row, field, value, err);
    case OPT_KIND_SECRET:
        return set_secret(row, field, value, err);
    case OPT_KIND_SETTINGS:
        return add_setting(row, field, value, err);
    case OPT_KIND_END:
        break;
    }
    assert(false && "a row of a kind that has no parser");
    return -1;
}

static int set_fallbacks(const struct opt *table, void *config, struct err *err)
{
    for (const struct opt *row = table; row->kind != OPT_KIND_END; row++) {
        /* set_value only reads it: the kinds whose value it writes to have no
           default. */
        char *const fallback = (char *)(uintptr_t)row->fallback;

        assert(fallback == NULL ||
               (row->kind != OPT_KIND_SECRET && row->kind != OPT_KIND_SETTINGS));
        if (fallback != NULL && set_value(row, config, fallback, err) != 0)
            return -1;
    }
    return 0;
}

/* Returns the row of an option as typed ("-n" or "--count"), or the end of the
   table. */
static const struct opt *seek(const struct opt *row, const char *typed)
{
    while (row->kind != OPT_KIND_END &&
           (typed[1] == '-' ? strcmp(row->name, typed + 2) != 0 : row->letter != typed[1]))
        row++;
    return row;
}

/* Returns the row of an option as typed; NULL with err if the table has
   none. */
static const struct opt *find_row(const struct opt *table, const char *typed, struct err *err)
{
    const struct opt *const row = seek(table, typed);
    struct nearest nearest = { .typed = typed + 2 };

    if (row->kind != OPT_KIND_END)
        return row;
    for (const struct opt *own = table; own != row; own++)
        nearest_try(&nearest, own->name);
    (void)err_usage(err, "%s: unknown option%s", typed,
                    nearest.name == NULL ? "; --help lists them" : "");
    (void)nearest_add(&nearest, "--", err);
    const struct opt *const other = row->others != NULL ? seek(row->others, typed) : row;
    if (other->kind != OPT_KIND_END)
        (void)err_usage(err, "%s: only for %s", typed, row->owner(other));
    return NULL;
}

/* A command line and the position of the parser. */
struct words {
    const struct opt *table;
    void *config;
    bool *given;
    int count;
    char **items;
    int next;
};

/* Reads an option.  Its value is value or, if that is NULL, the next word.  An
   option that may stand alone does not take a next word that begins with
   "-". */
static int read_option(struct words *words, const struct opt *row, char *value, struct err *err)
{
    const bool flag = row->kind == OPT_KIND_FLAG;
    const bool more = words->next < words->count;

    if (flag && value != NULL)
        return err_usage(err, "--%s takes no value", row->name);
    if (!flag && value == NULL && row->alone != NULL &&
        (!more || words->items[words->next][0] == '-'))
        value = (char *)(uintptr_t)row->alone;
    else if (!flag && value == NULL && !more)
        return REFUSE(err, row, "the value %s is missing", row->arg);
    else if (!flag && value == NULL)
        value = words->items[words->next++];
    if (words->given != NULL)
        words->given[row - words->table] = true;
    return set_value(row, words->config, value, err);
}

/* Reads "--name", "--name=value", or letters; a value may follow the last
   letter. */
static int read_word(struct words *words, char *word, struct err *err)
{
    if (word[1] == '-') {
        char *const end = word + strcspn(word, "=");
        char typed[64];

        (void)snprintf(typed, sizeof typed, "%.*s", (int)(end - word), word);
        const struct opt *const row = find_row(words->table, typed, err);
        return row != NULL ? read_option(words, row, *end == '=' ? end + 1 : NULL, err) : -1;
    }
    for (char *letter = word + 1; *letter != '\0'; letter++) {
        const char typed[] = { '-', *letter, '\0' };
        const struct opt *const row = find_row(words->table, typed, err);
        const bool last = letter[1] == '\0';

        if (row == NULL)
            return -1;
        if (row->kind != OPT_KIND_FLAG)
            return read_option(words, row, last ? NULL : letter + 1, err);
        if (read_option(words, row, NULL, err) != 0)
            return -1;
    }
    return 0;
}

int opt_parse(const struct opt *table, void *config, int argc, char **argv, bool *given,
              struct err *err)
{
    struct words words = { table, config, given, argc, argv, 1 };

    if (set_fallbacks(table, config, err) != 0)
        return -1;
    while (words.next < argc) {
        char *const word = argv[words.next++];

        if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
            return err_usage(err, "'%s': unexpected argument; --help lists the options", word);
        if (read_word(&words, word, err) != 0)
            return -1;
    }
    return 0;
}

/* Prints words in the column of the explanations, wrapped to as many lines as
   needed. */
static void print_wrapped(const char *words, FILE *out)
{
    size_t column = NAMES_WIDTH + 1;

    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        const bool first = column == NAMES_WIDTH + 1;

        if (!first && column + 1 + length > LINE_WIDTH) {
            (void)fprintf(out, "\n%-*s", NAMES_WIDTH, "");
            column = NAMES_WIDTH;
        }
        (void)fprintf(out, " %.*s", (int)length, words);
        column += length + !first;
        words += length + strspn(words + length, " ");
    }
    (void)fputc('\n', out);
}

static void print_option(const struct opt *row, FILE *out)
{
    char names[64];
    char words[256];
    const char letter[] = { '-', row->letter, ',', '\0' };

    (void)snprintf(names, sizeof names, "  %-3s --%s %s", row->letter != 0 ? letter : "", row->name,
                   row->arg != NULL ? row->arg : "");
    (void)snprintf(words, sizeof words, row->fallback != NULL ? "%s [%s]" : "%s", row->help,
                   row->fallback);
    (void)fprintf(out, "%-*s", NAMES_WIDTH, names);
    if (strlen(names) > NAMES_WIDTH)
        (void)fprintf(out, "\n%-*s", NAMES_WIDTH, "");
    print_wrapped(words, out);
}

void opt_print_help(const struct opt *table, bool all, FILE *out)
{
    for (const struct opt *row = table; row->kind != OPT_KIND_END; row++) {
        const struct opt_choice *choice = all ? row->choices : NULL;

        if (!all && !row->usual)
            continue;
        if (row->group != NULL && all)
            (void)fprintf(out, "\n%s\n", row->group);
        print_option(row, out);
        for (; choice != NULL && choice->name != NULL; choice++) {
            if (choice->help != NULL)
                (void)fprintf(out, "%8s%-14s %s\n", "", choice->name, choice->help);
        }
    }
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

void opt_print_list(const struct opt *table, FILE *out)
{
    for (const struct opt *row = table; row->kind != OPT_KIND_END; row++) {
        const char letter[] = { row->letter, '\0' };

        (void)fprintf(out, "%s\t%s\t%s\t%s\t%s\t", letter, row->name,
                      row->kind == OPT_KIND_FLAG ? "flag" : "arg", or_empty(row->arg),
                      or_empty(row->fallback));
        for (const struct opt_choice *c = row->choices; c != NULL && c->name != NULL; c++)
            (void)fprintf(out, "%s%s", c == row->choices ? "" : ",", c->name);
        (void)fprintf(out, "\t%s\n", row->help);
    }
}

static void show_settings(const struct opt_settings *settings, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < settings->count; i++) {
        const size_t length = strlen(text);

        (void)snprintf(text + length, size - length, "%s%s=%s", i == 0 ? "" : " ",
                       settings->items[i].name, settings->items[i].value);
    }
}

static const char *choice_name(const struct opt_choice *choice, int value)
{
    while (choice->name != NULL && choice->value != value)
        choice++;
    return choice->name;
}

void opt_show(const struct opt *row, const void *config, char *text, size_t size)
{
    const void *const field = (const char *)config + row->offset;
    char number[UNITS_TEXT_SIZE] = "";
    const char *shown = number;

    switch (row->kind) {
    case OPT_KIND_FLAG:
        shown = *(const bool *)field ? "yes" : "no";
        break;
    case OPT_KIND_COUNT:
        if (*(const uint64_t *)field > 0 || row->fallback != NULL)
            (void)snprintf(number, sizeof number, "%" PRIu64, *(const uint64_t *)field);
        break;
    case OPT_KIND_SHARE:
    case OPT_KIND_RATE:
        if (*(const double *)field > 0 || row->fallback != NULL)
            (void)snprintf(number, sizeof number, "%.10g", *(const double *)field);
        break;
    case OPT_KIND_DURATION:
        if (*(const uint64_t *)field > 0 || row->fallback != NULL)
            (void)units_duration(number, *(const uint64_t *)field);
        break;
    case OPT_KIND_CHOICE:
        shown = choice_name(row->choices, *(const int *)field);
        break;
    case OPT_KIND_TEXT:
        shown = *(const char *const *)field;
        break;
    case OPT_KIND_SECRET:
        shown = ((const struct opt_secret *)field)->given ? "(hidden)" : "";
        break;
    case OPT_KIND_SETTINGS:
        show_settings(field, text, size);
        return;
    case OPT_KIND_END:
        break;
    }
    (void)snprintf(text, size, "%s", or_empty(shown));
}
