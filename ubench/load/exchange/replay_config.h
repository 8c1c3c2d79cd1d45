/* SPDX-License-Identifier: ISC */
/* What a replay is to do: reads the trace of --trace, and makes a mix of the exchanges by which its
   changes came about. */
#ifndef UBENCH_LOAD_EXCHANGE_REPLAY_CONFIG_H
#define UBENCH_LOAD_EXCHANGE_REPLAY_CONFIG_H

#include "load/config.h"

/* The kinds of exchanges, by enum trace_change, and one more: the row of a declined address has
   no client. */
enum { REPLAY_RETURN_DECLINED = TRACE_CHANGES, REPLAY_KINDS };

/* Completes the configuration, as resolve of struct workload does: reads the trace, refuses one
   that cannot be replayed, cuts it at --span, and sets mix, count and preload.  Returns 0, or -1
   with err; replay_config_release (load/config.h) frees the trace in both cases. */
int replay_resolve(struct load_config *config, const char *name, struct err *err);

/* Describes the load in a line of text, as describe of struct workload does. */
void replay_describe(const struct load_config *config, const char *name, char *text, size_t size);

/* Sets the place in the mix of replay_resolve of each kind that the trace has. */
void replay_find_places(const struct mix *mix, size_t places[static REPLAY_KINDS]);

#endif
