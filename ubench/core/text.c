/* SPDX-License-Identifier: ISC */
#include "core/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Decodes the first character of a text and returns its length; 0 if it is not
   UTF-8, which excludes overlong forms and U+D800 to U+DFFF. */
static size_t read_utf8(const char *text, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char lead = (unsigned char)text[0];
    /* The number of leading one bits is the number of bytes; 0 for a single
       byte. */
    const int bits = __builtin_clz(~((uint32_t)lead << 24));
    const size_t length = bits == 0 ? 1 : (size_t)bits;

    if (bits == 1 || bits > 4)
        return 0;
    *code = lead & (0xffU >> bits);
    for (size_t i = 1; i < length; i++) {
        const unsigned char next = (unsigned char)text[i];

        if ((next & 0xc0U) != 0x80)
            return 0;
        *code = *code << 6 | (next & 0x3fU);
    }
    return *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff)
               ? length
               : 0;
}

static bool is_unwanted(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || (code >= 0xfdd0 && code <= 0xfdef) ||
           (code & 0xfffeU) == 0xfffe;
}

size_t text_character(const char *text, bool *clean)
{
    uint32_t code;
    const size_t length = read_utf8(text, &code);

    *clean = length > 0 && !is_unwanted(code);
    return length > 0 ? length : 1;
}

void text_clean(char *text)
{
    char *to = text;
    bool clean;

    for (size_t length; *text != '\0'; text += length) {
        length = text_character(text, &clean);
        memmove(to, clean ? text : "?", clean ? length : 1);
        to += clean ? length : 1;
    }
    *to = '\0';
}

void text_one_line(char *to, size_t size, const char *from)
{
    size_t length = 0;

    for (; *from != '\0' && length + 1 < size; from++) {
        const bool space = isspace((unsigned char)*from) != 0;

        if (!space)
            to[length++] = *from;
        else if (length > 0 && to[length - 1] != ' ')
            to[length++] = from[0] == '\n' && from[1] == '\t' ? '.' : ' ';
    }
    if (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
}

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + length, size - length, format, args);
    va_end(args);
}
