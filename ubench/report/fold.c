/* SPDX-License-Identifier: ISC */
#include "report/fold.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 79 /* columns */, PIECE_SIZE = 2048 };

/* Of UTF-8, continuation bytes take no room. */
int fold_width(const char *text, size_t length)
{
    int width = 0;

    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void fold_put(struct fold *fold, const char *text)
{
    while (*text != '\0') {
        const size_t blanks = strspn(text, " ");
        const size_t length = blanks + strcspn(text + blanks, " \n");
        const int width = fold_width(text, length);

        if (*text == '\n' || (fold->column > fold->indent &&
                              fold->column + width > fold->width)) {
            (void)fprintf(fold->out, "\n%*s", fold->indent, "");
            text += *text == '\n' ? 1 : blanks;
            fold->column = fold->indent;
            continue;
        }
        (void)fwrite(text, 1, length, fold->out);
        fold->column += width;
        text += length;
    }
}

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
    return (struct fold){ out, LINE, FOLD_INDENT, FOLD_INDENT };
}

struct fold fold_begin(const char *label, FILE *out)
{
    return fold_begin_in(FOLD_PLAIN, label, out);
}

__attribute__((format(printf, 2, 0))) static void
add_format(struct fold *fold, const char *format, va_list arguments)
{
    char text[PIECE_SIZE] = " ";

    (void)vsnprintf(text + 1, sizeof text - 1, format, arguments);
    if (text[1] != '\0')
        fold_put(fold, fold->column > fold->indent ? text : text + 1);
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
    const int width = fold_width(text, strlen(text));

    if (width <= LINE - FOLD_INDENT && fold->column > FOLD_INDENT &&
        fold->column + 1 + width > LINE)
        fold_put(fold, "\n");
    fold_add(fold, "%s", text);
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
