/* SPDX-License-Identifier: ISC */
#include "core/text.h"

#include <stdio.h>

#include "core/err.h"
#include "core/properties.h"
#include "tests/lib/check.h"

TEST(characters_have_a_length)
{
    static const struct {
        const char *text;
        size_t length;
        bool clean;
    } cases[] = { { "a", 1, true },
                  { "\x7f", 1, false },
                  { "\xc3\xbc", 2, true },
                  { "\xc2\x85", 2, false }, /* U+0085 ends a line */
                  { "\xe2\x82\xac", 3, true },
                  { "\xe2\x80\xaa", 3, false }, /* U+202A */
                  { "\xf0\x9f\x90\x98", 4, true },
                  { "\xf0\x9f\xbf\xbe", 4, false }, /* U+1FFFE: none at all */
                  { "\x80", 1, false },
                  { "\xc0\xaf", 1, false },         /* longer than needed */
                  { "\xed\xa0\x80", 1, false },     /* a surrogate */
                  { "\xf4\x90\x80\x80", 1, false }, /* beyond U+10FFFF */
                  { "\xf0\x9f", 1, false } };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool clean = !cases[i].clean;

        check_number(cases[i].text, text_character(cases[i].text, &clean), cases[i].length);
        check_number(cases[i].text, clean, cases[i].clean);
    }
}

static const struct {
    const char *text;
    const char *wanted;
} cases[] = {
    { "", "" },
    { "plain, \xc3\xbc and \xf0\x9f\x90\x98", "plain, \xc3\xbc and \xf0\x9f\x90\x98" },
    { "\x1b[2J", "?[2J" }, /* ESC: clears the screen */
    { "\xc2\x9b"
      "31m",
      "?31m" }, /* U+009B, CSI: the same without ESC */
    { "\x9b"
      "31m",
      "?31m" },                             /* and as a byte of ISO 8859 */
    { "a\r\nb\tc\x7f", "a??b?c?" },         /* more lines, columns, a deletion */
    { "\xe2\x80\xaegpj.exe", "?gpj.exe" },  /* U+202E turns it around */
    { "\xe2\x81\xa6x\xe2\x81\xa9", "?x?" }, /* isolates */
    { "\xd8\x9c", "?" },                    /* U+061C */
    { "cut \xe2\x82", "cut ??" },
};

/* Whatever a server says comes to a reader by one of these. */
TEST(what_is_obeyed_is_a_question_mark)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct properties properties = { 0 };
        struct err err = { 0 };

        (void)err_set(&err, "%s", cases[i].text);
        check_text("error", err.text, cases[i].wanted);
        properties_add(&properties, cases[i].text, "%s", cases[i].text);
        check_text("key", properties.items[0].key, cases[i].wanted);
        check_text("value", properties.items[0].value, cases[i].wanted);
    }
}

TEST(lines_become_one)
{
    static const struct {
        const char *text;
        const char *wanted;
    } lines[] = {
        { "", "" },
        { " \n\t", "" },
        { "\n ERROR:  it\tis so\n  LINE 1\r\n", "ERROR: it is so LINE 1" },
        { "no server\n\tIs it on?\n", "no server. Is it on?" },
        { "there is no room behind it", "there is no room behind" },
        { "there is no room for a lot", "there is no room for a" },
    };

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[24];

        text_one_line(text, sizeof text, lines[i].text);
        check_text(lines[i].text, text, lines[i].wanted);
    }
}
