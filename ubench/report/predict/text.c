/* SPDX-License-Identifier: ISC */
#include "report/predict/text.h"

#include <math.h>

#include "core/units.h"
#include "record/server.h"

/* Beyond that a prediction is wrong, and the text says what is known of it. */
static const double much = 0.15;

static void add_rate(struct grid *grid, enum grid_format format, double per_s)
{
    if (format == GRID_CSV)
        grid_add_if(grid, !isnan(per_s), "%.6g", per_s);
    else
        grid_add_if(grid, !isnan(per_s), "%s", units_figure(UNITS_TEXT, per_s));
}

static void add_error(struct grid *grid, enum grid_format format,
                      const struct predict_row *row, enum predict_model model)
{
    const double error = predict_error(row, model);

    if (format == GRID_CSV)
        grid_add_if(grid, !isnan(error), "%.4g", error);
    else
        grid_add_if(grid, !isnan(error), "%+.0f %%", error * 100);
}

static void print_table(const struct predict *predict, enum grid_format format,
                        FILE *out)
{
    static const char *const heads[] = { "leases per second", "measured",
                                         "predicted",         "error",
                                         "if added",          "alone" };
    struct grid grid;

    grid_init(&grid, "lrrrrr", heads);
    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];

        grid_add(&grid, "%s", row->label);
        add_rate(&grid, format, row->measured);
        if (row->reference == row) {
            grid_add(&grid, "reference");
            grid_add(&grid, "%s", "");
            grid_add(&grid, "%s", "");
        } else {
            add_rate(&grid, format, row->rates[PREDICT_FULL]);
            add_error(&grid, format, row, PREDICT_FULL);
            add_error(&grid, format, row, PREDICT_ADDED);
        }
        add_error(&grid, format, row, PREDICT_ALONE);
    }
    grid_print(&grid, format, out);
    grid_release(&grid);
}

/* The row with the lowest rate that is predicted with a reference; NULL: none
   is. */
static const struct predict_row *lowest(const struct predict *predict,
                                        const struct predict_row *reference)
{
    const struct predict_row *found = NULL;

    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];

        if (row != reference && row->reference == reference &&
            row->rates[PREDICT_FULL] > 0 &&
            !(found != NULL &&
              found->rates[PREDICT_FULL] < row->rates[PREDICT_FULL]))
            found = row;
    }
    return found;
}

/* How long it is, and where that comes from. */
static void print_server_time(const struct predict *predict,
                              enum grid_format format, struct arena *memory,
                              FILE *out)
{
    const char *text = "";
    char rate_text[UNITS_TEXT_SIZE];

    if (predict->told)
        text = arena_print(
            memory, "%s for a lease, as --server-time says",
            units_time(UNITS_TEXT, predict->rows[0].server_time_ns));
    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];
        const struct predict_row *const low = lowest(predict, row);

        if (row->reference != row)
            continue;
        text = arena_join(memory, text, "; ", "%s for a lease",
                          units_time(UNITS_TEXT, row->server_time_ns));
        if (low != NULL)
            text = arena_print(
                memory, "%s, %s at %s a second", text,
                units_time(UNITS_TEXT, predict_server_time_ns(
                                           row, low->rates[PREDICT_FULL])),
                units_figure(rate_text, low->rates[PREDICT_FULL]));
        text = arena_print(memory,
                           "%s: that of %s %s (%s) less that of its store "
                           "alone",
                           text, row->server->program, row->server->version,
                           row->label);
    }
    grid_print_labelled(format, out, "server time", text);
}

static void print_score(const struct predict *predict, enum predict_model model,
                        enum grid_format format, struct arena *memory,
                        FILE *out)
{
    static const char *const labels[] = { [PREDICT_ALONE] = "alone",
                                          [PREDICT_ADDED] = "if added",
                                          [PREDICT_FULL] = "predicted" };
    const struct predict_score *const score = &predict->scores[model];

    if (score->count == 0)
        return;
    const char *text = arena_print(
        memory, "median error %.1f %%, largest %+.1f %% (%s)",
        score->median * 100, predict_error(score->largest, model) * 100,
        score->largest->label);

    if (score->swapped == 0)
        text = arena_join(memory, text, "; ",
                          "the ranking is that of the "
                          "measured rates");
    else
        text = arena_join(memory, text, "; ",
                          "%zu of %zu pairs change places in the ranking",
                          score->swapped, score->pairs);
    grid_print_labelled(format, out, labels[model], text);
}

/* What the processors say of a prediction that is wrong. */
static void print_failures(const struct predict *predict,
                           enum grid_format format, struct arena *memory,
                           FILE *out)
{
    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];
        const double error = predict_error(row, PREDICT_FULL);
        char server[UNITS_TEXT_SIZE];
        const char *text;

        if (row->reference == row || isnan(error) || fabs(error) <= much)
            continue;
        text = arena_print(memory, "%s: %+.0f %%", row->label, error * 100);
        if (!isnan(row->server_us) && !isnan(row->runner_us))
            text = arena_join(
                memory, text, "; ",
                "%s used %s of its processors for a lease, the runner %s",
                row->server->program, units_time(server, row->server_us * 1e3),
                units_time(UNITS_TEXT, row->runner_us * 1e3));
        grid_print_warning(format, out, text);
    }
}

void predict_print(const struct predict *predict, enum grid_format format,
                   FILE *out)
{
    struct arena memory = { 0 };

    print_table(predict, format, out);
    if (format == GRID_CSV)
        return;
    grid_print_note(format, out,
                    "predicted: the store's exchange, measured with "
                    "--server-time if there is such a result, and the server's "
                    "time at that rate.  if added, alone: the errors of "
                    "simpler models, the server's time at its highest rate "
                    "added to the store's, and the store alone.");
    print_server_time(predict, format, &memory, out);
    for (int model = PREDICT_MODELS; model-- > 0;)
        print_score(predict, (enum predict_model)model, format, &memory, out);
    print_failures(predict, format, &memory, out);
    arena_release(&memory);
}
