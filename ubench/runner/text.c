/* SPDX-License-Identifier: ISC */
#include "runner/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/units.h"

enum { LINE = 79 /* columns */, PIECE_SIZE = 2048 };

/* Returns the columns on a terminal; continuation bytes of UTF-8 take none. */
static int width_of(const char *text, size_t length)
{
    int width = 0;

    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* Writes words and the blanks between them, and breaks lines at blanks. */
static void put(struct text *text, const char *words)
{
    while (*words != '\0') {
        const size_t blanks = strspn(words, " ");
        const size_t length = blanks + strcspn(words + blanks, " ");
        const int width = width_of(words, length);

        if (text->column > TEXT_INDENT && text->column + width > LINE) {
            (void)fprintf(text->out, "\n%*s", TEXT_INDENT, "");
            text->column = TEXT_INDENT;
            words += blanks;
            continue;
        }
        (void)fwrite(words, 1, length, text->out);
        text->column += width;
        words += length;
    }
}

static bool has_colours(FILE *out)
{
    const char *const no_color = getenv("NO_COLOR");
    const char *const term = getenv("TERM");

    return isatty(fileno(out)) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

struct text text_begin(FILE *out, const char *label, enum text_colour colour)
{
    static const char *const codes[] = { "", "\033[32m", "\033[33m", "\033[31m" };
    const bool coloured = colour != TEXT_PLAIN && has_colours(out);
    const int blanks = TEXT_INDENT - (int)strlen(label);

    (void)fprintf(out, "%s%s%s%*s", coloured ? codes[colour] : "", label, coloured ? "\033[0m" : "",
                  blanks > 0 ? blanks : 1, "");
    return (struct text){ out, TEXT_INDENT };
}

__attribute__((format(printf, 2, 0))) static void add_format(struct text *text, const char *format,
                                                             va_list arguments)
{
    char words[PIECE_SIZE] = " ";

    (void)vsnprintf(words + 1, sizeof words - 1, format, arguments);
    if (words[1] != '\0')
        put(text, text->column > TEXT_INDENT ? words : words + 1);
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_format(text, format, arguments);
    va_end(arguments);
}

void text_end(struct text *text)
{
    (void)fputc('\n', text->out);
}

void text_print(FILE *out, const char *label, const char *format, ...)
{
    struct text text = text_begin(out, label, TEXT_PLAIN);
    va_list arguments;

    va_start(arguments, format);
    add_format(&text, format, arguments);
    va_end(arguments);
    text_end(&text);
}

void table_cell(struct table *table, const char *text)
{
    (void)fprintf(table->out, "%*s", table->widths[table->next++], text);
}

void table_time(struct table *table, double ns)
{
    table_cell(table, isnan(ns) ? "n/a" : units_time(UNITS_TEXT, ns));
}

void table_end(struct table *table, const char *note)
{
    if (note != NULL)
        (void)fprintf(table->out, "   %s", note);
    (void)fputc('\n', table->out);
    table->next = 0;
}
