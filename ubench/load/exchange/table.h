/* SPDX-License-Identifier: ISC */
/*
 * The questions of a DHCP server to its lease store for each exchange with a
 * client: Kea's statements, in its order, as one table; and mixes of exchanges.
 *
 * Source: Kea 3.3.1-git, src/lib/dhcpsrv/alloc_engine.cc and the two servers.
 * The clients have a client-id (v6: a DUID); each statement is a transaction of
 * its own.  Where there are reservations, the identifiers are asked for in
 * Kea's order, hwaddr and then client-id, until one has one; whether a
 * candidate is reserved for another client is not asked (Kea's
 * reservations-out-of-pool).
 */
#ifndef UBENCH_LOAD_EXCHANGE_TABLE_H
#define UBENCH_LOAD_EXCHANGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "lease/lease.h"
#include "store/backend.h"

/* The primitive of the store that a step performs on the client's lease. */
enum step_action {
    STEP_END, /* closes a list of steps */
    STEP_FIND_CLIENT_ID,
    STEP_FIND_HWADDR,
    STEP_FIND_DUID,
    STEP_FIND_IN_SUBNET, /* by DUID, in the client's subnet alone */
    STEP_FIND_ADDRESS,   /* of the client's own lease, there or not yet */
    /* The same of taken addresses (HIT), then of the free one. */
    STEP_CHECK_CANDIDATES,
    /* The client's, by its identifiers; left out where there are none. */
    STEP_FIND_RESERVATION,
    STEP_CREATE,
    STEP_RENEW,   /* the update that extends it */
    STEP_RELEASE, /* the update that ends it and keeps the row: affinity */
    STEP_DECLINE, /* the update that takes the client off the address */
    STEP_REMOVE,
    STEP_LIST_EXPIRED,
    STEP_RECLAIM, /* the update of each lease on the list */
    STEP_PURGE,
    STEP_EXPIRE, /* the update that marks it as reclaimed, as STEP_RECLAIM does with many */
    STEP_PICK,   /* of the next candidate, where the store does it */
    STEP_ACTIONS,
};

/* The client that an exchange is with. */
enum exchange_party {
    PARTY_NEW,   /* a client that never had a lease */
    PARTY_KNOWN, /* one that has a lease */
    PARTY_NONE,  /* the server does it by itself */
};

struct step {
    const char *name;
    enum step_action action;
    enum outcome expected; /* of each operation; STEP_CHECK_CANDIDATES and
                              STEP_FIND_RESERVATION compute it */
    enum packet packet;    /* of the client, which begins with this step; PACKET_NONE: it goes on,
                              or is unknown */
};

enum {
    STEPS_MAX = 16,
    /* Leases per cycle; Kea's max-reclaim-leases. */
    RECLAIM_LEASES = 100,
    /* Kea reclaims so many in the 25 s from purge to purge, at 100 in 10 s. */
    PURGE_LEASES = 250,
    /* Kea's decline-probation-period, seconds. */
    DECLINE_PROBATION_S = 86400,
};

struct exchange {
    const char *name;
    const char *help;
    unsigned families; /* EXCHANGE_V4 and EXCHANGE_V6, or-ed */
    enum exchange_party party;
    unsigned leases; /* how many one of them is about */
    bool any_time;   /* in the lease's first half; else a renewal, at its end */
    struct step steps[STEPS_MAX + 1];
};
#define EXCHANGE_V4 (1u << LEASE_FAMILY_V4)
#define EXCHANGE_V6 (1u << LEASE_FAMILY_V6)

/* All of them; closed by one without a name. */
extern const struct exchange exchange_table[];

/* The exchange of that name, which has so many characters, in a table closed by one without a
   name; or NULL. */
const struct exchange *exchange_find(const struct exchange *table, const char *name, size_t length,
                                     enum lease_family family);

/* What stands for an exchange in digests.  It depends on the name and the family alone: a small
   number for exchanges of published results, else a hash. */
uint32_t exchange_digest_number(const char *name, enum lease_family family);

/* Exchanges with their weights. */
enum { MIX_MAX = 12, MIX_WEIGHT_MAX = 1000000 };
struct mix {
    size_t count;  /* 0: none, the workload is another */
    double leases; /* that an exchange is about, in the mean */
    struct {
        struct exchange exchange;
        uint32_t digest_number;
        uint64_t weight; /* of leases, as the user gave it */
        uint64_t below;  /* it is this one if a draw of 32 bits is below */
    } kinds[MIX_MAX];
    char *text; /* of a user's file, which has the names; or NULL */
};

/* A mix that has a name: "steady". */
struct named_mix {
    const char *name;
    const char *help;
    const char *weights; /* one for each family */
    const char *weights_v6;
};
extern const struct named_mix mix_table[]; /* closed by one without a name */

/* Frees what mix_parse made, once: copies of a mix share it. */
void mix_release(struct mix *mix);

/* Builds a mix, which begins zeroed, exchange by exchange: MIX_MAX at most, each name once.
   mix_divide, after the last one, gives each its share of the draws. */
void mix_add(struct mix *mix, const struct exchange *exchange, uint64_t weight,
             enum lease_family family);
bool mix_has(const struct mix *mix, const char *name);
void mix_divide(struct mix *mix);

/* How many such steps an exchange has, and whether any exchange of a mix has one. */
size_t exchange_steps(const struct exchange *exchange, enum step_action action);
bool mix_has_step(const struct mix *mix, enum step_action action);

/* Leaves such steps out of all its exchanges. */
void mix_leave_out(struct mix *mix, enum step_action action);

/* Puts STEP_PICK before each STEP_CHECK_CANDIDATES.  Returns false if an exchange has no room for
   it. */
bool mix_insert_picks(struct mix *mix);

/* Which kind of the mix exchange number i is; depends on key and i alone. */
size_t mix_draw(const struct mix *mix, uint64_t key, uint64_t i);

#endif
