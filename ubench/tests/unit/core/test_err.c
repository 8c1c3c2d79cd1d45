/* SPDX-License-Identifier: ISC */
#include "core/err.h"

#include "tests/lib/check.h"

TEST(writes_the_sentence)
{
    struct err err = { .kind = ERR_BUSY, .text = "an older one" };

    check_number("returns", (uint64_t)-err_set(&err, "%s: %d", "sqlite", 5), 1);
    check_text("text", err.text, "sqlite: 5");
    check_number("class", err.kind, ERR_OTHER);
}

TEST(keeps_the_class)
{
    static const enum err_class classes[] = {
        ERR_OTHER, ERR_USAGE, ERR_BUSY, ERR_DEADLOCK, ERR_LOST, ERR_TIMEOUT, ERR_FULL, ERR_CANCELED,
    };

    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        struct err err = { 0 };

        assert_int_equal(err_set_class(&err, classes[i], "%zu", i), -1);
        assert_int_equal(err.kind, classes[i]);
        assert_int_equal(err.text[0], '0' + (int)i);
    }
}

TEST(cuts_what_is_too_long)
{
    struct err err;
    char text[2 * sizeof err.text];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(err_set(&err, "%s", text), -1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err_set_class(&err, ERR_FULL, "%s", text), -1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

TEST(adds_to_the_sentence)
{
    struct err err;
    char wide[sizeof err.text + 100];

    (void)err_set_class(&err, ERR_LOST, "it is gone");
    err_add(&err, "; %s", "try again");
    assert_string_equal(err.text, "it is gone; try again");
    assert_int_equal(err.kind, ERR_LOST);
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    err_add(&err, "%s", wide);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}
