/* SPDX-License-Identifier: ISC */
#include "report/html.h"

#include <stdint.h>

#include "core/text.h"

static const char *entity(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Writes the character that text begins with and returns its length. */
static size_t put_character(FILE *out, const char *text)
{
    uint32_t code = 0;
    const size_t length = text_read_utf8(text, &code);

    if (length == 0 || text_is_unwanted(code))
        (void)fputs("\xef\xbf\xbd", out);
    else if (text_is_control(code))
        (void)fputc(' ', out);
    else if (entity(code) != NULL)
        (void)fputs(entity(code), out);
    else
        (void)fwrite(text, 1, length, out);
    return length > 0 ? length : 1;
}

void html_text_cut(FILE *out, const char *text, size_t max)
{
    for (size_t shown = 0; *text != '\0'; shown++) {
        if (shown == max) {
            (void)fputs("\xe2\x80\xa6", out);
            return;
        }
        text += put_character(out, text);
    }
}

void html_text(FILE *out, const char *text)
{
    html_text_cut(out, text, HTML_TEXT_MAX);
}
