/* SPDX-License-Identifier: ISC */
/* The steps of an exchange, each of which asks the store once or more often and
   compares its answers. */
#ifndef UBENCH_LOAD_EXCHANGE_STEPS_H
#define UBENCH_LOAD_EXCHANGE_STEPS_H

#include "load/exchange/state.h"

/* Performs worker->exchange with worker->client, whose lease is worker->lease,
   and keeps the client's state.  Not LOAD_DONE: see the handle's err. */
enum load_end exchange_run(struct exchange_worker *worker,
                           struct exchange_tally *tally);

#endif
