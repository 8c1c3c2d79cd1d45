/* SPDX-License-Identifier: ISC */
#include "demand/history.h"

#include <stdlib.h>

const char *const event_names[EVENT_COLUMNS] = {
    [EVENT_NEW] = "new",           [EVENT_RETURNED] = "returned", [EVENT_RENEWED] = "renewed",
    [EVENT_REPEATED] = "repeated", [EVENT_RELEASED] = "released", [EVENT_DELETED] = "deleted",
    [EVENT_DECLINED] = "declined", [EVENT_EXPIRED] = "expired",   [EVENT_CLEANED] = "cleaned",
    [EVENT_ANY] = "changes",       [EVENT_LAST] = "last",
};

enum { DISORDER_S = 60 }; /* tolerated between threads of a server or clocks of a pair */

/* The least share of a log's records that are in order; in a snapshot about half are. */
static const double least_in_order = 0.9;

static bool ended_by(const struct site_lease *lease, uint32_t second)
{
    return lease_ends_s(lease) <= second;
}

/* Returns what a record without a row means for the lease before it. */
static enum event_kind kind_of_absence(const struct site_lease *before, bool known,
                                       uint32_t clock_s)
{
    if (known && before->state != ROW_ACTIVE)
        return EVENT_CLEANED;
    return known && ended_by(before, clock_s) ? EVENT_EXPIRED : EVENT_DELETED;
}

static enum event_kind kind_of_activity(const struct site_lease *before,
                                        const struct record *record)
{
    if (before->state == ROW_ABSENT)
        return EVENT_NEW;
    if (before->state != ROW_ACTIVE || lease_client(before) != record->client)
        return EVENT_RETURNED;
    return record->last_s > before->last_s ? EVENT_RENEWED : EVENT_REPEATED;
}

static enum event_kind classify(const struct site_lease *before, bool known,
                                const struct record *record, uint32_t clock_s)
{
    const bool was_active = !known || before->state == ROW_ACTIVE;

    switch (record->state) {
    case ROW_ACTIVE:
        return kind_of_activity(before, record);
    case ROW_DECLINED:
        return before->state == ROW_DECLINED ? EVENT_REPEATED : EVENT_DECLINED;
    case ROW_RELEASED:
        return was_active ? EVENT_RELEASED : EVENT_REPEATED;
    case ROW_RECLAIMED:
        return was_active ? EVENT_EXPIRED : EVENT_CLEANED;
    case ROW_ABSENT:
    case ROW_FREE:
        break;
    }
    return kind_of_absence(before, known, clock_s);
}

/* Records how old the lease was when it was renewed.  Kea answers a client from its cache if the
   lease's age is at most the threshold's share of its lifetime (AllocEngine::setLeaseReusable). */
static void note_age(const struct history *history, const struct site_lease *before,
                     const struct record *record, struct pending *pending)
{
    const uint64_t age_s = record->last_s - before->last_s;

    if (before->valid_s == 0 || before->valid_s == LEASE_VALID_FOREVER)
        return;
    const uint64_t percent = age_s * 100 / before->valid_s;
    pending->age = (uint8_t)(percent < AGES ? percent : AGES - 1);
    pending->cached = age_s <= (uint64_t)((double)before->valid_s * history->cache_threshold + 0.5);
}

/* Counts whether the record continues the block in order of time. */
static void note_order(struct history *history, const struct record *record)
{
    const bool in_order = (uint64_t)record->last_s + DISORDER_S >= history->previous_s;

    history->timed++;
    history->in_order += in_order;
    history->previous_s = record->last_s;
    if (in_order)
        history->clock_s = record->last_s;
}

/* Returns true if a release has its own time; otherwise its record has the time of the last
   transaction. */
static bool is_later(const struct history *history, const struct site_lease *before,
                     const struct record *record)
{
    return record->last_s > before->last_s &&
           (uint64_t)record->last_s + DISORDER_S >= history->clock_s;
}

/* Returns true if an earlier file has a later record of the lease. */
static bool is_stale(const struct history *history, const struct site_lease *lease,
                     const struct record *record)
{
    return lease->file != history->file && (uint64_t)record->last_s + DISORDER_S < lease->last_s;
}

static void set_lease(struct site_lease *lease, const struct record *record, unsigned file)
{
    lease->file = file & (FILES_MAX - 1);
    lease->last_s = record->last_s;
    lease->valid_s = record->valid_s;
    lease->state = record->state;
    lease->subnet = record->subnet;
    lease->client[0] = (uint32_t)record->client;
    lease->client[1] = (uint32_t)(record->client >> 32);
}

int history_add(struct history *history, const struct record *record, bool is_snapshot,
                struct err *err)
{
    const size_t before_count = history->leases.count;
    const int64_t position = leases_find(&history->leases, record->address, err);

    if (position == LEASES_NONE)
        return -1;
    struct site_lease *const lease = &history->leases.all[position];
    if (is_stale(history, lease, record)) {
        history->stale++;
        return 0;
    }
    struct pending *const pending = &history->block[history->block_count++];
    const bool known = history->leases.count == before_count;
    const enum event_kind kind = classify(lease, known, record, history->clock_s);
    const bool timed = kind == EVENT_NEW || kind == EVENT_RETURNED || kind == EVENT_RENEWED ||
                       kind == EVENT_DECLINED;

    *pending = (struct pending){
        .event = { .lease = (uint32_t)position & (LEASES_MAX - 1), .kind = kind },
        .age = AGES,
        .known = known,
    };
    if (kind == EVENT_RENEWED)
        note_age(history, lease, record, pending);
    if (timed)
        note_order(history, record);
    const bool has_time = timed || history->clock_s == 0 || is_later(history, lease, record);
    pending->event.second = has_time ? record->last_s : history->clock_s;
    const uint64_t begun_s =
        history->begun_s != 0 ? history->begun_s : history->block[0].event.second;
    pending->uncertain = !known && record->last_s < begun_s + record->valid_s;
    if (record->state != ROW_ABSENT && record->last_s > history->latest_s)
        history->latest_s = record->last_s;
    set_lease(lease, record, history->file);
    return history->block_count == BLOCK_RECORDS ? history_flush(history, is_snapshot, err) : 0;
}

static int keep_event(struct history *history, const struct event *event, struct err *err)
{
    if (history->event_count == history->event_capacity) {
        const size_t capacity = history->event_capacity + history->event_capacity / 2 + 4096;
        struct event *const events = realloc(history->events, capacity * sizeof *events);

        if (events == NULL)
            return err_set(err, "out of memory for %zu events", capacity);
        history->events = events;
        history->event_capacity = capacity;
    }
    history->events[history->event_count++] = *event;
    return 0;
}

static int count_event(struct history *history, const struct pending *pending, struct err *err)
{
    const struct event *const event = &pending->event;
    const uint64_t minute = (uint64_t)(event->second / 60) * EVENT_COLUMNS;
    struct site_lease *const lease = &history->leases.all[event->lease];
    const bool uncertain = pending->uncertain && event->kind == EVENT_NEW && !history->has_snapshot;

    if (history->begun_s == 0 ||
        (event->second < history->begun_s && event->second + DISORDER_S >= history->begun_s))
        history->begun_s = event->second;
    if (event->second > history->ended_s)
        history->ended_s = event->second;
    history->counts[event->kind]++;
    history->uncertain += uncertain;
    if (pending->age < AGES) {
        history->ages[pending->age]++;
        history->aged++;
        history->cached += pending->cached;
    }
    if (!lease->touched)
        lease->live_first =
            lease->live_first || uncertain || (!pending->known && event->kind != EVENT_NEW);
    lease->touched = true;
    if (history->keeps_events && keep_event(history, event, err) != 0)
        return -1;
    return tally_add(&history->minutes, minute + event->kind, 1, err) == 0
               ? tally_add(&history->minutes, minute + EVENT_ANY, 1, err)
               : -1;
}

/* Handles a snapshot's block: its leases existed before the history, unless the history has events
   of them. */
static void note_snapshot(struct history *history)
{
    for (size_t i = 0; i < history->block_count; i++) {
        struct site_lease *const lease = &history->leases.all[history->block[i].event.lease];

        if (!lease->touched)
            lease->live_first = lease->state == ROW_ACTIVE;
    }
    history->has_snapshot = true;
    history->snapshot_records += history->block_count;
}

int history_flush(struct history *history, bool is_snapshot, struct err *err)
{
    const bool is_log =
        !is_snapshot && (double)history->in_order >= least_in_order * (double)history->timed;
    int status = 0;

    for (size_t i = 0; is_log && i < history->block_count && status == 0; i++)
        status = count_event(history, &history->block[i], err);
    if (is_log)
        history->history_records += history->block_count;
    else
        note_snapshot(history);
    history->block_count = 0;
    history->timed = 0;
    history->in_order = 0;
    return status;
}

void history_release(struct history *history)
{
    leases_release(&history->leases);
    tally_release(&history->minutes);
    free(history->events);
    history->events = NULL;
}
