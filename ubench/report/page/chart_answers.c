/* SPDX-License-Identifier: ISC */
/* An open loop second by second: the answers, of which some were late, and
   below them the longest response. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/page/page_parts.h"

enum { HEIGHT = 300, LEFT = 52, RIGHT = 8, BARS_MAX = 200, CHARTS_MAX = 8 };

/* Some seconds together, where there are many. */
struct bar {
    double at_s; /* its middle */
    double per_s;
    double late_per_s;
    double longest_ns;
};

struct bars {
    double width_s;
    size_t count;
    struct bar items[BARS_MAX];
};

/* What one chart shows. */
struct course {
    const struct setup *setup;
    const struct record_trial *trial;
    struct bars measured;
    struct bars predicted;
};

static size_t last_answer(const struct record_seconds *seconds)
{
    size_t count = seconds->count;

    while (count > 0 && seconds->items[count - 1].answered == 0)
        count--;
    return count;
}

static void make_bars(struct bars *bars, const struct record_seconds *seconds,
                      size_t shown)
{
    const size_t width = (shown + BARS_MAX - 1) / BARS_MAX;

    bars->width_s = (double)width;
    bars->count = width > 0 ? (shown + width - 1) / width : 0;
    for (size_t i = 0; i < bars->count; i++) {
        struct bar *const bar = &bars->items[i];

        *bar = (struct bar){ .at_s = ((double)i + 0.5) * (double)width };
        for (size_t k = i * width; k < (i + 1) * width && k < seconds->count;
             k++) {
            const struct record_answers *const second = &seconds->items[k];

            bar->per_s += (double)second->answered / (double)width;
            bar->late_per_s += (double)second->late / (double)width;
            bar->longest_ns = fmax(bar->longest_ns, (double)second->longest_ns);
        }
    }
}

/* False if there is nothing to see. */
static bool make_course(struct course *course, const struct setup *setup)
{
    const struct record_open *const open = page_newest_run(setup)->open;

    if (open == NULL || open->goal_count > 0 || open->trial_count == 0)
        return false;
    const struct record_trial *const trial = &open->trials[0];
    const size_t measured = last_answer(&trial->seconds);
    const size_t predicted = last_answer(&open->predicted.trial.seconds);
    const size_t shown = measured > predicted ? measured : predicted;

    course->setup = setup;
    course->trial = trial;
    make_bars(&course->measured, &trial->seconds, shown);
    make_bars(&course->predicted, &open->predicted.trial.seconds,
              predicted > 0 ? shown : 0);
    return measured > 1;
}

static void put_bars(FILE *script, const char *name, const struct bars *bars)
{
    (void)fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < bars->count; i++)
        (void)fprintf(script, "%.6g %.6g %.6g %.6g\n", bars->items[i].at_s,
                      bars->items[i].per_s,
                      bars->items[i].per_s - bars->items[i].late_per_s,
                      bars->items[i].longest_ns);
    (void)fputs("EOD\n", script);
}

static double highest(const struct bars *bars)
{
    double high = 0;

    for (size_t i = 0; i < bars->count; i++)
        high = fmax(high, bars->items[i].per_s);
    return high;
}

static struct chart_axis response_axis(const struct course *course)
{
    const double deadline_ns = (double)course->trial->deadline_ns;
    double low = INFINITY;
    double high = deadline_ns;
    char time[CHART_TEXT];
    char text[CHART_TEXT + sizeof "deadline "];

    for (size_t i = 0; i < course->measured.count; i++) {
        const double ns = course->measured.items[i].longest_ns;

        high = fmax(high, ns);
        low = ns > 0 ? fmin(low, ns) : low;
    }
    struct chart_axis axis =
        chart_log_axis(isfinite(low) ? low : high, high, chart_time_tick);
    (void)snprintf(text, sizeof text, "deadline %s",
                   chart_time_tick(time, deadline_ns));
    if (deadline_ns > 0)
        chart_add_limit(&axis, deadline_ns, text);
    return axis;
}

static void draw(struct gnuplot *gnuplot, const struct course *course)
{
    const struct bars *const bars = &course->measured;
    const struct chart_axis x = chart_linear_axis(
        (double)bars->count * bars->width_s, chart_second_tick);
    struct chart_axis above = x;
    const struct chart_axis rates = chart_linear_axis(
        1.1 * fmax(highest(bars), highest(&course->predicted)),
        chart_rate_tick);
    const struct chart_axis times = response_axis(course);
    const char *const ink = gnuplot_ink(chart_ink(course->setup->class));
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, HEIGHT);

    for (size_t i = 0; i < above.tick_count; i++)
        above.ticks[i].text[0] = '\0';
    put_bars(script, "measured", bars);
    put_bars(script, "predicted", &course->predicted);
    (void)fputs("set multiplot\n", script);
    chart_set_axes(script, &above, &rates, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.95\nset bmargin at screen 0.47\n"
                  "set boxwidth %.6g absolute\n"
                  "plot $measured using 1:2 with boxes fs solid noborder lc %s"
                  ", $measured using 1:3 with boxes fs solid noborder lc %s",
                  0.8 * bars->width_s, gnuplot_ink(INK_TEXT), ink);
    if (course->predicted.count > 0)
        (void)fprintf(script,
                      ", $predicted using 1:2 with histeps lw 1.2 dt (6,4) lc "
                      "%s",
                      gnuplot_ink(INK_FAINT));
    (void)fputc('\n', script);
    chart_set_axes(script, &x, &times, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.42\nset bmargin at screen 0.09\n"
                  "plot $measured using 1:($4 > 0 ? $4 : NaN) with points pt "
                  "%d ps 0.5 lc %s\nunset multiplot\n",
                  chart_shape(course->setup), ink);
}

/* How many were sent again, if that is known. */
static const char *tell_again(struct arena *memory,
                              const struct record_storm *storm)
{
    char text[UNITS_TEXT_SIZE];

    return storm->retransmitted == RECORD_UNKNOWN
               ? ""
               : arena_print(memory, ", %s of them again",
                             units_count(text, storm->retransmitted));
}

/* "sqlite, power-safe, storm: 3,000 clients, 4,520 requests, ..." */
static const char *describe(struct page *page, const struct course *course)
{
    const struct record_trial *const trial = course->trial;
    const struct record_storm *const storm =
        &page_newest_run(course->setup)->open->storm;
    const char *const name =
        arena_print(page->memory, "%.40s, %s", course->setup->store,
                    setup_class_name(course->setup->class));
    char one[UNITS_TEXT_SIZE];
    char other[UNITS_TEXT_SIZE];
    char time[UNITS_TEXT_SIZE];
    char rate[CHART_TEXT];

    if (storm->clients == 0)
        return arena_print(
            page->memory, "%s, %s/s: %s requests, %s late, %" PRIu64 " lost",
            name, chart_rate_text(rate, trial->rate_per_s),
            units_count(one, trial->offered), units_count(other, trial->late),
            trial->dropped + trial->failed + trial->unanswered);
    return arena_print(
        page->memory, "%s, storm: %s clients, %s requests%s; %s%s", name,
        units_count(one, storm->clients), units_count(other, storm->sent),
        tell_again(page->memory, storm),
        storm->served_100_ns == RECORD_UNKNOWN ? "not all were served"
                                               : "all served after ",
        storm->served_100_ns == RECORD_UNKNOWN
            ? ""
            : units_time(time, (double)storm->served_100_ns));
}

void page_put_answers(struct page *page)
{
    struct course *const course = arena_alloc(page->memory, 1, sizeof *course);
    size_t drawn = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < page->open->count; i++) {
        if (!make_course(course, &page->open->items[i]))
            continue;
        if (drawn == CHARTS_MAX) {
            left_out++;
            continue;
        }
        if (drawn++ == 0)
            (void)fputs("<h3>Second by second</h3>\n"
                        "<p class=\"note\">Answers per second, those in the "
                        "colour of the text late; dashed, of a storm, what was "
                        "predicted. Below, the longest response of each "
                        "second.</p>\n<div class=\"charts\">\n",
                        page->html);
        draw(page->gnuplot, course);
        page_put_chart(page, describe(page, course),
                       "Answers in each second, in time and late, and below "
                       "the longest response, with the deadline");
    }
    if (drawn > 0)
        (void)fputs("</div>\n", page->html);
    if (left_out > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: the seconds of %zu more "
                      "setups.</p>\n",
                      left_out);
}
