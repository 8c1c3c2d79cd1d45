/* SPDX-License-Identifier: ISC */
#include "report/predict/predict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "measure/statistics.h"
#include "record/server.h"

/* Rates that belong together. */
struct rates {
    size_t count;
    double values[STATISTICS_MAX];
};

static void add_rate(struct rates *rates, double per_s)
{
    if (per_s > 0 && isfinite(per_s) && rates->count < STATISTICS_MAX)
        rates->values[rates->count++] = per_s;
}

static double median_of(const struct rates *rates)
{
    return rates->count > 0 ? statistics_median(rates->values, rates->count)
                            : (double)NAN;
}

/* Servers */

static bool is_none(const char *text)
{
    return text[0] == '\0' || strcmp(text, "none") == 0;
}

/* A count that older lines do not tell is none. */
static bool is_at_most(uint64_t count, uint64_t most)
{
    return count == RECORD_UNKNOWN || count <= most;
}

/* One that does nothing besides, and whose rate was searched for. */
static bool is_plain_server(const struct record *record, const void *context)
{
    const struct record_server *const server = record->server;

    (void)context;
    return server != NULL && record->published[0] == '\0' &&
           record->runs[0].open == NULL && server->rate > 0 &&
           server->threads != RECORD_UNKNOWN &&
           is_at_most(server->classes, 0) && is_at_most(server->subnets, 1) &&
           is_at_most(server->reservations, 0) && is_none(server->hook) &&
           is_none(server->ha);
}

/* Of "kea-dhcp4/mysql" the store. */
static const char *store_of_server(const struct record *record)
{
    const char *const slash = strrchr(record->store, '/');

    return slash != NULL ? slash + 1 : record->store;
}

/* Exchanges */

/* Where leases are kept: with Kea's lease managers, what these use. */
static const char *store_of(const struct record *record)
{
    static const char *const types[][2] = { { "mysql", "mysql" },
                                            { "postgresql", "pgsql" } };
    const char *const type =
        record->facts.count > 0 ? record->facts.items[0].value : "";

    if (strcmp(record->store, "kea") != 0)
        return record->store;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strstr(type, types[i][0]) != NULL)
            return types[i][1];
    }
    return "memfile";
}

/* The exchange of a new client, and nothing else, in a closed loop and, as a
   server does it, each by itself. */
static bool is_exchange(const struct record *record, const void *context)
{
    const struct record_run *const run = &record->runs[0];

    (void)context;
    return record->server == NULL && record->published[0] == '\0' &&
           run->open == NULL && !run->incomplete && run->phase_count == 1 &&
           record_parameter_count(record, "batch", 1) == 1 &&
           strcmp(run->phases[0].name,
                  record_is_v6(record) ? "sarr" : "dora") == 0;
}

/* Whether it is the exchange of that server's store. */
static bool belongs_to(const struct record *record, const struct record *server)
{
    return record_is_v6(record) == record_is_v6(server) &&
           record->durability == server->durability &&
           record_parameter_count(record, "threads", 1) ==
               server->server->threads &&
           strcmp(store_of(record), store_of_server(server)) == 0;
}

/* Whether a is closer to what a server does than b: by Kea's lease managers,
   whose code is the server's, in Kea's tables, and with more leases in them. */
static bool is_closer(const struct record *a, const struct record *b)
{
    const bool managers[] = { strcmp(a->store, "kea") == 0,
                              strcmp(b->store, "kea") == 0 };
    const bool tables[] = {
        strncmp(record_parameter(a, "schema"), "kea", 3) == 0,
        strncmp(record_parameter(b, "schema"), "kea", 3) == 0,
    };

    return managers[0] != managers[1] ? managers[0]
           : tables[0] != tables[1]
               ? tables[0]
               : record_parameter_count(a, "preload", 0) >=
                     record_parameter_count(b, "preload", 0);
}

/* How many processors "0-2,5" are; 1 if that is not told. */
static uint64_t count_processors(const char *list)
{
    uint64_t count = 0;

    while (*list != '\0') {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last =
            *end == '-' ? strtoul(end + 1, &end, 10) : first;

        count += last >= first ? last - first + 1 : 1;
        list = *end == ',' ? end + 1 : "";
    }
    return count > 0 ? count : 1;
}

/* The threads of a server that its processors run at once. */
static double at_once(const struct record *record)
{
    const struct record_server *const server = record->server;
    const uint64_t processors = count_processors(server->processors.server);

    return (double)(server->threads < processors ? server->threads
                                                 : processors);
}

/* The rate of the exchange of a row's server, of the configuration that is
   closest to it.  Where it was measured with a server's time, which is taken
   off again, that fills in what it cost the runner, too. */
static double rate_of(const struct groups *exchanges, struct predict_row *row,
                      bool burnt)
{
    const struct group *best = NULL;
    struct rates rates = { .count = 0 };
    uint64_t burnt_ns = 0;

    for (size_t i = 0; i < exchanges->count; i++) {
        const struct record *const record = exchanges->items[i].records[0];
        const bool has_time =
            record_parameter(record, "server-time")[0] != '\0';

        if (has_time == burnt && belongs_to(record, row->server) &&
            (best == NULL || is_closer(record, best->records[0])))
            best = &exchanges->items[i];
    }
    if (best == NULL)
        return NAN;
    (void)units_scan_duration(record_parameter(best->records[0], "server-time"),
                              &burnt_ns);
    for (size_t i = 0; i < best->run_count; i++)
        add_rate(&rates, 1 / (1 / record_run_rate(best->runs[i].run) -
                              (double)burnt_ns / 1e9 / at_once(row->server)));
    const struct record_phase *const phase =
        &group_newest(best)->runs[0].phases[0];
    if (burnt && phase->usage.user_ns != RECORD_UNKNOWN &&
        phase->operations > 0)
        row->runner_us =
            (double)(phase->usage.user_ns + phase->usage.system_ns) / 1e3 /
            (double)phase->operations;
    return median_of(&rates);
}

/* Rows */

static const char *label_of(struct arena *memory, const struct record *record)
{
    const struct record_server *const server = record->server;

    return arena_print(
        memory, "%s%s%s%s, %" PRIu64 " thread%s", store_of_server(record),
        server->family == 6 ? " -6" : "", server->sync[0] != '\0' ? " -s " : "",
        server->sync, server->threads, server->threads == 1 ? "" : "s");
}

static double server_cost_us(const struct record_server *server)
{
    const struct record_server_trial *const best = record_server_best(server);

    return best != NULL ? record_server_cost_us(best, best->processor.server_s)
                        : (double)NAN;
}

static struct predict_row make_row(struct arena *memory,
                                   const struct group *servers,
                                   const struct groups *exchanges)
{
    const struct record *const first = servers->records[0];
    struct rates rates = { .count = 0 };
    struct predict_row row = { .label = label_of(memory, first),
                               .server = first,
                               .server_time_ns = NAN,
                               .server_us = server_cost_us(first->server),
                               .runner_us = NAN };

    for (size_t i = 0; i < servers->record_count; i++)
        add_rate(&rates, servers->records[i]->server->rate);
    row.measured = median_of(&rates);
    row.rates[PREDICT_ALONE] = rate_of(exchanges, &row, false);
    row.beside = rate_of(exchanges, &row, true);
    if (isnan(row.beside))
        row.beside = row.rates[PREDICT_ALONE];
    return row;
}

static int compare_rows(const void *a, const void *b)
{
    const struct predict_row *const left = a;
    const struct predict_row *const right = b;

    if (left->measured < right->measured || left->measured > right->measured)
        return left->measured < right->measured ? 1 : -1;
    return strcmp(left->label, right->label);
}

/* A row for each configuration of a server; those that would be called the same
   are told apart by all that differs. */
static struct predict_row *make_rows(struct predict *predict,
                                     const struct archive *archive)
{
    struct arena *const memory = &predict->memory;
    const struct archive exchanges =
        archive_filter(archive, is_exchange, NULL, memory);
    const struct archive servers =
        archive_filter(archive, is_plain_server, NULL, memory);

    groups_init(&predict->exchanges, &exchanges);
    groups_init(&predict->servers, &servers);
    const struct groups *const groups = &predict->servers;
    struct predict_row *const rows =
        arena_alloc(memory, groups->count + 1, sizeof *rows);
    for (size_t i = 0; i < groups->count; i++)
        rows[i] = make_row(memory, &groups->items[i], &predict->exchanges);
    for (size_t i = 0; i < groups->count; i++) {
        const char *const label = label_of(memory, rows[i].server);

        for (size_t k = 0; k < groups->count; k++) {
            if (k != i && strcmp(label, label_of(memory, rows[k].server)) == 0)
                rows[i].label = arena_print(memory, "%s (%s)", label,
                                            groups->items[i].differs);
        }
    }
    qsort(rows, groups->count, sizeof *rows, compare_rows);
    predict->rows = rows;
    predict->count = groups->count;
    return rows;
}

/* The server's own time */

/* Kea with memfile that writes no file, with one thread. */
static bool is_reference(const struct predict_row *row)
{
    return strcmp(store_of_server(row->server), "memfile") == 0 &&
           row->server->durability == DURABILITY_VOLATILE &&
           row->server->server->threads == 1 &&
           row->measured < row->rates[PREDICT_ALONE];
}

/* Whether a reference has the server of a row, on the same processors. */
static bool serves(const struct predict_row *reference,
                   const struct predict_row *row)
{
    const struct record *const a = reference->server;
    const struct record *const b = row->server;

    return is_reference(reference) && record_is_v6(a) == record_is_v6(b) &&
           strcmp(a->program, b->program) == 0 &&
           strcmp(a->version, b->version) == 0 &&
           strcmp(a->server->processors.server, b->server->processors.server) ==
               0;
}

/* Of several references of a server the fastest counts: rows are sorted. */
static void find_server_time(const struct predict *predict,
                             struct predict_row *row, uint64_t told_ns)
{
    if (told_ns > 0)
        row->server_time_ns = (double)told_ns;
    else if (is_reference(row))
        row->reference = row;
    for (size_t i = 0;
         told_ns == 0 && row->reference == NULL && i < predict->count; i++) {
        if (serves(&predict->rows[i], row))
            row->reference = &predict->rows[i];
    }
    if (row->reference != NULL)
        row->server_time_ns = 1e9 / row->reference->measured -
                              1e9 / row->reference->rates[PREDICT_ALONE];
}

/* A trial as a point: leases per second, and how long the server's process was
   at work for each. */
struct point {
    double per_s;
    double ns;
};

static struct point point_of(const struct record_server *server, size_t trial)
{
    const struct record_server_trial *const it = &server->trials[trial];

    return (struct point){
        (double)it->granted / server->seconds,
        record_server_cost_us(it, it->processor.server_s) * 1e3,
    };
}

double predict_server_time_ns(const struct predict_row *row, double per_s)
{
    const struct predict_row *const from = row->reference;
    struct point low = { 0, NAN };
    struct point high = { INFINITY, NAN };

    for (size_t i = 0; from != NULL && i < from->server->server->trial_count;
         i++) {
        const struct point point = point_of(from->server->server, i);

        if (!(point.per_s > 0) || isnan(point.ns))
            continue;
        if (point.per_s <= per_s && point.per_s > low.per_s)
            low = point;
        if (point.per_s >= per_s && point.per_s < high.per_s)
            high = point;
    }
    if (isnan(low.ns) && isnan(high.ns))
        return row->server_time_ns;
    const double share = log(per_s / low.per_s) / log(high.per_s / low.per_s);
    const double ns = isnan(low.ns) ? high.ns
                      : isnan(high.ns) || !(share > 0)
                          ? low.ns
                          : low.ns + share * (high.ns - low.ns);
    return fmax(ns - 1e9 / from->rates[PREDICT_ALONE], row->server_time_ns);
}

/* The rate at which store and server, one after the other, have no time left;
   a server's time falls as its rate rises, but not as fast. */
static double rate_with(const struct predict_row *row)
{
    double low = 0;
    double high = row->beside;

    for (int i = 0; i < 60; i++) {
        const double rate = (low + high) / 2;
        const double server_s = predict_server_time_ns(row, rate) / 1e9;
        const bool possible =
            rate * (1 / row->beside + server_s / at_once(row->server)) < 1;

        low = possible ? rate : low;
        high = possible ? high : rate;
    }
    return low > 0 ? low : (double)NAN;
}

/* Scores */

double predict_error(const struct predict_row *row, enum predict_model model)
{
    return row->rates[model] / row->measured - 1;
}

static double rate_by(const struct predict_row *row, enum predict_model model)
{
    return row->reference == row ? (double)NAN : row->rates[model];
}

static struct predict_score score_of(const struct predict *predict,
                                     enum predict_model model)
{
    struct rates errors = { .count = 0 };
    struct predict_score score = { .count = 0 };
    double largest = -1;

    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];
        const double error = fabs(rate_by(row, model) / row->measured - 1);

        if (isnan(error) || errors.count == STATISTICS_MAX)
            continue;
        errors.values[errors.count++] = error;
        if (error > largest) {
            largest = error;
            score.largest = row;
        }
        for (size_t k = 0; k < i; k++) { /* those with a higher rate */
            const struct predict_row *const other = &predict->rows[k];
            const double higher = rate_by(other, model);

            if (isnan(higher) || !(other->measured > row->measured))
                continue;
            score.pairs++;
            score.swapped += higher < rate_by(row, model);
        }
    }
    score.count = errors.count;
    score.median = median_of(&errors);
    return score;
}

int predict_init(struct predict *predict, uint64_t server_time_ns,
                 const struct archive *archive, struct err *err)
{
    bool has_time = false;

    *predict = (struct predict){ .told = server_time_ns > 0 };
    struct predict_row *const rows = make_rows(predict, archive);
    for (size_t i = 0; i < predict->count; i++) {
        struct predict_row *const row = &rows[i];

        find_server_time(predict, row, server_time_ns);
        has_time = has_time || !isnan(row->server_time_ns);
        row->rates[PREDICT_ADDED] =
            1 / (1 / row->rates[PREDICT_ALONE] +
                 row->server_time_ns / 1e9 / at_once(row->server));
        row->rates[PREDICT_FULL] = rate_with(row);
    }
    for (int model = 0; model < PREDICT_MODELS; model++)
        predict->scores[model] = score_of(predict, (enum predict_model)model);
    if (predict->scores[PREDICT_FULL].count > 0)
        return 0;
    if (predict->count == 0)
        return err_set(err, "no highest rate of a DHCP server is there: "
                            "scripts/dhcp.sh rate measures it");
    if (!has_time)
        return err_set(err,
                       "the server's own time is not known: it takes the rate "
                       "of the server with memfile, sync volatile and 1 "
                       "thread, and dora of memfile of that class; or "
                       "--server-time");
    return err_set(err, "no server has both its own time, of its version and "
                        "processors, and a result of dora or sarr with the "
                        "same store, durability class and threads");
}

void predict_release(struct predict *predict)
{
    groups_release(&predict->servers);
    groups_release(&predict->exchanges);
    arena_release(&predict->memory);
    *predict = (struct predict){ .count = 0 };
}
