/* SPDX-License-Identifier: ISC */
/*
 * The history of a site, from the records of its lease files in their order.
 *
 * A lease file is a log, and each record in it is an event, for example a
 * renewal at that time.  A snapshot (a lease dump, or what the server's own
 * clean-up leaves) has the last record of each address, sorted by address or
 * unsorted, and is not a history.  A file can begin with a snapshot and
 * continue as a log, so each block of records is classified separately: the
 * records of a log are in order of time.
 *
 * A record has the time of the client's last transaction.  A release or an
 * expiry without a time of its own happened at about the time of the records
 * before it.
 *
 * Files come in order of time.  If one has records of a lease that are older than those of a file
 * before it, the files are in another order, or of two servers that share leases; counted twice,
 * these records would double the rates.
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
    EVENT_NEW,      /* an address without a row gets a lease */
    EVENT_RETURNED, /* one whose row has no valid lease, or another client's */
    EVENT_RENEWED,
    EVENT_REPEATED, /* the same lease is written again, for example with another
                       host name */
    EVENT_RELEASED, /* released, and the row stays */
    EVENT_DELETED,  /* released, and the row is deleted */
    EVENT_DECLINED,
    EVENT_EXPIRED,
    EVENT_CLEANED, /* a row without a valid lease is reclaimed or deleted */
    EVENT_KINDS,
    /* Additional columns in the tally of minutes: */
    EVENT_ANY = EVENT_KINDS,
    EVENT_LAST, /* last transaction of a lease, as in a snapshot */
    EVENT_COLUMNS
};
extern const char *const event_names[EVENT_COLUMNS];

struct event {
    uint32_t second; /* Unix */
    uint32_t lease : 28;
    uint32_t kind : 4;
};

enum { AGES = 101, BLOCK_RECORDS = 1000 };

/* An event of a block that is not classified yet. */
struct pending {
    struct event event;
    uint8_t age;    /* of a renewal: percent of the lifetime; AGES: unknown */
    bool cached;    /* the server would have answered from its cache */
    bool uncertain; /* new, or a renewal of a lease from before the history */
    bool known;     /* the address was known before */
};

/* Initialise with leases.family, cache_threshold and keeps_events; the rest is
   zero. */
struct history {
    struct leases leases;
    double cache_threshold; /* Kea's cache-threshold: a share of the lifetime */
    bool keeps_events;      /* for a trace */
    bool has_snapshot;      /* leases missing in it are new; it may be empty */
    unsigned file;          /* the number of the current file, which the caller sets */
    uint64_t stale;         /* records left out, as an earlier file has later ones of the lease */
    uint64_t snapshot_records;
    uint64_t history_records;
    uint64_t counts[EVENT_KINDS];
    uint64_t uncertain; /* new leases that may be older than the history */
    uint64_t aged;      /* renewals of known age; base of the next two
                           members */
    uint64_t cached;
    uint64_t ages[AGES];
    struct tally minutes; /* key: minute * EVENT_COLUMNS + kind */
    uint32_t begun_s;     /* of the history; 0: none */
    uint32_t ended_s;
    uint32_t latest_s; /* latest transaction of all */
    struct event *events;
    size_t event_count;
    size_t event_capacity;
    /* The current block. */
    struct pending block[BLOCK_RECORDS];
    size_t block_count;
    size_t timed; /* records with a time of their own; in_order: how many of
                     them came in order */
    size_t in_order;
    uint32_t previous_s;
    uint32_t clock_s;
};

/* Adds the next record.  is_snapshot: the file is known to be a snapshot.
   Returns 0, or -1 with err. */
int history_add(struct history *history, const struct record *record, bool is_snapshot,
                struct err *err);

/* Classifies and counts the last block; call at the end of each file.  Returns
   0, or -1 with err. */
int history_flush(struct history *history, bool is_snapshot, struct err *err);

void history_release(struct history *history);

#endif
