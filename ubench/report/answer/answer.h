/* SPDX-License-Identifier: ISC */
/*
 * What results mean for a site of so many clients: which stores carry it, by
 * what factor, which of them differ by more than chance, and what safety costs.
 *
 * A client asks its store for something twice: it renews its lease at a part
 * of the lease's time, so N clients need N / that time renewals per second; and
 * after a power cut all start again within some time.  A store carries them if
 * it does both, and a reserve on top.
 *
 * Rows are setups, all that was measured of a store with the same settings and
 * threads (groups_init_setups), and what promises different durability is never
 * ranked: see words.h for the same as sentences and a table.
 */
#ifndef UBENCH_REPORT_ANSWER_ANSWER_H
#define UBENCH_REPORT_ANSWER_ANSWER_H

#include "core/opt.h"
#include "report/answer/rates.h"

enum answer_demand { ANSWER_RENEWALS, ANSWER_RESTARTS, ANSWER_DEMANDS };

struct answer_site {
    uint64_t clients; /* 0: not told */
    double lease_time_s;
    double renew_at;  /* part of it, 0..1; T1 of RFC 2131 is 0.5 */
    double restart_s; /* within which all start again */
    bool restart_new; /* as new clients, and not with their leases */
    double reserve;   /* how many times the need is enough; at least 1 */
};

/* What so many clients need, per second. */
double answer_need(const struct answer_site *site, enum answer_demand demand,
                   double clients);

/* A setup of a store. */
struct answer_row {
    const struct group *group;
    struct rate rates[ANSWER_DEMANDS];
};

/* Beyond so many clients a rate does not speak: ten times the leases that were
   in the store, and no more than IPv4 has addresses.  NAN if there is no
   rate. */
double answer_most(const struct answer_row *row, enum answer_demand demand);

/* How many times the need of so many clients a rate of a row is; NAN: it is not
   known, or does not speak for so many. */
double answer_times(const struct answer_site *site,
                    const struct answer_row *row, enum answer_demand demand,
                    double clients);

/* Of the demands that are known the one that the row does worst; NAN if one of
   them does not speak for so many. */
double answer_least_times(const struct answer_site *site,
                          const struct answer_row *row, double clients);

/* Servers side by side, each with a store and a part of the subnets of its
   own. */
struct answer_shards {
    double count; /* that carry the clients; NAN: a rate is not known */
    /* What one more client for each would be too much for; ANSWER_DEMANDS: the
       rates speak for no more (answer_most). */
    enum answer_demand limit;
    double by_rates; /* then: that would do, by the rates alone; else count */
    double preload;  /* then: leases to measure with, to know that they do */
};

/* How many of a row carry so many clients, each with the reserve.  The rates
   are taken to be the same for fewer leases, which may be faster. */
struct answer_shards answer_shards(const struct answer_site *site,
                                   const struct answer_row *row,
                                   double clients);

/* Two rows: their renewals, safe against less safe or one store against
   another. */
struct answer_pair {
    const struct answer_row *from;
    const struct answer_row *to;
    bool alike;               /* both rates are known in the same way */
    struct contrast contrast; /* if they are; to / from */
    bool shown;               /* the ratio is more than chance */
};

struct answer_class {
    const char *name;    /* "power-safe" */
    const char *meaning; /* "every acknowledged change survives a power cut" */
    size_t count;
    const struct answer_row *rows;   /* the fastest renewals first */
    const struct answer_pair *pairs; /* of rows i < k, in this order:
                                        0 1, 0 2, ..., 1 2, ... */
};

struct answer {
    struct arena memory;  /* private */
    struct groups groups; /* private */
    struct answer_site site;
    size_t row_count;
    const struct answer_row *rows; /* of all classes, the safest first */
    size_t class_count;
    const struct answer_class *classes;
    /* What safety costs: a store in a class, and in the next less safe one that
       it has with the same load. */
    size_t price_count;
    const struct answer_pair *prices;
    size_t runs_least, runs_most; /* of the rates that are known */
    /* Results that say that something disturbed them, and what the first says;
       of all. */
    size_t disturbed, result_count;
    const char *warning;
    const char *threads;       /* of all rows, "1"; or "" */
    const char *other_threads; /* that were measured too, "8, 16"; or "" */
};

/* True if a row says whether its changes survive the loss of their machine. */
bool answer_has_node_loss(const struct answer *answer);

/*
 * Works it out from the results that are as where says.  Unless where says
 * otherwise, only the fewest threads are looked at: a connection does not do
 * more because a server has several.  Returns 0, or -1 with err if there is
 * nothing to answer from.  The archive has to outlive it.
 */
int answer_init(struct answer *answer, const struct answer_site *site,
                const struct opt_settings *where, const struct archive *archive,
                struct err *err);
void answer_release(struct answer *answer); /* zeroed is fine */

#endif
