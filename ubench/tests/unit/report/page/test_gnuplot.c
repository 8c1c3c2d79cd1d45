/* SPDX-License-Identifier: ISC */
#include "report/page/gnuplot.h"

#include <stdlib.h>

#include "tests/lib/check.h"

enum { TEXT_SIZE = 16384 };

static void labels_cannot_be_commands(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        const char *wanted;
    } cases[] = {
        { "mysql, threads=4", 40, "'mysql, threads=4'" },
        { "it's", 40, "'it s'" },
        { "`id` $(id) @x !x", 40, "' id   (id)  x  x'" },
        { "a\"b\\n", 40, "'a b n'" },
        { "a\nplot x", 40, "'a plot x'" },
        { "\xff\xc3\xbc", 40, "' \xc3\xbc'" },
        { "abcdef", 3, "'abc\xe2\x80\xa6'" },
        { "", 40, "''" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char got[TEXT_SIZE] = "";
        FILE *const out = fmemopen(got, sizeof got, "w");

        assert_non_null(out);
        gnuplot_put_text(out, cases[i].text, cases[i].max);
        assert_int_equal(fclose(out), 0);
        check_text(cases[i].text, got, cases[i].wanted);
    }
}

static void inks_have_names(void **state)
{
    (void)state;
    for (enum ink ink = INK_TEXT; ink < INK_END; ink++) {
        check("an ink", strncmp(gnuplot_ink_variable(ink), "--", 2) == 0,
              "its variable begins with two dashes");
        for (enum ink other = INK_TEXT; other < ink; other++)
            check(gnuplot_ink(ink),
                  strcmp(gnuplot_ink(ink), gnuplot_ink(other)) != 0,
                  "no other has this colour");
    }
}

/* Two charts, of which each has a label and a point. */
static struct gnuplot *draw_two(struct err *err)
{
    struct gnuplot *const gnuplot = gnuplot_new(err);

    assert_non_null(gnuplot);
    for (int i = 0; i < 2; i++) {
        FILE *const script = gnuplot_begin(gnuplot, 200, 100);

        (void)fputs("set label ", script);
        gnuplot_put_text(script, "rgb(5,0,0) & <b>", 40);
        (void)fprintf(
            script,
            " at 1,1\nset samples 2\nplot [0:2] [0:2] '+' using (1):(1) with "
            "points pt 7 lc %s\n",
            gnuplot_ink(INK_BOUNDED));
    }
    assert_int_equal(gnuplot_count(gnuplot), 2);
    return gnuplot;
}

static void charts_follow_the_page(void **state)
{
    struct err err = { 0 };
    struct gnuplot *const gnuplot = draw_two(&err);

    (void)state;
    if (gnuplot_draw(gnuplot, &err) != 0) {
        check_text("the only good reason", err.text,
                   "gnuplot is not installed");
        gnuplot_free(gnuplot);
        skip();
    }
    for (size_t i = 0; i < 2; i++) {
        char svg[TEXT_SIZE] = "";
        FILE *const out = fmemopen(svg, sizeof svg, "w");

        assert_non_null(out);
        check("svg", gnuplot_write_svg(gnuplot, i, "\"hidden\"", out),
              "there is a picture");
        assert_int_equal(fclose(out), 0);
        check("svg",
              strncmp(svg,
                      "<svg viewBox=\"0 0 200 100\" role=\"img\" "
                      "aria-label=\"&quot;hidden&quot;\">\n",
                      70) == 0,
              "it begins with its size and its words");
        check("svg", strstr(svg, "var(--bounded)") != NULL, "the ink is named");
        check("svg", strstr(svg, "color='rgb") == NULL, "and no colour is");
        check("svg", strstr(svg, "rgb(5,0,0) &amp; &lt;b>") != NULL,
              "a label is left as it was");
        check("svg",
              strstr(svg, "xlink") == NULL && strstr(svg, "http") == NULL,
              "there is nothing of a name space");
        check("svg", (strstr(svg, "<defs>") != NULL) == (i == 0),
              "the first has the symbols, for all");
        check("svg", strstr(svg, "href='#chart-gpPt6'") != NULL,
              "points are symbols");
        check("svg", strstr(svg, "</svg>\n") == svg + strlen(svg) - 7,
              "it ends where it ends");
    }
    check("svg", !gnuplot_write_svg(gnuplot, 2, "", stdout),
          "there is no third picture");
    gnuplot_free(gnuplot);
}

static void no_gnuplot_no_picture(void **state)
{
    struct err err = { 0 };
    struct gnuplot *const gnuplot = draw_two(&err);
    char *const path = strdup(getenv("PATH"));

    (void)state;
    assert_non_null(path);
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(gnuplot_draw(gnuplot, &err), -1);
    assert_int_equal(setenv("PATH", path, 1), 0);
    check_text("why", err.text, "gnuplot is not installed");
    check("svg", !gnuplot_write_svg(gnuplot, 0, "", stdout),
          "there is no picture");
    free(path);
    gnuplot_free(gnuplot);
}

static void what_is_before_an_error_can_be_had(void **state)
{
    struct err err = { 0 };
    struct gnuplot *const gnuplot = draw_two(&err);
    char svg[TEXT_SIZE] = "";
    FILE *const out = fmemopen(svg, sizeof svg, "w");

    (void)state;
    assert_non_null(out);
    (void)fputs("exit status 3\n", gnuplot_begin(gnuplot, 200, 100));
    if (gnuplot_draw(gnuplot, &err) == 0)
        fail_msg("a failure was not seen");
    if (strcmp(err.text, "gnuplot failed") == 0)
        check("svg", gnuplot_write_svg(gnuplot, 1, "", out),
              "the second picture is there");
    (void)fclose(out);
    gnuplot_free(gnuplot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_cannot_be_commands),
        cmocka_unit_test(inks_have_names),
        cmocka_unit_test(charts_follow_the_page),
        cmocka_unit_test(no_gnuplot_no_picture),
        cmocka_unit_test(what_is_before_an_error_can_be_had),
    };

    return cmocka_run_group_tests_name("gnuplot", tests, NULL, NULL);
}
