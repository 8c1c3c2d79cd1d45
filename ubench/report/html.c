/* SPDX-License-Identifier: ISC */
#include "report/html.h"

#include <stdbool.h>
#include <stdint.h>

/* U+D800 to U+DFFF are no characters; a longer form than needed is no UTF-8. */
static bool is_character(uint32_t code, size_t length)
{
    static const uint32_t least[] = { 0, 1, 0x80, 0x800, 0x10000 };

    return code >= least[length] && code <= 0x10ffff &&
           (code < 0xd800 || code > 0xdfff);
}

static size_t lead_length(unsigned char lead)
{
    if (lead < 0x80)
        return lead != 0;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/* Reads one character; returns its length, or 0. */
static size_t read_utf8(const char *text, uint32_t *code)
{
    const unsigned char lead = (unsigned char)text[0];
    const size_t length = lead_length(lead);

    if (length == 0)
        return 0;
    *code = length == 1 ? lead : lead & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        const unsigned char next = (unsigned char)text[i];

        if ((next & 0xc0U) != 0x80)
            return 0;
        *code = *code << 6 | (next & 0x3fU);
    }
    return is_character(*code, length) ? length : 0;
}

size_t html_utf8_length(const char *text)
{
    uint32_t code;

    return read_utf8(text, &code);
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Marks, embeddings, overrides and isolates of bidirectional text, and what
   Unicode says is no character at all. */
static bool is_unwanted(uint32_t code)
{
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffeU) == 0xfffe;
}

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
    const size_t length = read_utf8(text, &code);

    if (length == 0 || is_unwanted(code))
        (void)fputs("\xef\xbf\xbd", out);
    else if (is_control(code))
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

void html_text_part(FILE *out, const char *text, size_t size)
{
    const char *const start = text;

    while (*text != '\0' && (size_t)(text - start) < size)
        text += put_character(out, text);
}

void html_text(FILE *out, const char *text)
{
    html_text_cut(out, text, HTML_TEXT_MAX);
}
