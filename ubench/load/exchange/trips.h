/* SPDX-License-Identifier: ISC */
/*
 * Exchanges whose questions share round trips to the server (--trips).  In a pipeline, the searches
 * of one packet are sent together, since each knows what to look for from the packet alone; a
 * change waits for their answers.  With procedures, all that a packet asks is one call.  Every
 * answer is checked as in a round trip of its own.
 */
#ifndef UBENCH_LOAD_EXCHANGE_TRIPS_H
#define UBENCH_LOAD_EXCHANGE_TRIPS_H

#include "load/exchange/state.h"

/* Gives each worker its trip, unless config.trips is TRIPS_SERIES; exchange_states_release frees
   them.  Returns 0, or -1 with the engine's err. */
int exchange_trips_init(struct exchanges *all);

/* What exchange_run does, for a client, in as few round trips; the state has a trip. */
enum load_end exchange_run_in_trips(struct exchange_state *state);

/* True if the exchange says which of its steps belong to which packet, or is no client's. */
bool exchange_has_packets(const struct exchange *exchange);

#endif
