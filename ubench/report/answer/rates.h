/* SPDX-License-Identifier: ISC */
/*
 * How often per second a setup did what a DHCP client asks for: as it was
 * measured, or, where only the phases were, estimated from these.
 */
#ifndef UBENCH_REPORT_ANSWER_RATES_H
#define UBENCH_REPORT_ANSWER_RATES_H

#include "load/exchange/table.h"
#include "record/group.h"
#include "report/compare/sample.h"

/* How a rate is known; what comes first is preferred. */
enum rate_kind {
    RATE_ALONE,     /* the exchange was measured, and nothing beside it */
    RATE_SUSTAINED, /* a search found it in an open loop */
    RATE_ESTIMATED, /* the sum of its steps, each as long as in its phase */
    RATE_UNKNOWN,
};

struct rate {
    enum rate_kind kind;
    /* "renew"; "2 searches + 1 update" if it is estimated; or why it is not
       known. */
    const char *source;
    double per_s; /* the median of the runs; 0: not known */
    double least; /* the run that did least */
    size_t runs;
    uint64_t operations; /* of each run; 0: not the same for all */
    uint64_t leases;     /* that were in the store */
    const struct sample *sample;
};

/*
 * How many of an exchange a run did per second.  For RATE_ESTIMATED the time
 * of the exchange is the sum of those of its steps, each 1 / the rate of the
 * phase that does the same; a step that looks for a reservation is left out.
 * NAN if the run does not tell: in a mix the share of an exchange was asked
 * for, and is no rate of the store.
 */
double rate_of_run(const struct record_run *run,
                   const struct exchange *exchange, enum rate_kind kind);

/*
 * The rate of a group for the first of some exchanges (up to count, of the
 * family that the group has) that was measured; else estimated for the first.
 * Where runs had different numbers of leases in the store, those with more than
 * half of the most count (a server never grants twice the same); runs that
 * committed several changes together do not, as no server does.
 */
struct rate rate_of_group(struct arena *memory, const struct group *group,
                          const char *const *exchanges, size_t count);

#endif
