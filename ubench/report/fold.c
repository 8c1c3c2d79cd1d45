/* SPDX-License-Identifier: ISC */
#include "report/fold.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colours(FILE *out)
{
    const char *const no_color = getenv("NO_COLOR");
    const char *const term = getenv("TERM");

    return isatty(fileno(out)) && (no_color == NULL || no_color[0] == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0;
}

struct fold fold_begin_in(enum fold_colour colour, const char *label, FILE *out)
{
    static const char *const codes[] = { "", "\033[32m", "\033[33m",
                                         "\033[31m" };
    const bool coloured = colour != FOLD_PLAIN && has_colours(out);

    (void)fprintf(out, "%s%s%s%*s", coloured ? codes[colour] : "", label,
                  coloured ? "\033[0m" : "", FOLD_INDENT - (int)strlen(label),
                  "");
    return (struct fold){ .out = out, .column = FOLD_INDENT };
}

struct fold fold_begin(const char *label, FILE *out)
{
    return fold_begin_in(FOLD_PLAIN, label, out);
}

static void add_word(struct fold *fold, const char *word, size_t length)
{
    const bool first = fold->column == FOLD_INDENT;

    if (!first && (size_t)fold->column + 1 + length > FOLD_WIDTH) {
        (void)fprintf(fold->out, "\n%*s", FOLD_INDENT, "");
        fold->column = FOLD_INDENT;
    } else if (!first) {
        (void)fputc(' ', fold->out);
        fold->column++;
    }
    (void)fwrite(word, 1, length, fold->out);
    fold->column += (int)length;
}

static void add_words(struct fold *fold, const char *text)
{
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");

        add_word(fold, text, length);
        text += length;
    }
}

__attribute__((format(printf, 2, 0))) static void
add_format(struct fold *fold, const char *format, va_list arguments)
{
    char text[2048];

    (void)vsnprintf(text, sizeof text, format, arguments);
    add_words(fold, text);
}

void fold_add(struct fold *fold, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_format(fold, format, arguments);
    va_end(arguments);
}

void fold_add_whole(struct fold *fold, const char *text)
{
    const size_t length = strlen(text);

    if (length <= FOLD_WIDTH - FOLD_INDENT)
        add_word(fold, text, length);
    else
        add_words(fold, text);
}

void fold_end(struct fold *fold)
{
    (void)fputc('\n', fold->out);
}

void fold_print(FILE *out, const char *label, const char *format, ...)
{
    struct fold fold = fold_begin(label, out);
    va_list arguments;

    va_start(arguments, format);
    add_format(&fold, format, arguments);
    va_end(arguments);
    fold_end(&fold);
}
