/* SPDX-License-Identifier: ISC */
/* Performs the steps of an exchange on a store, and checks the answers. */
#ifndef UBENCH_LOAD_EXCHANGE_STEPS_H
#define UBENCH_LOAD_EXCHANGE_STEPS_H

#include "load/exchange/state.h"

/* How a step is performed. */
struct step_kind {
    const char *operation; /* its name in results: "find_by_client_id" */
    step_run *run;         /* NULL: only loads with a pool perform it (pool_steps.h) */
    bool changes;       /* changes the store, if it finds what it expects, in a commit of its own */
    const char *phase;  /* the phase of -w phases that does the same; or NULL */
    enum lookup by;     /* key of a search for the client's lease */
    enum change change; /* kind of change of that lease, and ... */
    enum client_state leaves; /* ... the state in which it leaves the client */
};

extern const struct step_kind step_kinds[]; /* by enum step_action */

/* Sets how each step is performed, as in step_kinds, and what the engine counts: the steps of each
   exchange in the mix. */
void exchange_steps_init(struct exchanges *all);

/* Makes the state ready for the first step of its exchange. */
void exchange_begin(struct exchange_state *state);

/* The parts of a step, for those whose questions share a round trip (trips.h).  Each is of the
   state's step. */

/* Makes the client as the step's change leaves it.  Returns the lease to be stored or removed: the
   worker's, or the state's other one. */
const struct lease *step_make_change(struct exchange_state *state, struct client *after);

/* Checks the answer to a search for a client's lease, of which the store knows what lease has, and
   counts it. */
enum load_end step_check_search(struct exchange_state *state, const struct client *client,
                                const struct lease *lease, const struct lease *found,
                                enum outcome outcome, enum outcome expected);

/* Checks the answer to the change of step_make_change, counts it and keeps the client. */
enum load_end step_check_change(struct exchange_state *state, const struct lease *lease,
                                const struct client *after, enum outcome outcome);

/* Performs the state's exchange with its client, records the client's new state, and counts
   the steps in the worker's tally.  Unless the end is LOAD_DONE, the worker's err has the
   reason. */
enum load_end exchange_run(struct exchange_state *state);

#endif
