/* SPDX-License-Identifier: ISC */
/*
 * What is put into the store before the first exchange, untimed, in groups, by
 * the first worker.  For load/exchanges.c alone.  Each fills err unless the end
 * is LOAD_DONE or LOAD_INTERRUPTED.
 */
#ifndef UBENCH_LOAD_EXCHANGE_PRELOAD_H
#define UBENCH_LOAD_EXCHANGE_PRELOAD_H

#include "load/exchange/steps.h"

/* Looks whether the store takes what a release leaves behind, before it has
   been filled for that.  Returns 0, or -1 with err. */
int exchange_try_released(struct exchanges *all, struct err *err);

/* Adds the host reservations. */
enum load_end exchange_reserve(struct exchanges *all, struct progress *progress,
                               struct err *err);

/* Creates the leases: reclaimed ones, expired ones and the clients'. */
enum load_end exchange_preload(struct exchanges *all, struct progress *progress,
                               struct err *err);

#endif
