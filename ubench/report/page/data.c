/* SPDX-License-Identifier: ISC */
#include "report/page/data.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/exchange/table.h"
#include "measure/histogram.h"
#include "record/server.h"

/* Figures need no more digits to be drawn. */
enum {
    DIGITS = 7,
    LINES_PER_NINE = 6,
    NINES_MAX = 6,
    SECONDS_MAX = 1200,
    DATE_LENGTH = 10
};

/* What the parts of the data are made with. */
struct make {
    struct arena *memory;
    const struct crash_results *crashes;
    const struct predict *predict;
    json_t *common; /* properties of the first group */
};

static void set_text(json_t *object, const char *key, const char *text)
{
    (void)json_object_set_new(object, key, json_string(text));
}

/* NAN and what is not known are null. */
static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static double time_or_nan(uint64_t ns)
{
    return ns != RECORD_UNKNOWN ? (double)ns : NAN;
}

/* Properties, parameters and facts: what a configuration has that the first of
   all has not, or has with another value; null is one that it lacks. */

static json_t *all_properties(const struct key *key)
{
    json_t *const object = json_object();

    for (size_t i = 0; i < key->count; i++) {
        if ((key->items[i].kind & (KEY_PARAMETER | KEY_FACT)) != 0)
            set_text(object, key->items[i].name, key->items[i].value);
    }
    return object;
}

static json_t *properties_beside(const struct key *key, json_t *common)
{
    json_t *const object = all_properties(key);
    const char *name;
    json_t *value;

    json_object_foreach(common, name, value)
    {
        json_t *const own = json_object_get(object, name);

        if (own == NULL)
            (void)json_object_set_new(object, name, json_null());
        else if (json_equal(own, value) != 0)
            (void)json_object_del(object, name);
    }
    return object;
}

/* Rates: {"median", "low", "high", "count"}, low and high null where there are
   too few runs for an interval. */

static double phase_rate(const struct record_run *run, const void *name)
{
    const struct record_phase *const phase = record_run_phase(run, name);

    return phase == NULL || phase->incomplete ? NAN : record_phase_rate(phase);
}

static json_t *rate(struct arena *memory, const struct group *group,
                    summary_figure *figure, const void *context)
{
    const struct summary summary =
        group_summary(memory, group, figure, context);

    return summary.count == 0
               ? json_null()
               : json_pack(
                     "{sf so so sI}", "median", summary.median, "low",
                     number_or_null(summary.interval ? summary.low : NAN),
                     "high",
                     number_or_null(summary.interval ? summary.high : NAN),
                     "count", (json_int_t)summary.count);
}

/* Latencies of all runs together: [[quantile, ns], ...], as many for each nine,
   as far as they are not chance.  Empty if there are none. */
static json_t *latencies(const struct group *group, const char *phase)
{
    struct histogram *const merged = malloc(sizeof *merged);
    json_t *const points = json_array();

    if (merged == NULL)
        return points;
    histogram_init(merged);
    for (size_t i = 0; i < group->run_count; i++) {
        const struct record_phase *const found =
            record_run_phase(group->runs[i].run, phase);

        if (found != NULL)
            (void)record_histogram_restore(&found->latency, merged);
    }
    for (int i = 0; i <= NINES_MAX * LINES_PER_NINE && merged->count > 0; i++) {
        const double quantile =
            1 - pow(10, -(double)i / (double)LINES_PER_NINE);

        if (!histogram_quantile_known(merged, quantile))
            break;
        (void)json_array_append_new(
            points,
            json_pack("[ff]", quantile, histogram_quantile(merged, quantile)));
    }
    free(merged);
    return points;
}

static json_t *phases(struct arena *memory, const struct group *group)
{
    const struct record_run *const shape = group->section->shape;
    json_t *const array = json_array();

    for (size_t i = 0; i < shape->phase_count; i++) {
        const char *const name = shape->phases[i].name;

        (void)json_array_append_new(
            array, json_pack("{ss so so}", "name", name, "rate",
                             rate(memory, group, phase_rate, name), "latency",
                             latencies(group, name)));
    }
    return array;
}

/* Operations in each second of the first complete run, without the last of each
   phase, which is no whole one; phases that ran one after the other stand one
   after the other. */
static json_t *seconds(const struct group *group)
{
    json_t *const array = json_array();
    const struct record_run *const run =
        group->run_count > 0 ? group->runs[0].run : NULL;

    for (size_t i = 0; run != NULL && i < run->phase_count; i++) {
        const struct record_phase *const phase = &run->phases[i];

        for (size_t s = 0; s + 1 < phase->second_count &&
                           json_array_size(array) < SECONDS_MAX;
             s++)
            (void)json_array_append_new(
                array, json_integer((json_int_t)phase->series[s].operations));
    }
    return array;
}

/* The label of a run's campaign, or else the day that it was measured. */
static const char *campaign_of(struct arena *memory,
                               const struct group_run *run)
{
    const char *const label =
        record_properties_find(&run->record->labels, "campaign");

    return label != NULL
               ? label
               : arena_print(memory, "%.10s", run->record->started_at);
}

/* [name, when it began, rate of all, rate of each phase...] */
static json_t *campaign(struct arena *memory, const struct group *part,
                        const char *name)
{
    const struct record_run *const shape = part->section->shape;
    json_t *const array =
        json_pack("[ssf]", name, part->runs[0].record->started_at,
                  group_summary(memory, part, group_run_rate, NULL).median);

    for (size_t i = 0; i < shape->phase_count; i++)
        (void)json_array_append_new(
            array, json_real(group_summary(memory, part, phase_rate,
                                           shape->phases[i].name)
                                 .median));
    return array;
}

static json_t *campaigns(struct arena *memory, const struct group *group)
{
    const size_t count = group->run_count;
    const char **const names = arena_alloc(memory, count + 1, sizeof *names);
    struct group_run *const runs = arena_alloc(memory, count + 1, sizeof *runs);
    struct group part = *group;
    json_t *const array = json_array();

    part.runs = runs;
    for (size_t i = 0; i < count; i++)
        names[i] = campaign_of(memory, &group->runs[i]);
    for (size_t i = 0; i < count; i++) {
        const char *const name = names[i];

        part.run_count = 0;
        for (size_t k = i; name != NULL && k < count; k++) {
            if (names[k] == NULL || strcmp(names[k], name) != 0)
                continue;
            runs[part.run_count++] = group->runs[k];
            names[k] = NULL;
        }
        if (part.run_count > 0)
            (void)json_array_append_new(array, campaign(memory, &part, name));
    }
    return array;
}

/* "", or how many of its results carry a warning, and the first. */
static const char *warnings_of(struct arena *memory, const struct group *group)
{
    const char *first = "";
    size_t count = 0;

    for (size_t i = 0; i < group->record_count; i++) {
        const char *const warning = group->records[i]->warning;

        if (warning[0] != '\0' && count++ == 0)
            first = warning;
    }
    return count == 0 ? ""
                      : arena_print(memory, "\n%zu of %zu results: %s", count,
                                    group->record_count, first);
}

/* Of a whole server, what a lease cost in the newest run; else "". */
static const char *cost(struct arena *memory, const struct record *record)
{
    const struct record_server_trial *const best =
        record->server != NULL ? record_server_best(record->server) : NULL;

    return best == NULL || isnan(best->processor.server_s)
               ? ""
               : arena_print(
                     memory,
                     "processor time for each lease: server %.0f, "
                     "database %.0f, perfdhcp %.0f us\n",
                     record_server_cost_us(best, best->processor.server_s),
                     record_server_cost_us(best, best->processor.store_s),
                     record_server_cost_us(best, best->processor.load_s));
}

/* What hovering says of a group, below a figure. */
static const char *about(struct arena *memory, const struct group *group,
                         const char *loss)
{
    const struct record *const newest = group_newest(group);
    const struct record_property *const product = newest->facts.items;
    const char *const first = group->records[0]->started_at;
    const bool several = strncmp(first, newest->started_at, DATE_LENGTH) != 0;

    return arena_print(
        memory, "%s %s, %s%s%s\n%s%s%s%s %s, %.*s%s%.*s%s%s%s",
        newest->facts.count == 0 ? group->store : product->key,
        newest->facts.count == 0 ? "" : product->value,
        group_class_name(group->class), group->differs[0] != '\0' ? ", " : "",
        group->differs, newest->durability_from,
        newest->durability_from[0] != '\0' ? "\n" : "", cost(memory, newest),
        newest->server != NULL ? newest->program : "ubench", newest->version,
        DATE_LENGTH, first, several ? " to " : "", several ? DATE_LENGTH : 0,
        newest->started_at,
        loss[0] != '\0' ? "\nlost something in crash tests: " : "", loss,
        warnings_of(memory, group));
}

/* What any group has for the filters and for hovering. */
static json_t *describe(struct make *make, const struct group *group)
{
    struct arena *const memory = make->memory;
    const struct record *const newest = group_newest(group);
    const char *const workload = record_parameter(newest, "workload");
    const char *const loss = crash_results_of(make->crashes, newest, memory);
    json_t *const object = json_object();

    set_text(object, "class", group_class_name(group->class));
    set_text(object, "store", group->store);
    set_text(object, "label", group->label);
    set_text(object, "differs", group->differs);
    set_text(object, "about", about(memory, group, loss));
    set_text(object, "loss", loss);
    set_text(object, "workload",
             workload[0] != '\0' ? workload : group->section->phases);
    set_text(object, "version", newest->version);
    (void)json_object_set_new(object, "properties",
                              properties_beside(&group->key, make->common));
    return object;
}

/* [[what, "rate" or "time", predicted, measured], ...]: what is known of both.
 */
static void add_prediction(json_t *array, const char *what, const char *unit,
                           double predicted, double measured)
{
    if (predicted > 0 && measured > 0)
        (void)json_array_append_new(
            array, json_pack("[ssff]", what, unit, predicted, measured));
}

/* Of a server, what its store foretells. */
static json_t *server_predictions(const struct predict *predict,
                                  const struct group *group)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];

        for (size_t k = 0; k < group->record_count && row->reference != row;
             k++) {
            if (group->records[k]->server == row->server->server)
                add_prediction(array, "leases, from its store", "rate",
                               row->rates[PREDICT_FULL], row->measured);
        }
    }
    return array;
}

static json_t *closed_group(struct make *make, const struct group *group,
                            size_t id)
{
    struct arena *const memory = make->memory;
    json_t *const object = describe(make, group);

    set_text(object, "section", section_heading(memory, group->section));
    (void)json_object_set_new(object, "standard",
                              json_boolean(group->is_default));
    (void)json_object_set_new(object, "id", json_integer((json_int_t)id));
    (void)json_object_set_new(object, "campaigns", campaigns(memory, group));
    (void)json_object_set_new(object, "phases", phases(memory, group));
    (void)json_object_set_new(object, "overall",
                              rate(memory, group, group_run_rate, NULL));
    (void)json_object_set_new(object, "seconds", seconds(group));
    if (group->records[0]->server != NULL)
        (void)json_object_set_new(object, "predictions",
                                  server_predictions(make->predict, group));
    return object;
}

/* Open loops: trials at a rate, and storms. */

static json_t *trials(const struct group *group)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < group->run_count; i++) {
        const struct record_open *const open = group->runs[i].run->open;

        for (size_t t = 0; t < open->trial_count; t++) {
            const struct record_trial *const trial = &open->trials[t];

            if (trial->incomplete || trial->rate_per_s <= 0)
                continue;
            (void)json_array_append_new(
                array, json_pack("{ss sf so so so sf}", "invalid",
                                 trial->invalid, "rate", trial->rate_per_s,
                                 "p50", number_or_null(trial->response.p50_ns),
                                 "p99", number_or_null(trial->response.p99_ns),
                                 "bad", number_or_null(trial->bad_share),
                                 "deadline", (double)trial->deadline_ns));
        }
    }
    return array;
}

static json_t *storm(const struct storm_outcome *storm)
{
    return storm->clients == 0
               ? json_null()
               : json_pack(
                     "{sf so so so}", "clients", (double)storm->clients, "half",
                     number_or_null(time_or_nan(storm->served_50_ns)), "most",
                     number_or_null(time_or_nan(storm->served_99_ns)), "all",
                     number_or_null(time_or_nan(storm->served_100_ns)));
}

static json_t *predictions(const struct record_run *run)
{
    const struct record_open *const open = run->open;
    const struct storm_outcome *const storm = &open->predicted.storm;
    json_t *const array = json_array();

    add_prediction(array, "sustained, beside a closed loop", "rate",
                   open->closed_loop.rate_per_s, run->sustained_per_s);
    if (open->trial_count == 1 && open->predicted.servers > 0) {
        add_prediction(array, "p50 of responses", "time",
                       open->predicted.trial.response.p50_ns,
                       open->trials[0].response.p50_ns);
        add_prediction(array, "p99 of responses", "time",
                       open->predicted.trial.response.p99_ns,
                       open->trials[0].response.p99_ns);
    }
    if (storm->clients > 0) {
        add_prediction(array, "half of the clients served", "time",
                       time_or_nan(storm->served_50_ns),
                       time_or_nan(open->storm.served_50_ns));
        add_prediction(array, "all clients served", "time",
                       time_or_nan(storm->served_100_ns),
                       time_or_nan(open->storm.served_100_ns));
    }
    return array;
}

static json_t *open_group(struct make *make, const struct group *group)
{
    const struct record_run *const run =
        group->run_count > 0 ? group->runs[0].run : NULL;
    json_t *const object = describe(make, group);

    set_text(object, "line",
             arena_print(make->memory, "%s, %s, %s",
                         group_class_name(group->class), group->store,
                         group->section->phases));
    (void)json_object_set_new(object, "trials", trials(group));
    (void)json_object_set_new(
        object, "storm", run == NULL ? json_null() : storm(&run->open->storm));
    (void)json_object_set_new(object, "predictions",
                              run == NULL ? json_array() : predictions(run));
    return object;
}

/* Crashes: a row for each cell. */
static json_t *crash_cells(const struct crash_results *crashes,
                           struct arena *memory)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash_cell *const cell = &crashes->cells[i];
        uint64_t lost = 0;

        for (size_t c = 0; c < cell->judged; c++) {
            if (cell->crashes[c].figures[CRASH_LEASES] != RECORD_UNKNOWN)
                lost += cell->crashes[c].figures[CRASH_LEASES];
        }
        const char *const damage =
            cell->corrupt + cell->holes + cell->torn == 0
                ? ""
                : arena_print(memory,
                              "%llu corrupt, %llu with holes, %llu torn",
                              (unsigned long long)cell->corrupt,
                              (unsigned long long)cell->holes,
                              (unsigned long long)cell->torn);
        (void)json_array_append_new(
            array,
            json_pack("{ss ss ss ss sI sI sI ss}", "store", cell->store, "name",
                      cell->name, "level", crash_level_name(cell->level),
                      "class", cell->class, "crashes", (json_int_t)cell->judged,
                      "lossy", (json_int_t)cell->lossy, "lost",
                      (json_int_t)lost, "damage", damage));
    }
    return array;
}

/* Names of parameters and settings of which a line may be drawn: those that
   differ anywhere.  asked has those that were asked for. */
static void set_axes(json_t *data, const struct groups *closed)
{
    json_t *const names = json_object();
    json_t *const axes = json_array();
    json_t *const asked = json_array();

    for (size_t i = 0; i < closed->count; i++) {
        const struct key *const key = &closed->items[i].key;
        const struct key *const first = &closed->items[0].key;

        for (size_t k = 0; k < key->count; k++) {
            const struct key_item *const item = &key->items[k];
            const char *const value = key_value(first, item->kind, item->name);

            if ((item->kind != KEY_PARAMETER && item->kind != KEY_FACT) ||
                (value != NULL && strcmp(value, item->value) == 0) ||
                json_object_get(names, item->name) != NULL)
                continue;
            (void)json_object_set_new(names, item->name, json_true());
            (void)json_array_append_new(axes, json_string(item->name));
            if (item->kind == KEY_PARAMETER)
                (void)json_array_append_new(asked, json_string(item->name));
        }
    }
    json_decref(names);
    (void)json_object_set_new(data, "axes", axes);
    (void)json_object_set_new(data, "asked", asked);
}

static json_t *meanings(const struct groups *groups)
{
    json_t *const object = json_object();

    for (size_t i = 0; i < groups->section_count; i++) {
        const struct section *const section = &groups->sections[i];

        set_text(object, group_class_name(section->groups[0].class),
                 section->meaning);
    }
    return object;
}

/* What the workloads are, of which a client or a server has a name. */
static json_t *helps(void)
{
    json_t *const object = json_object();

    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        if (json_object_get(object, e->name) == NULL)
            set_text(object, e->name, e->help);
    }
    return object;
}

/* The answer: a row for each setup, with what a site of any size can be judged
   by; a rate that is not known is null. */

static json_t *answer_rate(const struct answer_row *row,
                           enum answer_demand demand)
{
    const struct rate *const rate = &row->rates[demand];

    return rate->kind == RATE_UNKNOWN
               ? json_null()
               : json_pack("{sf so sb}", "rate", rate->per_s, "most",
                           number_or_null(answer_most(row, demand)),
                           "estimated", rate->kind == RATE_ESTIMATED);
}

static json_t *answer(const struct answer *answer)
{
    const struct answer_site *const site = &answer->site;
    json_t *const rows = json_array();

    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const row = &answer->rows[i];

        (void)json_array_append_new(
            rows,
            json_pack("{ss ss ss s[oo]}", "class",
                      row->group->class == GROUP_PUBLISHED
                          ? row->group->section->title
                          : group_class_name(row->group->class),
                      "store", row->group->store, "label", row->group->label,
                      "rates", answer_rate(row, ANSWER_RENEWALS),
                      answer_rate(row, ANSWER_RESTARTS)));
    }
    return json_pack(
        "{sI sf sf sf sf so}", "clients", (json_int_t)site->clients, "hours",
        site->lease_time_s / 3600, "minutes", site->restart_s / 60, "renewAt",
        site->renew_at, "reserve", site->reserve, "rows", rows);
}

static json_t *make_data(const struct page_parts *parts, struct arena *memory)
{
    const struct groups *const closed = parts->closed;
    const struct groups *const open = parts->open;
    const struct groups *const some = closed->count > 0 ? closed : open;
    json_t *const data = json_object();
    struct make make = {
        .memory = memory,
        .crashes = parts->crashes,
        .predict = parts->predict,
        .common = some->count > 0 ? all_properties(&some->items[0].key)
                                  : json_object(),
    };
    json_t *const groups = json_array();
    json_t *const open_groups = json_array();

    for (size_t i = 0; i < closed->count; i++)
        (void)json_array_append_new(groups,
                                    closed_group(&make, &closed->items[i], i));
    for (size_t i = 0; i < open->count; i++)
        (void)json_array_append_new(open_groups,
                                    open_group(&make, &open->items[i]));
    (void)json_object_set_new(data, "common", make.common);
    (void)json_object_set_new(data, "classes", meanings(some));
    (void)json_object_set_new(data, "helps", helps());
    (void)json_object_set_new(data, "groups", groups);
    (void)json_object_set_new(data, "open", open_groups);
    (void)json_object_set_new(data, "crashes",
                              crash_cells(parts->crashes, memory));
    (void)json_object_set_new(data, "answer", answer(parts->answer));
    set_axes(data, closed);
    return data;
}

int page_data_write(const struct page_parts *parts, FILE *out, struct err *err)
{
    struct arena memory = { 0 };
    json_t *const data = make_data(parts, &memory);
    char *const text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII |
                                            JSON_REAL_PRECISION(DIGITS));

    json_decref(data);
    arena_release(&memory);
    if (text == NULL)
        return err_set(err, "page: out of memory");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<')
            (void)fputs("\\u003c", out);
        else
            (void)putc(*c, out);
    }
    free(text);
    return 0;
}
