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
static bool is_plain_server(const struct record *record)
{
    const struct record_server *const server = record->server;

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

static bool is_same_server(const struct record *a, const struct record *b)
{
    return strcmp(a->store, b->store) == 0 && a->durability == b->durability &&
           strcmp(a->program, b->program) == 0 &&
           strcmp(a->version, b->version) == 0 &&
           a->server->threads == b->server->threads &&
           a->server->queue == b->server->queue;
}

static bool is_v6(const struct record *record)
{
    return record->server != NULL ? record->server->family == 6
                                  : record_parameter(record, "ipv6")[0] != '\0';
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

/* The exchange of a new client, and nothing else, in a closed loop. */
static const struct record_phase *exchange_of(const struct record *record)
{
    const struct record_run *const run = &record->runs[0];

    if (record->server != NULL || record->published[0] != '\0' ||
        run->open != NULL || run->incomplete || run->phase_count != 1)
        return NULL;
    return record_run_phase(run, is_v6(record) ? "sarr" : "dora");
}

/* Whether it is the exchange of that server's store. */
static bool belongs_to(const struct record *record, const struct record *server)
{
    return exchange_of(record) != NULL && is_v6(record) == is_v6(server) &&
           record->durability == server->durability &&
           record_parameter_count(record, "threads", 1) ==
               server->server->threads &&
           strcmp(store_of(record), store_of_server(server)) == 0;
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

struct search {
    const struct archive *archive;
    const struct record *server;
    bool burnt;     /* with a server's time, which is taken off again */
    bool of_kea;    /* by Kea's lease managers */
    double cost_us; /* processor time of the runner, for each exchange */
};

static double find_rate(struct search *search)
{
    struct rates rates = { .count = 0 };

    for (size_t i = 0; i < search->archive->count; i++) {
        const struct record *const record = &search->archive->records[i];
        uint64_t burnt_ns = 0;
        const bool burnt =
            units_scan_duration(record_parameter(record, "server-time"),
                                &burnt_ns) == 0;

        if (burnt != search->burnt || !belongs_to(record, search->server) ||
            (strcmp(record->store, "kea") == 0) != search->of_kea)
            continue;
        for (size_t k = 0; k < record_complete_runs(record); k++)
            add_rate(&rates,
                     1 / (1 / record_run_rate(&record->runs[k]) -
                          (double)burnt_ns / 1e9 / at_once(search->server)));
        const struct record_phase *const phase = exchange_of(record);
        if (phase->usage.user_ns != RECORD_UNKNOWN && phase->operations > 0)
            search->cost_us =
                (double)(phase->usage.user_ns + phase->usage.system_ns) / 1e3 /
                (double)phase->operations;
    }
    return median_of(&rates);
}

/* By Kea's lease managers if there are such results: their code is the
   server's; else by the store's own runner. */
static double rate_of(const struct archive *archive, struct predict_row *row,
                      bool burnt)
{
    struct search search = { .archive = archive,
                             .server = row->server,
                             .burnt = burnt,
                             .of_kea = true,
                             .cost_us = NAN };
    double per_s = find_rate(&search);

    if (isnan(per_s)) {
        search.of_kea = false;
        per_s = find_rate(&search);
    }
    if (burnt)
        row->runner_us = search.cost_us;
    return per_s;
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

static void fill_row(struct predict *predict, const struct archive *archive,
                     const struct record *first, struct predict_row *row)
{
    struct rates rates = { .count = 0 };

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];

        if (is_plain_server(record) && is_same_server(first, record))
            add_rate(&rates, record->server->rate);
    }
    *row = (struct predict_row){
        .label = label_of(&predict->memory, first),
        .server = first,
        .measured = median_of(&rates),
        .server_us = server_cost_us(first->server),
    };
    row->rates[PREDICT_ALONE] = rate_of(archive, row, false);
    row->beside = rate_of(archive, row, true);
    if (isnan(row->beside))
        row->beside = row->rates[PREDICT_ALONE];
}

static bool is_new(const struct predict_row *rows, size_t count,
                   const struct record *record)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same_server(rows[i].server, record))
            return false;
    }
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct predict_row *const left = a;
    const struct predict_row *const right = b;

    if (left->measured < right->measured || left->measured > right->measured)
        return left->measured < right->measured ? 1 : -1;
    return strcmp(left->label, right->label);
}

static struct predict_row *make_rows(struct predict *predict,
                                     const struct archive *archive)
{
    struct predict_row *const rows =
        arena_alloc(&predict->memory, archive->count + 1, sizeof *rows);

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];

        if (is_plain_server(record) && is_new(rows, predict->count, record))
            fill_row(predict, archive, record, &rows[predict->count++]);
    }
    qsort(rows, predict->count, sizeof *rows, compare_rows);
    predict->rows = rows;
    return rows;
}

/* The server's own time */

static void find_server_time(struct predict *predict, struct predict_row *rows,
                             uint64_t told_ns)
{
    predict->told = told_ns > 0;
    for (size_t i = 0; i < 2; i++)
        predict->server_time_ns[i] =
            told_ns > 0 ? (double)told_ns : (double)NAN;
    for (size_t i = 0; i < predict->count && !predict->told; i++) {
        struct predict_row *const row = &rows[i];
        const bool v6 = is_v6(row->server);

        row->reference = strcmp(store_of_server(row->server), "memfile") == 0 &&
                         row->server->durability == DURABILITY_VOLATILE &&
                         row->server->server->threads == 1 &&
                         row->measured < row->rates[PREDICT_ALONE];
        if (!row->reference)
            continue;
        predict->server_time_ns[v6] =
            1e9 / row->measured - 1e9 / row->rates[PREDICT_ALONE];
        predict->references[v6] = row;
    }
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

double predict_server_time_ns(const struct predict *predict, bool v6,
                              double per_s)
{
    const struct predict_row *const row = predict->references[v6];
    struct point low = { 0, NAN };
    struct point high = { INFINITY, NAN };

    for (size_t i = 0; row != NULL && i < row->server->server->trial_count;
         i++) {
        const struct point point = point_of(row->server->server, i);

        if (!(point.per_s > 0) || isnan(point.ns))
            continue;
        if (point.per_s <= per_s && point.per_s > low.per_s)
            low = point;
        if (point.per_s >= per_s && point.per_s < high.per_s)
            high = point;
    }
    if (isnan(low.ns) && isnan(high.ns))
        return predict->server_time_ns[v6];
    const double share = log(per_s / low.per_s) / log(high.per_s / low.per_s);
    const double ns = isnan(low.ns) ? high.ns
                      : isnan(high.ns) || !(share > 0)
                          ? low.ns
                          : low.ns + share * (high.ns - low.ns);
    return fmax(ns - 1e9 / row->rates[PREDICT_ALONE],
                predict->server_time_ns[v6]);
}

/* The rate at which store and server, one after the other, have no time left;
   a server's time falls as its rate rises, but not as fast. */
static double rate_with(const struct predict *predict,
                        const struct predict_row *row)
{
    double low = 0;
    double high = row->beside;

    for (int i = 0; i < 60; i++) {
        const double rate = (low + high) / 2;
        const double server_s =
            predict_server_time_ns(predict, is_v6(row->server), rate) / 1e9;
        const bool possible =
            rate * (1 / row->beside + server_s / at_once(row->server)) < 1;

        low = possible ? rate : low;
        high = possible ? high : rate;
    }
    return low > 0 ? low : (double)NAN;
}

static void predict_row_rates(const struct predict *predict,
                              struct predict_row *row)
{
    const double time_s = predict->server_time_ns[is_v6(row->server)] / 1e9;

    row->rates[PREDICT_ADDED] =
        1 / (1 / row->rates[PREDICT_ALONE] + time_s / at_once(row->server));
    row->predicted = rate_with(predict, row);
}

/* Scores */

double predict_error(const struct predict_row *row, double predicted)
{
    return predicted / row->measured - 1;
}

static double rate_by(const struct predict_row *row, int model)
{
    return row->reference           ? (double)NAN
           : model < PREDICT_MODELS ? row->rates[model]
                                    : row->predicted;
}

static struct predict_score score_of(const struct predict *predict, int model)
{
    struct rates errors = { .count = 0 };
    struct predict_score score = { .count = 0 };
    double largest = -1;

    for (size_t i = 0; i < predict->count; i++) {
        const struct predict_row *const row = &predict->rows[i];
        const double error = fabs(predict_error(row, rate_by(row, model)));

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
    *predict = (struct predict){ .count = 0 };
    struct predict_row *const rows = make_rows(predict, archive);

    find_server_time(predict, rows, server_time_ns);
    for (size_t i = 0; i < predict->count; i++)
        predict_row_rates(predict, &rows[i]);
    for (int model = 0; model < PREDICT_MODELS; model++)
        predict->scores[model] = score_of(predict, model);
    predict->score = score_of(predict, PREDICT_MODELS);
    if (predict->score.count > 0)
        return 0;
    if (predict->count == 0)
        return err_set(err, "no highest rate of a DHCP server is there: "
                            "scripts/dhcp.sh rate measures it");
    if (isnan(predict->server_time_ns[0]) && isnan(predict->server_time_ns[1]))
        return err_set(err,
                       "the server's own time is not known: it takes the rate "
                       "of the server with memfile, sync volatile and 1 "
                       "thread, and dora of memfile of that class; or "
                       "--server-time");
    return err_set(err, "no server has a result of dora or sarr with the same "
                        "store, durability class and threads");
}

void predict_release(struct predict *predict)
{
    arena_release(&predict->memory);
    *predict = (struct predict){ .count = 0 };
}
