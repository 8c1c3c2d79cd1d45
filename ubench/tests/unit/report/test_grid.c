/* SPDX-License-Identifier: ISC */
#include "report/grid.h"

#include <stdlib.h>

#include "tests/lib/check.h"

TEST(prints_each_format)
{
    static const struct {
        enum grid_format format;
        const char *text;
    } cases[] = {
        { GRID_TEXT, "name              n  note\n"
                     "a|b, \"c\"          1  x\n"
                     "\xc3\xa9         1,000,000\n" },
        { GRID_MARKDOWN, "| name | n | note |\n"
                         "|---|---:|---|\n"
                         "| a\\|b, \"c\" | 1 | x |\n"
                         "| \xc3\xa9 | 1,000,000 |  |\n" },
        { GRID_CSV, "name,n,note\n"
                    "\"a|b, \"\"c\"\"\",1,x\n"
                    "\xc3\xa9,\"1,000,000\",\n" },
        { GRID_HTML,
          "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"name\">\n<table class=\"rates\">\n<thead><tr>"
          "<th scope=\"col\">name</th><th scope=\"col\">n</th>"
          "<th scope=\"col\">note</th></tr></thead>\n<tbody>\n"
          "<tr><th scope=\"row\">a|b, &quot;c&quot;</th>"
          "<td data-name=\"n\">1</td><td data-name=\"note\">x</td></tr>\n"
          "<tr><th scope=\"row\">\xc3\xa9</th>"
          "<td data-name=\"n\">1,000,000</td><td data-name=\"note\"></td>"
          "</tr>\n</tbody></table></div>\n" },
    };
    static const char *const heads[] = { "name", "n", "note" };

    struct grid grid;

    grid_init(&grid, "lrl", heads);
    assert_true(grid_is_empty(&grid));
    grid_add(&grid, "a|b, \"%c\"", 'c');
    grid_add(&grid, "%d", 1);
    grid_add(&grid, "x");
    grid_add(&grid, "\xc3\xa9");
    grid_add(&grid, "1,000,000");
    grid.absent = "";
    grid_add_if(&grid, false, "%d", 1);
    assert_true(!grid_is_empty(&grid));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *const out = open_memstream(&text, &size);

        assert_non_null(out);
        grid_print(&grid, cases[i].format, out);
        assert_int_equal(fclose(out), 0);
        check_text("format", text, cases[i].text);
        free(text);
    }
    grid_release(&grid);
}

/* What print writes. */
static void check_printed(const char *name,
                          void (*print)(struct grid *grid, FILE *out),
                          struct grid *grid, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    assert_non_null(out);
    print(grid, out);
    assert_int_equal(fclose(out), 0);
    check_text(name, text, expected);
    free(text);
}

static void print_grid(struct grid *grid, FILE *out)
{
    grid_print(grid, GRID_TEXT, out);
}

static void print_lines(struct grid *grid, FILE *out)
{
    static const char words[] =
        "twelve words that are more than a line of eighty columns has room for "
        "do fold\nhere";

    (void)grid;
    grid_print_note(GRID_TEXT, out, words);
    grid_print_labelled(GRID_TEXT, out, "label", words);
}

#define TEN "0123456789"

/* Without a terminal a line has 80 columns. */
TEST(fits_a_line)
{
    static const char *const heads[] = { "name", "first", "second" };
    struct grid grid;

    grid_init(&grid, "lrr", heads);
    for (int i = 0; i < 2; i++) {
        grid_add(&grid, TEN TEN TEN TEN TEN);
        grid_add(&grid, TEN TEN "%d", i);
        grid_add(&grid, TEN);
    }
    check_printed(
        "a long name has a line, once", print_grid, &grid,
        "name                                                         "
        "  first      second\n" TEN TEN TEN TEN TEN
        "\n                                               " TEN TEN "0  " TEN
        "\n                                               " TEN TEN "1  " TEN
        "\n");
    grid_release(&grid);
    grid_init(&grid, "lrr", heads);
    grid_add(&grid, "x");
    grid_add(&grid, TEN TEN TEN TEN);
    grid_add(&grid, TEN TEN TEN TEN);
    check_printed("columns without room follow", print_grid, &grid,
                  "name                                     first\n"
                  "x     " TEN TEN TEN TEN "\n\n"
                  "name                                    second\n"
                  "x     " TEN TEN TEN TEN "\n");
    grid_release(&grid);
    check_printed(
        "text is folded", print_lines, NULL,
        "twelve words that are more than a line of eighty columns has "
        "room for do fold\nhere\n"
        "label         twelve words that are more than a line of "
        "eighty columns has room\n"
        "              for do fold\n              here\n");
}

TEST(grows)
{
    enum { ROWS = 1000 };
    struct grid grid;

    grid_init(&grid, "", NULL);
    for (size_t i = 0; i < GRID_COLUMNS_MAX; i++)
        assert_true(grid_column(&grid, 'l', ""));
    assert_true(!grid_column(&grid, 'l', ""));
    grid_release(&grid);
    grid_init(&grid, "", NULL);
    for (int i = 0; i < 2 * ROWS; i++)
        grid_add(&grid, "%d", i);
    assert_int_equal(grid.count, 2 * ROWS);
    for (int i = 0; i < 2 * ROWS; i++)
        assert_int_equal(atoi(grid.cells[i]), i);
    grid_release(&grid);
}
