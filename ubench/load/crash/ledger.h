/* SPDX-License-Identifier: ISC */
/*
 * The ledger: which operations on each lease were submitted and acknowledged.
 * It is a shared mapping, which survives the process but not the machine, and
 * is compared with the store after a crash (verify.h).
 *
 * The file has a header of one page and 64 bytes per lease, in the byte order
 * of the machine.  A lease is created once, then updated at most once, then
 * deleted at most once.  Each of these has the time before it was submitted and
 * the time after the store returned, of the clock in core/clock.h; 0: never.  A
 * commit acknowledges all operations of its transaction.
 */
#ifndef UBENCH_LOAD_CRASH_LEDGER_H
#define UBENCH_LOAD_CRASH_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/durability.h"
#include "core/err.h"

#define LEDGER_MAGIC "ubench-ledger/5"

enum { LEDGER_HEADER_SIZE = 4096, LEDGER_KEY_SIZE = 64 };

enum change {
    CHANGE_CREATE, /* version 0 of the lease */
    CHANGE_UPDATE, /* version 1 */
    CHANGE_DELETE,
    CHANGES,
};

struct ledger_event {
    _Atomic(uint64_t) submitted_ns;
    _Atomic(uint64_t) acknowledged_ns;
};

struct ledger_key {
    _Alignas(LEDGER_KEY_SIZE) struct ledger_event events[CHANGES];
    uint16_t clients[CHANGES]; /* number of the thread that submitted it */
};

/* What the store promised: a struct promise without what is only for people. */
struct ledger_promise {
    uint32_t kill; /* enum loss_kind */
    uint32_t power;
    double kill_window_s;
    double power_window_s;
    uint32_t setting_count;
    uint32_t reason_count;
    struct {
        char name[sizeof((struct promise_setting *)0)->name];
        char value[sizeof((struct promise_setting *)0)->value];
    } settings[PROMISE_SETTINGS_MAX];
    char reasons[PROMISE_REASONS_MAX][sizeof((struct promise_reason *)0)->code];
};

/* The parameters that generate the leases, and the store. */
struct ledger_about {
    uint64_t seed;
    uint64_t count;
    uint64_t preload;
    uint64_t threads;
    uint64_t batch;
    uint64_t subnets;
    double pace_per_s; /* 0: as fast as possible */
    uint32_t profile;  /* enum lease_profile */
    uint32_t family;   /* enum lease_family */
    uint32_t schema;   /* enum schema */
    char store[16];    /* "sqlite" */
    char version[64];  /* of ubench */
    char started_at[32];
    char product[128];             /* the store's first fact: "SQLite 3.40.1" */
    char durability[16];           /* the class that was computed ... */
    char durability_from[256];     /* ... from what, for people, ... */
    struct ledger_promise promise; /* ... and as data */
};

/* campaigns/crash_inject.py reads and writes the first five members, and the
 * leases. */
struct ledger_header {
    char magic[16];
    uint64_t keys;
    _Atomic(uint64_t) begun_ns;   /* the load began; 0: not yet */
    _Atomic(uint64_t) crashed_ns; /* written by scripts/crash; 0: by none */
    _Atomic(uint64_t) started_ns; /* the store was started again; 0: by us */
    uint64_t unused;              /* 0 */
    struct ledger_about about;
};
_Static_assert(offsetof(struct ledger_header, begun_ns) == 24 &&
                   offsetof(struct ledger_header, crashed_ns) == 32 &&
                   offsetof(struct ledger_header, started_ns) == 40,
               "where campaigns/crash_inject.py has them");

struct ledger {
    int file;
    const char *path; /* the caller's */
    struct ledger_header *header;
    struct ledger_key *keys;
    size_t size; /* of the mapping */
};

/* Creates the file at path for that many leases, or overwrites an older ledger.
   Refuses any other file, and a path on the file system of store_path ("":
   unknown), which a crash of that file system would destroy as well.  Returns
   0, or -1 with err. */
int ledger_create(struct ledger *ledger, const char *path, const char *store_path,
                  const struct ledger_about *about, uint64_t keys, struct err *err);

/* Opens an existing ledger.  Trusts nothing in it: checks the header and the
   size; verify_run checks the entries.  Returns 0, or -1 with err. */
int ledger_open(struct ledger *ledger, const char *path, struct err *err);

void ledger_close(struct ledger *ledger); /* zeroed is fine */

/* Writes a promise into a header, and reads one that was checked. */
void ledger_put_promise(struct ledger_promise *to, const struct promise *from);
void ledger_get_promise(struct promise *to, const struct ledger_promise *from);

/* The handle of one thread.  Zeroed: no ledger is kept. */
struct ledger_client {
    struct ledger *ledger;
    uint16_t number;
    size_t count; /* submitted operations not yet acknowledged; set to 0 to
                     abandon them */
    struct ledger_event **waiting;
};

/* Initialises a handle for transactions of at most capacity operations.
   Returns 0, or -1 with err. */
int ledger_client_init(struct ledger_client *client, struct ledger *ledger, uint16_t number,
                       size_t capacity, struct err *err);
void ledger_client_release(struct ledger_client *client); /* zeroed is fine */

/* Records that an operation is about to be submitted. */
static inline void ledger_attempt(struct ledger_client *client, uint64_t key, enum change operation)
{
    if (client->ledger == NULL)
        return;
    struct ledger_key *const entry = &client->ledger->keys[key];
    entry->clients[operation] = client->number;
    client->waiting[client->count++] = &entry->events[operation];
    /* Release: the entry must be in memory before the store is called. */
    atomic_store_explicit(&entry->events[operation].submitted_ns, clock_now_ns(),
                          memory_order_release);
}

/* Records that all operations submitted since the last call are acknowledged. */
static inline void ledger_acknowledge(struct ledger_client *client)
{
    if (client->count == 0)
        return;
    const uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < client->count; i++)
        atomic_store_explicit(&client->waiting[i]->acknowledged_ns, now_ns, memory_order_release);
    client->count = 0;
}

#endif
