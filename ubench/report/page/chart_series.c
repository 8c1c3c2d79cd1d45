/* SPDX-License-Identifier: ISC */
/* One run of a setup second by second: operations, and below them the p99. */
#include "report/page/page_parts.h"

#include <string.h>

#include "core/clock.h"

enum { HEIGHT = 300, LEFT = 52, RIGHT = 8, SECONDS_MIN = 5, CHARTS_MAX = 8 };

struct second {
    bool first; /* of its phase */
    double at_s;
    double rate;
    double p99_ns;
};

/* A run's whole seconds, and the part of a last one if it is no mere rest. */
struct course {
    const struct setup *setup;
    const struct record_run *run;
    size_t count;
    struct second *seconds;
    double end_s;
    double low, high;         /* of rates above 0 */
    double p99_low, p99_high; /* the same */
    size_t stalls;            /* seconds without an operation */
};

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

static size_t count_seconds(const struct record_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        count += run->phases[i].second_count;
    return count;
}

static void stretch(double value, double *low, double *high)
{
    if (value <= 0)
        return;
    *low = *low == 0 || value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

static void add_phase(struct course *course, const struct record_phase *phase)
{
    if (phase->begun_ns == RECORD_UNKNOWN)
        return;
    const double begun_s = seconds_of(phase->begun_ns);

    for (size_t i = 0; i < phase->second_count; i++) {
        const double rest = seconds_of(phase->elapsed_ns) - (double)i;
        const double width = rest < 1 ? rest : 1;

        if (width < 0.2)
            continue;
        const struct second second = {
            .first = i == 0,
            .at_s = begun_s + (double)i + width / 2,
            .rate = (double)phase->series[i].operations / width,
            .p99_ns = phase->series[i].p99_ns,
        };
        course->stalls += second.rate <= 0;
        stretch(second.rate, &course->low, &course->high);
        stretch(second.p99_ns, &course->p99_low, &course->p99_high);
        course->seconds[course->count++] = second;
    }
    course->end_s = begun_s + seconds_of(phase->elapsed_ns);
}

/* Exchanges that ran together as one phase: their sum, and the highest p99 of
   any of them. */
static struct record_phase merge_phases(struct arena *memory,
                                        const struct record_run *run)
{
    struct record_phase merged = run->phases[0];
    size_t count = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        if (run->phases[i].second_count > count)
            count = run->phases[i].second_count;
    }
    struct record_second *const series =
        arena_alloc(memory, count, sizeof *series);
    for (size_t k = 0; k < count; k++) {
        series[k] = (struct record_second){ .operations = 0 };
        for (size_t i = 0; i < run->phase_count; i++) {
            const struct record_phase *const phase = &run->phases[i];

            if (k >= phase->second_count)
                continue;
            series[k].operations += phase->series[k].operations;
            if (phase->series[k].p99_ns > series[k].p99_ns)
                series[k].p99_ns = phase->series[k].p99_ns;
        }
    }
    merged.elapsed_ns = record_run_elapsed_ns(run);
    merged.series = series;
    merged.second_count = count;
    return merged;
}

static void add_run(struct arena *memory, struct course *course)
{
    const struct record_run *const run = course->run;

    course->seconds =
        arena_alloc(memory, count_seconds(run), sizeof *course->seconds);
    if (run->together) {
        const struct record_phase merged = merge_phases(memory, run);

        add_phase(course, &merged);
        return;
    }
    for (size_t i = 0; i < run->phase_count; i++)
        add_phase(course, &run->phases[i]);
}

/* Replaces the run that course has by a longer one of the setup. */
static void choose_run(struct course *course, const struct setup *setup)
{
    for (size_t i = 0; i < setup->record_count; i++) {
        for (size_t k = 0; k < setup->records[i]->run_count; k++) {
            const struct record_run *const run = &setup->records[i]->runs[k];
            const uint64_t least_ns = course->run != NULL
                                          ? record_run_elapsed_ns(course->run)
                                          : SECONDS_MIN * NS_PER_S;

            if (run->incomplete || record_run_elapsed_ns(run) < least_ns)
                continue;
            course->run = run;
            course->setup = setup;
        }
    }
}

/* The longest run of a store and class: it has the most to show. */
static struct course find_course(const struct page *page,
                                 const struct setup *usual)
{
    struct course course = { .run = NULL };

    for (size_t i = 0; i < page->setups->count; i++) {
        const struct setup *const setup = &page->setups->items[i];

        if (setup->class == usual->class &&
            strcmp(setup->store, usual->store) == 0)
            choose_run(&course, setup);
    }
    if (course.run == NULL)
        return course;
    add_run(page->memory, &course);
    return course;
}

/* Shades every other phase and names those that are wide enough. */
static void put_bands(FILE *script, const struct course *course)
{
    for (size_t i = 0; !course->run->together && i < course->run->phase_count;
         i++) {
        const struct record_phase *const phase = &course->run->phases[i];

        if (phase->begun_ns == RECORD_UNKNOWN)
            continue;
        const double from = seconds_of(phase->begun_ns);
        const double to = from + seconds_of(phase->elapsed_ns);
        if (i % 2 == 0)
            (void)fprintf(script,
                          "set object rectangle from %.4f, graph 0 to %.4f, "
                          "graph 1 behind fc %s fs solid noborder\n",
                          from, to, gnuplot_ink(INK_BAND));
        if ((to - from) / course->end_s < 0.15)
            continue;
        (void)fputs("set label ", script);
        gnuplot_put_text(script, phase->name, 12);
        (void)fprintf(script, " at %.4f, graph 1.05 center tc %s\n",
                      (from + to) / 2, gnuplot_ink(INK_FAINT));
    }
}

/* Seconds without an operation stand at the foot, as triangles. */
static void put_data(FILE *script, const struct course *course,
                     const struct chart_axis *rates)
{
    (void)fputs("$course << EOD\n", script);
    for (size_t i = 0; i < course->count; i++) {
        const struct second *const second = &course->seconds[i];

        if (second->first)
            (void)fputc('\n', script); /* no line from phase to phase */
        if (second->rate > 0)
            (void)fprintf(script, "%.4f %.6g %.6g\n", second->at_s,
                          second->rate, second->p99_ns);
    }
    (void)fputs("EOD\n$stalls << EOD\n", script);
    for (size_t i = 0; i < course->count; i++) {
        if (course->seconds[i].rate <= 0)
            (void)fprintf(script, "%.4f %.6g\n", course->seconds[i].at_s,
                          rates->low * 1.1);
    }
    (void)fputs("EOD\n", script);
}

static void draw(struct gnuplot *gnuplot, const struct course *course)
{
    const struct chart_axis x =
        chart_linear_axis(course->end_s, chart_second_tick);
    struct chart_axis above = x;
    const struct chart_axis rates =
        chart_log_axis(course->low, course->high, chart_rate_tick);
    const struct chart_axis times =
        chart_log_axis(course->p99_low, course->p99_high, chart_time_tick);
    const char *const ink = gnuplot_ink(chart_ink(course->setup->class));
    FILE *const script = gnuplot_begin(gnuplot, CHART_WIDTH, HEIGHT);

    for (size_t i = 0; i < above.tick_count; i++)
        above.ticks[i].text[0] = '\0';
    put_data(script, course, &rates);
    (void)fputs("set multiplot\n", script);
    chart_set_axes(script, &above, &rates, CHART_WIDTH, LEFT, RIGHT);
    put_bands(script, course);
    (void)fprintf(script,
                  "set tmargin at screen 0.92\n"
                  "set bmargin at screen 0.47\n"
                  "set label 'per second' at graph 0.01, graph 0.06 tc %s\n"
                  "plot $course using 1:2 with linespoints lw 1.4 pt %d ps 0.3 "
                  "lc %s",
                  gnuplot_ink(INK_FAINT), chart_shape(course->setup), ink);
    if (course->stalls > 0)
        (void)fprintf(script,
                      ", $stalls using 1:2 with points pt 9 ps 0.7 lc "
                      "%s",
                      gnuplot_ink(INK_TEXT));
    (void)fputs("\nunset label\nunset object\n", script);
    chart_set_axes(script, &x, &times, CHART_WIDTH, LEFT, RIGHT);
    (void)fprintf(script,
                  "set tmargin at screen 0.42\nset bmargin at screen 0.09\n"
                  "set label 'p99' at graph 0.01, graph 0.09 tc %s\n"
                  "plot $course using 1:3 with linespoints lw 1.4 pt %d ps 0.3 "
                  "lc %s\nunset multiplot\n",
                  gnuplot_ink(INK_FAINT), chart_shape(course->setup), ink);
}

static void put_course(struct page *page, const struct course *course)
{
    char caption[256];

    draw(page->gnuplot, course);
    (void)snprintf(
        caption, sizeof caption, "%.40s%s%.80s, %s", course->setup->store,
        course->setup->label[0] != '\0' ? " " : "", course->setup->label,
        setup_class_name(course->setup->class));
    page_put_chart(page, caption,
                   "Operations in each second of one run on a logarithmic "
                   "axis, and below it the p99 of their latency");
}

void page_put_series(struct page *page)
{
    size_t drawn = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < page->shown_count; i++) {
        if (!page->shown[i]->usual || page->shown[i]->class == SETUP_NONE)
            continue;
        const struct course course = find_course(page, page->shown[i]);
        if (course.count == 0 || course.low <= 0 || course.p99_low <= 0)
            continue;
        if (drawn == CHARTS_MAX) {
            left_out++;
            continue;
        }
        if (drawn++ == 0)
            (void)fputs(
                "<section><h2>Within a run</h2>\n"
                "<p class=\"note\">Second by second, the longest run of each "
                "store and class, if it took five or more. A triangle at the "
                "foot is a "
                "second in which not one operation ended. Exchanges that ran "
                "together are one line, with the highest p99 of any.</p>\n"
                "<div class=\"charts\">\n",
                page->html);
        put_course(page, &course);
    }
    if (drawn > 0)
        (void)fputs("</div>\n", page->html);
    if (left_out > 0)
        (void)fprintf(page->html,
                      "<p class=\"note\">Left out: the runs of %zu more "
                      "setups.</p>\n",
                      left_out);
    if (drawn > 0)
        (void)fputs("</section>\n", page->html);
}
