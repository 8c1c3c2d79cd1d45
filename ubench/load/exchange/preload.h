/* SPDX-License-Identifier: ISC */
/* What is put into the store before the first exchange, untimed, by the first
   worker. */
#ifndef UBENCH_LOAD_EXCHANGE_PRELOAD_H
#define UBENCH_LOAD_EXCHANGE_PRELOAD_H

#include "load/exchange/state.h"

/* Resets the store, adds the host reservations and creates the leases:
   reclaimed ones, expired ones and the clients'.  Fills err unless the end is
   LOAD_DONE or LOAD_INTERRUPTED. */
enum load_end exchange_preload(struct exchanges *all, struct err *err);

#endif
