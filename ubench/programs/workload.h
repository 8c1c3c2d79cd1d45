/* SPDX-License-Identifier: ISC */
/* What --workload names, and what it asks of the other options. */
#ifndef UBENCH_PROGRAMS_WORKLOAD_H
#define UBENCH_PROGRAMS_WORKLOAD_H

#include "core/opt.h"
#include "load/exchange/exchanges.h"
#include "load/fill.h"
#include "programs/options.h"

enum { WORKLOAD_CLIENTS = 10000 }; /* with a lease, if nobody says */

/* Fills choices with the names that --workload takes, for --help. */
void workload_choices(struct opt_choice choices[OPTIONS_WORKLOADS_MAX]);

/*
 * Reads config->workload into config->mix and the options of the open loop into
 * config->open_load, gives --schema and --preload the defaults that the
 * workload has, and looks whether all goes together.  Returns 0, or -1 with err
 * (ERR_USAGE).
 */
int workload_resolve(struct runner_config *config, struct err *err);

/* The configuration of its exchanges, if there are any (mix.count > 0). */
struct exchanges_config workload_exchanges(const struct runner_config *config,
                                           const struct load_config *load);

/* The configuration of a pool that fills up, if config->fill. */
struct fill_config workload_fill(const struct runner_config *config,
                                 const struct load_config *load);

#endif
