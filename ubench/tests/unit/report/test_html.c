/* SPDX-License-Identifier: ISC */
#include "report/html.h"

#include <stdio.h>

#include "tests/lib/check.h"

#define REPLACED "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

enum { TEXT_SIZE = 256 };

typedef void write_text(FILE *out, const char *text, size_t size);

static void check_written(write_text *write, const char *text, size_t size,
                          const char *wanted)
{
    char got[TEXT_SIZE] = "";
    FILE *const out = fmemopen(got, sizeof got, "w");

    assert_non_null(out);
    write(out, text, size);
    assert_int_equal(fclose(out), 0);
    check_text(text, got, wanted);
}

TEST(foreign_text_stays_text)
{
    static const struct {
        const char *text;
        const char *wanted;
    } cases[] = {
        { "", "" },
        { "plain, 1.2 (abc)", "plain, 1.2 (abc)" },
        { "</script><b>", "&lt;/script&gt;&lt;b&gt;" },
        { "a&amp;b", "a&amp;amp;b" },
        { "\"' onload=x", "&quot;&#39; onload=x" },
        { "--></style>", "--&gt;&lt;/style&gt;" },
        { "line\nline\ttab\r", "line line tab " },
        { "\x1b[31mred\x7f", " [31mred " },
        { "\xc2\x85next", " next" }, /* U+0085 controls, too */
        { "\xc3\xbc \xe2\x82\xac \xf0\x9f\x90\x98",
          "\xc3\xbc \xe2\x82\xac \xf0\x9f\x90\x98" },
        { "\xff\xfe", REPLACED REPLACED },
        { "cut \xe2\x82", "cut " REPLACED REPLACED },
        { "\xc0\xbc", REPLACED REPLACED },              /* '<' in two bytes */
        { "\xe0\x80\xbc", REPLACED REPLACED REPLACED }, /* in three */
        { "\xed\xa0\x80", REPLACED REPLACED REPLACED }, /* a surrogate */
        { "\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED },
        { "\xe2\x80\xae"
          "evil",
          REPLACED "evil" }, /* right to left */
        { "\xef\xbf\xbf", REPLACED },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_written(html_text_cut, cases[i].text, SIZE_MAX, cases[i].wanted);
}

TEST(long_text_is_cut)
{
    static const struct {
        const char *text;
        size_t max;
        const char *wanted;
    } cases[] = {
        { "abc", 3, "abc" },
        { "abcd", 3, "abc" ELLIPSIS },
        { "\xc3\xbc\xc3\xbc\xc3\xbc", 2, "\xc3\xbc\xc3\xbc" ELLIPSIS },
        { "&&&", 1, "&amp;" ELLIPSIS },
        { "", 0, "" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_written(html_text_cut, cases[i].text, cases[i].max,
                      cases[i].wanted);
}
