/* SPDX-License-Identifier: ISC */
/*
 * What happened at a site, by the records of its lease files in their order.
 *
 * A lease file is a log, and each record in it is an event: a client renewed its lease at that
 * time.  A snapshot (a lease dump, or what the server's own clean-up leaves) has the last record
 * of each address, in the order of addresses or in none, and is no history.  A file can have a
 * snapshot first and a log behind it, so this is decided for each block of records: those of a log
 * are in the order of time.
 *
 * A record has the time of the client's last transaction.  Where it tells of something else, a
 * release or an expiry, that happened about when the records before it did.
 */
#ifndef UBENCH_DEMAND_HISTORY_H
#define UBENCH_DEMAND_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "demand/leases.h"
#include "demand/tally.h"

enum event_kind {
    EVENT_NEW,      /* an address that had no row has a lease */
    EVENT_RETURNED, /* one that had a row without a valid lease, or another client's */
    EVENT_RENEWED,
    EVENT_REPEATED, /* the same lease was written again, for another host name, say */
    EVENT_RELEASED, /* and the row stays */
    EVENT_DELETED,  /* released, and the row goes */
    EVENT_DECLINED,
    EVENT_EXPIRED,
    EVENT_CLEANED, /* a row without a valid lease is reclaimed or deleted */
    EVENT_KINDS,
    /* Beside them in the tally of minutes: */
    EVENT_ANY = EVENT_KINDS,
    EVENT_LAST, /* the last transaction of a lease, as in a snapshot */
    EVENT_COLUMNS
};
extern const char *const event_names[EVENT_COLUMNS];

struct event {
    uint32_t second; /* Unix */
    uint32_t lease : 28;
    uint32_t kind : 4;
};

enum { AGES = 101, BLOCK_RECORDS = 1000 };

/* An event of a block that is not judged yet. */
struct pending {
    struct event event;
    uint8_t age;    /* of a renewal: percent of the lifetime; AGES: none */
    bool cached;    /* the server would have answered from its cache */
    bool uncertain; /* new, or a renewal of a lease from before the history */
    bool known;     /* there was a row before */
};

/* Initialise with leases.family, cache_threshold and keeps_events, the rest zeroed. */
struct history {
    struct leases leases;
    double cache_threshold; /* Kea's: the share of the lifetime */
    bool keeps_events;      /* for a trace */
    bool has_snapshot;      /* what was not in it is new; it may be empty */
    uint64_t snapshot_records;
    uint64_t history_records;
    uint64_t counts[EVENT_KINDS];
    uint64_t uncertain; /* of the new ones */
    uint64_t aged;      /* renewals by whose age the next two are known */
    uint64_t cached;
    uint64_t ages[AGES];
    struct tally minutes; /* key: minute * EVENT_COLUMNS + kind */
    uint32_t begun_s;     /* of the history; 0: there is none */
    uint32_t ended_s;
    uint32_t latest_s; /* of all transactions */
    struct event *events;
    size_t event_count;
    size_t event_capacity;
    /* The block. */
    struct pending block[BLOCK_RECORDS];
    size_t block_count;
    size_t timed; /* records with a time of their own, and how many of them came in order */
    size_t in_order;
    uint32_t previous_s;
    uint32_t clock_s;
};

/* Adds the next record.  Returns 0, or -1 with err. */
int history_add(struct history *history, const struct record *record, bool is_snapshot,
                struct err *err);

/* Ends a file. */
int history_flush(struct history *history, bool is_snapshot, struct err *err);

void history_release(struct history *history);

#endif
