/* SPDX-License-Identifier: ISC */
#include "runner/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/result.h"
#include "tests/lib/check.h"

/* The text that print writes. */
static void check_printed(const char *wanted, void (*print)(FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);

    assert_non_null(out);
    print(out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, wanted);
    free(text);
}

static void print_labels(FILE *out)
{
    struct text text = text_begin(out, "class", TEXT_BAD);

    text_add(&text, "%s", "");
    text_add(&text, "no colour");
    text_add(&text, "in a file,");
    text_end(&text);
    text_print(out, "words",
               "a text that is longer than its line, %d columns, goes on "
               "below itself between its words",
               79);
    text_print(out, "a label of 20 columns", "x");
    text_print(out, "caf\xc3\xa9",
               "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 has four columns, so that "
               "this text is no longer than 79 ones");
}

TEST(labelled_text_is_folded)
{
    check_printed("class           no colour in a file,\n"
                  "words           a text that is longer than its line, 79 columns, goes "
                  "on below\n"
                  "                itself between its words\n"
                  "a label of 20 columns x\n"
                  "caf\xc3\xa9           \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 has four "
                  "columns, so that this text is no longer than 79\n"
                  "                ones\n",
                  print_labels);
}

static void print_table(FILE *out)
{
    struct table table = { out, { -6, 8, 5 }, 0 };

    table_cell(&table, "");
    table_cell(&table, "rate");
    table_cell(&table, "p50");
    table_end(&table, NULL);
    table_cell(&table, "create");
    table_cell(&table, "12345");
    table_end(&table, "a note");
    table_cell(&table, "too long");
    table_cell(&table, "1");
    table_cell(&table, "n/a");
    table_end(&table, NULL);
}

TEST(tables_have_columns)
{
    check_printed("          rate  p50\n"
                  "create   12345   a note\n"
                  "too long       1  n/a\n",
                  print_table);
}

TEST(headlines_drop_the_extremes_from_three_on)
{
    double one[] = { 5 };
    double two[] = { 4, 2 };
    double many[] = { 900, 2, 4, 3, 0.001 };

    assert_true(fabs(headline(one, 1) - 5) < 1e-9);
    assert_true(fabs(headline(two, 2) - 3) < 1e-9);
    assert_true(fabs(headline(many, 5) - 3) < 1e-9);
    assert_true(fabs(median(two, 2) - 3) < 1e-9);
    assert_true(fabs(median(many, 5) - 3) < 1e-9);
}
