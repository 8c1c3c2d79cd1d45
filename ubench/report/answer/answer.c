/* SPDX-License-Identifier: ISC */
#include "report/answer/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/choose.h"

/* Smaller differences count for nothing. */
static const double least_effect = 0.03;

/* More clients than this times the leases in the store are not answered for:
   tables that are that much larger may be slower. */
static const double most_leases = 10;
static const double ipv4_addresses = 4294967296.0;

double answer_need(const struct answer_site *site, enum answer_demand demand,
                   double clients)
{
    return demand == ANSWER_RENEWALS
               ? clients / (site->lease_time_s * site->renew_at)
               : clients / site->restart_s;
}

double answer_most(const struct answer_row *row, enum answer_demand demand)
{
    const uint64_t leases = row->rates[demand].leases;
    const bool v6 = record_is_v6(row->group->records[0]);

    return row->rates[demand].kind == RATE_UNKNOWN
               ? (double)NAN
               : fmin(most_leases * (double)leases,
                      v6 ? (double)INFINITY : ipv4_addresses);
}

double answer_times(const struct answer_site *site,
                    const struct answer_row *row, enum answer_demand demand,
                    double clients)
{
    if (row->rates[demand].kind == RATE_UNKNOWN ||
        clients > answer_most(row, demand))
        return NAN;
    return row->rates[demand].per_s / answer_need(site, demand, clients);
}

double answer_least_times(const struct answer_site *site,
                          const struct answer_row *row, double clients)
{
    double least = INFINITY;

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        const double times =
            answer_times(site, row, (enum answer_demand)i, clients);

        if (row->rates[i].kind == RATE_UNKNOWN)
            continue;
        if (isnan(times))
            return NAN;
        least = fmin(least, times);
    }
    return isinf(least) ? (double)NAN : least;
}

struct answer_shards answer_shards(const struct answer_site *site,
                                   const struct answer_row *row, double clients)
{
    struct answer_shards shards = { .count = NAN, .limit = ANSWER_DEMANDS };
    double carried = INFINITY;
    double most = INFINITY;

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        const enum answer_demand demand = (enum answer_demand)i;
        const double by_rate = row->rates[i].per_s /
                               (answer_need(site, demand, 1) * site->reserve);

        if (row->rates[i].kind == RATE_UNKNOWN)
            return shards;
        most = fmin(most, answer_most(row, demand));
        if (by_rate < carried) {
            carried = by_rate;
            shards.limit = demand;
        }
    }
    if (most < 1 || carried < 1)
        return shards;
    carried = fmin(carried, clients);
    shards.count = ceil(clients / floor(fmin(most, carried)));
    shards.by_rates = ceil(clients / floor(carried));
    if (shards.by_rates < shards.count) {
        shards.limit = ANSWER_DEMANDS;
        shards.preload = ceil(floor(carried) / most_leases);
    }
    return shards;
}

bool answer_has_node_loss(const struct answer *answer)
{
    bool has = false;

    for (size_t i = 0; i < answer->row_count && !has; i++)
        has = group_node_loss(answer->rows[i].group)[0] != '\0';
    return has;
}

/* Which results */

/* The null store carries no client, and a server that others measured stands on
   another machine. */
static bool is_wanted(const struct record *record, const void *where)
{
    return (record->durability_known ? record->durability != DURABILITY_NONE
                                     : record->server == NULL) &&
           choose_has_all(record, where);
}

static bool has_threads(const struct record *record, const void *threads)
{
    return record_parameter_count(record, "threads", 1) ==
           *(const uint64_t *)threads;
}

static int by_count(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Leaves the results with the fewest threads, and says which others there
   are. */
static struct archive choose_threads(struct answer *answer,
                                     const struct archive *archive)
{
    struct arena *const memory = &answer->memory;
    uint64_t *const counts =
        arena_alloc(memory, archive->count, sizeof *counts);

    for (size_t i = 0; i < archive->count; i++)
        counts[i] = record_parameter_count(&archive->records[i], "threads", 1);
    qsort(counts, archive->count, sizeof *counts, by_count);
    for (size_t i = 1; i < archive->count; i++) {
        if (counts[i] != counts[i - 1])
            answer->other_threads = arena_join(memory, answer->other_threads,
                                               ", ", "%zu", (size_t)counts[i]);
    }
    answer->threads = arena_print(memory, "%zu", (size_t)counts[0]);
    return archive_filter(archive, has_threads, &counts[0], memory);
}

static int choose_results(struct answer *answer,
                          const struct opt_settings *where,
                          const struct archive *archive, struct err *err)
{
    struct arena *const memory = &answer->memory;
    const struct archive all = archive_view(
        archive, ARCHIVE_CLOSED | ARCHIVE_OPEN | ARCHIVE_SERVER, memory);
    struct archive chosen = archive_filter(&all, is_wanted, where, memory);

    if (choose_check("where", where, archive, err) != 0)
        return -1;
    if (chosen.count == 0)
        return err_set(err, "there is no result of a store that keeps leases%s",
                       where->count > 0 ? " and is as --where says" : "");
    if (choose_setting(where, "threads") == NULL)
        chosen = choose_threads(answer, &chosen);
    groups_init_setups(&answer->groups, &chosen);
    for (size_t i = chosen.count; i-- > 0;) {
        if (chosen.records[i].warning[0] == '\0' ||
            !chosen.records[i].durability_known)
            continue;
        answer->disturbed++;
        answer->warning = chosen.records[i].warning;
    }
    answer->result_count = chosen.count;
    return 0;
}

/* Rows */

static struct answer_row make_row(struct arena *memory,
                                  const struct answer_site *site,
                                  const struct group *group)
{
    static const char *const renewals[] = { "renew" };
    static const char *const known[] = { "dora-known", "init-reboot", "dora" };
    static const char *const new[] = { "dora" };
    static const char *const v6[] = { "sarr" };
    const struct record *const record = group->records[0];
    const bool is_v6 = record_is_v6(record);
    struct answer_row row = { .group = group };

    row.rates[ANSWER_RENEWALS] = rate_of_group(memory, group, renewals, 1);
    row.rates[ANSWER_RESTARTS] = is_v6 ? rate_of_group(memory, group, v6, 1)
                                 : site->restart_new
                                     ? rate_of_group(memory, group, new, 1)
                                     : rate_of_group(memory, group, known, 3);
    if (record->server != NULL &&
        row.rates[ANSWER_RENEWALS].kind == RATE_UNKNOWN) {
        row.rates[ANSWER_RENEWALS] = row.rates[ANSWER_RESTARTS];
        if (row.rates[ANSWER_RESTARTS].kind != RATE_UNKNOWN) {
            row.rates[ANSWER_RENEWALS].kind = RATE_ESTIMATED;
            row.rates[ANSWER_RENEWALS].source = "at most a server's new lease";
        }
    }
    return row;
}

static int by_renewals(const void *a, const void *b)
{
    const struct answer_row *const left = a;
    const struct answer_row *const right = b;
    const double x = left->rates[ANSWER_RENEWALS].per_s;
    const double y = right->rates[ANSWER_RENEWALS].per_s;

    return (x < y) - (x > y);
}

static void note_runs(struct answer *answer, const struct answer_row *row)
{
    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        const size_t runs = row->rates[i].runs;

        if (runs > 0 && (answer->runs_least == 0 || runs < answer->runs_least))
            answer->runs_least = runs;
        if (runs > answer->runs_most)
            answer->runs_most = runs;
    }
}

/* Returns the classes, whose pairs are still to be made. */
static struct answer_class *make_rows(struct answer *answer)
{
    struct arena *const memory = &answer->memory;
    const struct groups *const groups = &answer->groups;
    struct answer_row *const rows =
        arena_alloc(memory, groups->count, sizeof *rows);
    struct answer_class *const classes =
        arena_alloc(memory, groups->section_count, sizeof *classes);

    for (size_t i = 0; i < groups->section_count; i++) {
        const struct section *const section = &groups->sections[i];
        struct answer_row *const first = &rows[answer->row_count];

        for (size_t k = 0; k < section->count; k++) {
            first[k] = make_row(memory, &answer->site, &section->groups[k]);
            note_runs(answer, &first[k]);
        }
        qsort(first, section->count, sizeof *first, by_renewals);
        classes[i] = (struct answer_class){ .name = section->title,
                                            .meaning = section->meaning,
                                            .count = section->count,
                                            .rows = first };
        answer->row_count += section->count;
    }
    answer->rows = rows;
    answer->classes = classes;
    answer->class_count = groups->section_count;
    return classes;
}

/* Pairs */

struct pairs {
    size_t count;
    struct answer_pair *items;
};

static void add_pair(struct pairs *pairs, const struct answer_row *from,
                     const struct answer_row *to)
{
    const struct rate *const a = &from->rates[ANSWER_RENEWALS];
    const struct rate *const b = &to->rates[ANSWER_RENEWALS];
    struct answer_pair *const pair = &pairs->items[pairs->count++];

    *pair = (struct answer_pair){
        .from = from,
        .to = to,
        .alike = a->kind != RATE_UNKNOWN && a->kind == b->kind &&
                 a->operations == b->operations && a->leases <= 2 * b->leases &&
                 b->leases <= 2 * a->leases,
    };
    if (pair->alike)
        pair->contrast = sample_contrast(a->sample, b->sample);
}

/* The same store under the same load in the next less safe class that has it;
   NULL if none has. */
static const struct answer_row *less_safe(const struct answer *answer,
                                          size_t class,
                                          const struct answer_row *row)
{
    for (size_t i = class + 1; i < answer->class_count; i++) {
        const struct answer_class *const other = &answer->classes[i];

        for (size_t k = 0; k < other->count; k++) {
            const struct group *const group = other->rows[k].group;

            if (group->class != GROUP_PUBLISHED &&
                strcmp(group->store, row->group->store) == 0 &&
                key_alike(&group->key, &row->group->key, KEY_PARAMETER))
                return &other->rows[k];
        }
    }
    return NULL;
}

/* What is more than chance, all of it together. */
static void judge(struct arena *memory, const struct pairs *pairs)
{
    double *const p = arena_alloc(memory, pairs->count, sizeof *p);
    struct answer_pair **const judged =
        arena_alloc(memory, pairs->count, sizeof *judged);
    size_t count = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        struct answer_pair *const pair = &pairs->items[i];

        if (!pair->alike || !(pair->contrast.interval.coverage > 0) ||
            count == SIGNIFICANCE_TESTS_MAX)
            continue;
        p[count] = pair->contrast.p;
        judged[count++] = pair;
    }
    significance_adjust(p, count);
    for (size_t i = 0; i < count; i++)
        judged[i]->shown = contrast_is_shown(judged[i]->contrast.ratio, p[i],
                                             log1p(least_effect));
}

static void make_pairs(struct answer *answer, struct answer_class *classes)
{
    size_t most = answer->row_count;

    for (size_t i = 0; i < answer->class_count; i++)
        most += classes[i].count * classes[i].count;
    struct pairs pairs = { .items = arena_alloc(&answer->memory, most,
                                                sizeof *pairs.items) };
    for (size_t i = 0; i < answer->class_count; i++) {
        const struct answer_row *const rows = classes[i].rows;

        classes[i].pairs = &pairs.items[pairs.count];
        for (size_t a = 0; a < classes[i].count; a++) {
            for (size_t b = a + 1; b < classes[i].count; b++)
                add_pair(&pairs, &rows[a], &rows[b]);
        }
    }
    answer->prices = &pairs.items[pairs.count];
    for (size_t i = 0; i < answer->class_count; i++) {
        for (size_t k = 0; k < classes[i].count; k++) {
            const struct answer_row *const to =
                less_safe(answer, i, &classes[i].rows[k]);

            if (to == NULL)
                continue;
            add_pair(&pairs, &classes[i].rows[k], to);
            answer->price_count++;
        }
    }
    judge(&answer->memory, &pairs);
}

int answer_init(struct answer *answer, const struct answer_site *site,
                const struct opt_settings *where, const struct archive *archive,
                struct err *err)
{
    *answer = (struct answer){
        .site = *site, .threads = "", .other_threads = "", .warning = ""
    };
    if (choose_results(answer, where, archive, err) != 0)
        return -1;
    make_pairs(answer, make_rows(answer));
    return 0;
}

void answer_release(struct answer *answer)
{
    groups_release(&answer->groups);
    arena_release(&answer->memory);
}
