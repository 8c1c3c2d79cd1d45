/* SPDX-License-Identifier: ISC */
/* What one worker counts of one exchange, and adds to the result. */
#ifndef UBENCH_LOAD_EXCHANGE_TALLY_H
#define UBENCH_LOAD_EXCHANGE_TALLY_H

#include "load/load.h"

struct exchange_tally {
    uint64_t done;
    uint64_t deadlocks;
    struct histogram latency;
    struct histogram seen; /* the series' */
    struct series series;
    struct step_result steps[STEPS_MAX];
};

/* Makes an empty one of what may be one already; zeroed is fine. */
void exchange_tally_begin(struct exchange_tally *tally,
                          const struct exchange *exchange, uint64_t now_ns);

/* Counts an exchange that took so long, and ended now. */
void exchange_tally_latency(struct exchange_tally *tally, uint64_t now_ns,
                            uint64_t took_ns);

/* Names a phase and its steps.  Returns 0, or -1 with err if there is no
   memory; load_result_release releases it. */
int exchange_begin_phase(struct phase_result *phase,
                         const struct exchange *exchange, struct err *err);

/* Adds a tally, which ends, to the phase of that exchange. */
void exchange_tally_end(struct exchange_tally *tally,
                        const struct exchange *exchange,
                        struct phase_result *phase);

#endif
