/* SPDX-License-Identifier: ISC */
/*
 * The questions that a DHCP server asks its lease store in each exchange with a client: Kea's
 * statements, in Kea's order, as one table; and mixes of exchanges.
 *
 * Source: Kea 3.3.1-git, src/lib/dhcpsrv/alloc_engine.cc and the two servers.  The clients have
 * a client-id (v6: a DUID); each statement is a transaction of its own.  With reservations, the
 * identifiers are looked up in Kea's order, hwaddr and then client-id, until one has a
 * reservation.  Whether a candidate is reserved for another client is not looked up (Kea's
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
    STEP_END, /* ends a list of steps */
    STEP_FIND_CLIENT_ID,
    STEP_FIND_HWADDR,
    STEP_FIND_DUID,
    STEP_FIND_IN_SUBNET, /* by DUID, only in the client's subnet */
    STEP_FIND_ADDRESS,   /* address of the client's own lease, which may not exist yet */
    /* The same for taken addresses (HIT), then for the free one. */
    STEP_CHECK_CANDIDATES,
    /* By the client's identifiers; left out if there are no reservations. */
    STEP_FIND_RESERVATION,
    STEP_CREATE,
    STEP_RENEW,   /* update that extends the lease */
    STEP_RELEASE, /* update that ends it and keeps the row: lease affinity */
    STEP_DECLINE, /* update that removes the client from the address */
    STEP_REMOVE,
    STEP_LIST_EXPIRED,
    STEP_RECLAIM, /* update of each lease on the list */
    STEP_PURGE,
    STEP_EXPIRE, /* update that marks one lease as reclaimed, as STEP_RECLAIM does with many */
    STEP_PICK,   /* of the next candidate, where the store does it */
    STEP_ACTIONS,
};

/* The client that an exchange is with. */
enum exchange_party {
    PARTY_NEW,   /* a client that never had a lease */
    PARTY_KNOWN, /* a client with a lease */
    PARTY_NONE,  /* none: the server's own work */
};

struct step {
    const char *name;
    enum step_action action;
    enum outcome expected; /* by each operation; STEP_CHECK_CANDIDATES and STEP_FIND_RESERVATION
                              compute it */
    enum packet packet;    /* of the client, which begins with this step; PACKET_NONE: it goes on,
                              or is unknown */
};

enum {
    STEPS_MAX = 16,
    /* Leases per cycle; Kea's max-reclaim-leases. */
    RECLAIM_LEASES = 100,
    /* Kea reclaims this many in the 25 s between purges, at 100 in 10 s. */
    PURGE_LEASES = 250,
    /* Kea's decline-probation-period, seconds. */
    DECLINE_PROBATION_S = 86400,
};

struct exchange {
    const char *name;
    const char *help;
    unsigned families; /* EXCHANGE_V4 and EXCHANGE_V6, or-ed */
    enum exchange_party party;
    unsigned leases; /* number of leases that one exchange is about */
    bool any_time;   /* at any time of the lease's first half; false: a renewal at its end */
    struct step steps[STEPS_MAX + 1];
};
#define EXCHANGE_V4 (1u << LEASE_FAMILY_V4)
#define EXCHANGE_V6 (1u << LEASE_FAMILY_V6)

/* All exchanges, ended by one without a name. */
extern const struct exchange exchange_table[];

/* Returns the exchange of that name, of length characters, in a table ended by one without a
   name; or NULL. */
const struct exchange *exchange_find(const struct exchange *table, const char *name, size_t length,
                                     enum lease_family family);

/* Returns what represents an exchange in digests.  It depends only on the name and the family:
   a small number for exchanges of published results, otherwise a hash. */
uint32_t exchange_digest_number(const char *name, enum lease_family family);

/* Exchanges with their weights. */
enum { MIX_MAX = 12, MIX_WEIGHT_MAX = 1000000 };
struct mix {
    size_t count;  /* 0: the workload has no exchanges */
    double leases; /* mean number of leases that an exchange is about */
    struct {
        struct exchange exchange;
        uint32_t digest_number;
        uint64_t weight; /* of leases, as the user gave it */
        uint64_t below;  /* a 32-bit draw below this chooses it */
    } kinds[MIX_MAX];
    char *text; /* text of a user's file, which contains the names; or NULL */
};

/* A mix that has a name: "steady". */
struct named_mix {
    const char *name;
    const char *help;
    const char *weights; /* one for each family */
    const char *weights_v6;
};
extern const struct named_mix mix_table[]; /* ended by one without a name */

/* Frees what mix_parse allocated; call it once, because copies of a mix share it. */
void mix_release(struct mix *mix);

/* Build a mix, which begins zeroed, exchange by exchange: at most MIX_MAX, each name once.
   mix_has returns true if it has an exchange of that name.  Call mix_divide after the last one; it
   gives each its share of the draws. */
void mix_add(struct mix *mix, const struct exchange *exchange, uint64_t weight,
             enum lease_family family);
bool mix_has(const struct mix *mix, const char *name);
void mix_divide(struct mix *mix);

/* Return the number of such steps in an exchange, and whether any exchange of a mix has one. */
size_t exchange_steps(const struct exchange *exchange, enum step_action action);
bool mix_has_step(const struct mix *mix, enum step_action action);

/* Removes such steps from all exchanges of the mix. */
void mix_leave_out(struct mix *mix, enum step_action action);

/* Puts STEP_PICK before each STEP_CHECK_CANDIDATES.  Returns false if an exchange has no room for
   it. */
bool mix_insert_picks(struct mix *mix);

/* Returns the kind of exchange number i in the mix; depends only on key and i. */
size_t mix_draw(const struct mix *mix, uint64_t key, uint64_t i);

#endif
