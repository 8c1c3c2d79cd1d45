/* SPDX-License-Identifier: ISC */
#include "demand/summary.h"

#include <inttypes.h>
#include <stdlib.h>

/* The leases at the end of the files. */
struct states {
    uint64_t active;
    uint64_t overdue; /* expired, but not reclaimed */
    uint64_t oldest_overdue_s;
    uint64_t declined;
    uint64_t reclaimed;
    uint64_t released;
    uint64_t forever; /* of the active ones */
    struct tally lifetimes;
    struct tally subnets;
};

static bool is_active(const struct history *history, const struct site_lease *lease)
{
    return lease->state == ROW_ACTIVE && lease_ends_s(lease) > history->latest_s;
}

static void count_overdue(struct states *states, uint64_t late_s)
{
    states->overdue++;
    if (late_s > states->oldest_overdue_s)
        states->oldest_overdue_s = late_s;
}

static int count_active(struct states *states, const struct site_lease *lease, struct err *err)
{
    states->active++;
    states->forever += lease->valid_s == LEASE_VALID_FOREVER;
    return tally_add(&states->lifetimes, lease->valid_s, 1, err) == 0
               ? tally_add(&states->subnets, lease->subnet, 1, err)
               : -1;
}

static int count_states(const struct history *history, struct states *states, struct err *err)
{
    for (size_t i = 0; i < history->leases.count; i++) {
        const struct site_lease *const lease = &history->leases.all[i];

        states->declined += lease->state == ROW_DECLINED;
        states->reclaimed += lease->state == ROW_RECLAIMED;
        states->released += lease->state == ROW_RELEASED;
        if (lease->state != ROW_ACTIVE)
            continue;
        if (!is_active(history, lease))
            count_overdue(states, history->latest_s - lease_ends_s(lease));
        else if (count_active(states, lease, err) != 0)
            return -1;
    }
    return 0;
}

/* Counts the last transactions, the only ones that a snapshot has. */
static int count_last(struct history *history, struct err *err)
{
    for (size_t i = 0; i < history->leases.count; i++) {
        const struct site_lease *const lease = &history->leases.all[i];
        const uint64_t minute = (uint64_t)(lease->last_s / 60) * EVENT_COLUMNS;

        if (lease->state == ROW_ACTIVE && lease->last_s > 0 &&
            tally_add(&history->minutes, minute + EVENT_LAST, 1, err) != 0)
            return -1;
    }
    return 0;
}

static bool is_above(struct lease_address a, struct lease_address b)
{
    return a.high > b.high || (a.high == b.high && a.low > b.low);
}

static int compare_pools(const void *a, const void *b)
{
    const struct pool *const left = a;
    const struct pool *const right = b;

    return is_above(left->first, right->first) - is_above(right->first, left->first);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct pool *const left = a;
    const struct pool *const right = b;

    return (left->number > right->number) - (left->number < right->number);
}

/* Returns the pool of an address, or NULL.  The pools are sorted and do not overlap. */
static struct pool *find_pool(const struct summary *summary, struct lease_address address)
{
    size_t low = 0;
    size_t high = summary->pool_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (is_above(summary->pools[middle].first, address))
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 && !is_above(address, summary->pools[low - 1].last) ? &summary->pools[low - 1]
                                                                       : NULL;
}

static void count_pools(struct summary *summary, const struct history *history)
{
    if (summary->pool_count == 0)
        return;
    qsort(summary->pools, summary->pool_count, sizeof *summary->pools, compare_pools);
    for (size_t i = 0; i < history->leases.count; i++) {
        const struct site_lease *const lease = &history->leases.all[i];
        const bool active = is_active(history, lease);

        if (!active && lease->state != ROW_DECLINED)
            continue;
        struct pool *const pool = find_pool(summary, leases_address(&history->leases, i));
        if (pool != NULL && active)
            pool->active++;
        else if (pool != NULL)
            pool->declined++;
    }
    qsort(summary->pools, summary->pool_count, sizeof *summary->pools, compare_numbers);
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Counts the clients of the active leases.  A lease without a client hash counts as one client. */
static int count_clients(const struct history *history, uint64_t active, uint64_t *clients,
                         struct err *err)
{
    uint64_t *const hashes = err_calloc(active + 1, sizeof *hashes, err);
    size_t count = 0;

    if (hashes == NULL)
        return -1;
    *clients = 0;
    for (size_t i = 0; i < history->leases.count; i++) {
        const struct site_lease *const lease = &history->leases.all[i];

        if (is_active(history, lease) && lease_client(lease) != 0)
            hashes[count++] = lease_client(lease);
        else
            *clients += is_active(history, lease);
    }
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 0; i < count; i++)
        *clients += i == 0 || hashes[i] != hashes[i - 1];
    free(hashes);
    return 0;
}

/* ---- Writing */

static void write_counts(const char *name, const uint64_t *counts, size_t count, FILE *out)
{
    (void)fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s%" PRIu64, i > 0 ? "," : "", counts[i]);
    (void)fprintf(out, "]");
}

static void write_tally(const char *name, struct tally *tally, FILE *out)
{
    tally_sort(tally);
    (void)fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < tally->used; i++)
        (void)fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i > 0 ? "," : "", tally->items[i].key,
                      tally->items[i].count);
    (void)fprintf(out, "],");
}

static void write_files(const struct summary *summary, FILE *out)
{
    (void)fprintf(out, "\"files\":[");
    for (size_t i = 0; i < summary->file_count; i++) {
        const struct file_summary *const file = &summary->files[i];

        (void)fprintf(out,
                      "%s{\"format\":\"%s\",\"lines\":%" PRIu64 ",\"records\":%" PRIu64
                      ",\"damaged\":%" PRIu64 ",\"stale\":%" PRIu64 ",\"ahead\":%s}",
                      i > 0 ? "," : "", file->format == RECORD_KEA ? "kea" : "dhcpd", file->lines,
                      file->records, file->damaged, file->stale, file->ahead ? "true" : "false");
    }
    (void)fprintf(out, "],\"damages\":[");
    for (size_t i = 0; i < summary->damage_count; i++)
        (void)fprintf(out, "%s{\"file\":%zu,\"line\":%" PRIu64 ",\"what\":\"%s\"}",
                      i > 0 ? "," : "", summary->damages[i].file, summary->damages[i].line,
                      summary->damages[i].what);
    (void)fprintf(out, "],");
}

/* Writes one hour of the sorted tally of minutes, from item i on; returns the next item. */
static size_t write_hour(const struct tally *minutes, size_t i, FILE *out)
{
    const uint64_t hour = minutes->items[i].key / EVENT_COLUMNS / 60;
    uint64_t sums[EVENT_COLUMNS] = { 0 };
    uint64_t worst[EVENT_COLUMNS] = { 0 };

    for (; i < minutes->used && minutes->items[i].key / EVENT_COLUMNS / 60 == hour; i++) {
        const size_t kind = minutes->items[i].key % EVENT_COLUMNS;
        const uint64_t count = minutes->items[i].count;

        sums[kind] += count;
        worst[kind] = count > worst[kind] ? count : worst[kind];
    }
    (void)fprintf(out, "{\"start\":%" PRIu64 ",", hour * 3600);
    write_counts("counts", sums, EVENT_COLUMNS, out);
    (void)fprintf(out, ",");
    write_counts("worst_minute", worst, EVENT_COLUMNS, out);
    (void)fprintf(out, "}");
    return i;
}

static void write_hours(struct tally *minutes, FILE *out)
{
    size_t i = 0;

    tally_sort(minutes);
    (void)fprintf(out, "\"columns\":[");
    for (size_t kind = 0; kind < EVENT_COLUMNS; kind++)
        (void)fprintf(out, "%s\"%s\"", kind > 0 ? "," : "", event_names[kind]);
    (void)fprintf(out, "],\"hours\":[");
    while (i < minutes->used) {
        (void)fprintf(out, "%s", i > 0 ? "," : "");
        i = write_hour(minutes, i, out);
    }
    (void)fprintf(out, "],");
}

static void write_history(const struct history *history, FILE *out)
{
    (void)fprintf(out,
                  "\"history\":{\"records\":%" PRIu64 ",\"snapshot_records\":%" PRIu64
                  ",\"begun\":%" PRIu32 ",\"ended\":%" PRIu32 ",\"latest\":%" PRIu32
                  ",\"uncertain_new\":%" PRIu64 ",\"aged\":%" PRIu64 ",\"cached\":%" PRIu64 ",",
                  history->history_records, history->snapshot_records, history->begun_s,
                  history->ended_s, history->latest_s, history->uncertain, history->aged,
                  history->cached);
    write_counts("ages_percent", history->ages, AGES, out);
    (void)fprintf(out, "},");
}

static void write_pools(const struct summary *summary, FILE *out)
{
    (void)fprintf(out, "\"pools\":[");
    for (size_t i = 0; i < summary->pool_count; i++)
        (void)fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i > 0 ? "," : "",
                      summary->pools[i].active, summary->pools[i].declined);
    (void)fprintf(out, "]");
}

static void write_states(const struct states *states, uint64_t clients, size_t addresses, FILE *out)
{
    (void)fprintf(out,
                  "\"addresses\":%zu,\"active\":%" PRIu64 ",\"clients\":%" PRIu64
                  ",\"forever\":%" PRIu64 ",\"overdue\":%" PRIu64 ",\"oldest_overdue_s\":%" PRIu64
                  ",\"declined\":%" PRIu64 ",\"reclaimed\":%" PRIu64 ",\"released\":%" PRIu64 ",",
                  addresses, states->active, clients, states->forever, states->overdue,
                  states->oldest_overdue_s, states->declined, states->reclaimed, states->released);
}

int summary_write(struct summary *summary, struct history *history, FILE *out, struct err *err)
{
    struct states states = { .active = 0 };
    uint64_t clients = 0;
    int status = count_states(history, &states, err);

    count_pools(summary, history);
    leases_forget_addresses(&history->leases);
    if (status == 0)
        status = count_clients(history, states.active, &clients, err);
    if (status == 0)
        status = count_last(history, err);
    if (status == 0) {
        (void)fprintf(out, "{\"format\":\"ubench-demand/1\",\"family\":%d,",
                      history->leases.family == LEASE_FAMILY_V4 ? 4 : 6);
        write_files(summary, out);
        write_states(&states, clients, history->leases.count, out);
        write_tally("lifetimes", &states.lifetimes, out);
        write_tally("subnets", &states.subnets, out);
        write_history(history, out);
        write_hours(&history->minutes, out);
        write_pools(summary, out);
        (void)fprintf(out, "}\n");
    }
    tally_release(&states.lifetimes);
    tally_release(&states.subnets);
    return status;
}
