/* SPDX-License-Identifier: ISC */
#include "core/lines.h"

#include <errno.h>

#include "tests/lib/check.h"

enum { MAX = 5 };

/* Each line of a file as "[text]", with what is said of it. */
static void write_lines(FILE *file, char *out, size_t size)
{
    struct lines lines = { .file = file, .max = MAX };
    size_t length = 0;

    while (lines_next(&lines)) {
        assert_true(lines.length <= MAX);
        assert_true(lines.text[lines.length] == '\0');
        length += (size_t)snprintf(
            out + length, size - length, "[%s%s%s%s]", lines.text,
            strlen(lines.text) == lines.length ? "" : "\\0...",
            lines.too_long ? " too long" : "", lines.cut ? " cut" : "");
    }
    out[length] = '\0';
    assert_true(feof(file));
    lines_release(&lines);
}

TEST(lines_are_read)
{
    static const struct {
        const char *text;
        size_t length;
        const char *lines;
    } cases[] = {
        { "", 0, "" },
        { "\n", 1, "[]" },
        { "a", 1, "[a cut]" },
        { "a\nbc\n", 5, "[a][bc]" },
        { "a\n\nbc", 5, "[a][][bc cut]" },
        { "12345\n12345", 11, "[12345][12345 cut]" },
        { "123456\n1\n", 9, "[12345 too long][1]" },
        { "1234567890123", 13, "[12345 too long cut]" },
        { "a\0b\nc\n", 6, "[a\\0...][c]" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char bytes[16];
        char out[128];

        memcpy(bytes, cases[i].text, cases[i].length);
        FILE *const file = cases[i].length > 0
                               ? fmemopen(bytes, cases[i].length, "r")
                               : fopen("/dev/null", "r");
        assert_non_null(file);
        write_lines(file, out, sizeof out);
        assert_int_equal(fclose(file), 0);
        check_text(cases[i].text, out, cases[i].lines);
    }
}

TEST(what_cannot_be_read_is_told)
{
    struct lines lines = { .file = fopen("/", "r"), .max = MAX };

    assert_non_null(lines.file);
    assert_false(lines_next(&lines));
    assert_int_equal(errno, EISDIR);
    assert_false(feof(lines.file));
    lines_release(&lines);
    assert_int_equal(fclose(lines.file), 0);
}
