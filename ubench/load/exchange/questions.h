/* SPDX-License-Identifier: ISC */
/*
 * What a worker asks the store, how the answer is judged and counted, and what
 * is done when there is none.  For the exchanges' own files alone.
 */
#ifndef UBENCH_LOAD_EXCHANGE_QUESTIONS_H
#define UBENCH_LOAD_EXCHANGE_QUESTIONS_H

#include "load/crash/settle.h"
#include "load/exchange/steps.h"

/* Around each question of a step: takes the time; notes the answer, and
   compares it with what it should be.  The lease is for the error's text. */
void exchange_begin_question(struct exchange_worker *worker);
enum exchange_end exchange_end_question(struct exchange_worker *worker,
                                        const struct lease *lease,
                                        enum outcome outcome,
                                        enum outcome expected);

/* Looks for a lease, as it should be, by what a step looks for: found is in
   worker->found.  A question that is cut off is asked again. */
enum outcome exchange_ask(struct exchange_worker *worker,
                          enum step_action action, const struct lease *lease);

/* Reads a lease by its address and compares it, or that it is not there. */
enum exchange_end exchange_read_back(struct exchange_worker *worker,
                                     const struct lease *should,
                                     enum outcome expected);

/* Says that an answer is wrong: another lease, another address that is
   reserved, or not so many leases. */
enum exchange_end exchange_wrong_lease(struct exchange_worker *worker,
                                       const struct lease *should,
                                       const struct lease *found);
enum exchange_end exchange_wrong_reservation(struct exchange_worker *worker);
enum exchange_end exchange_wrong_number(struct exchange_worker *worker,
                                        uint64_t found, uint64_t should);

/* Says that the store has answered.  For the timed path. */
void exchange_acknowledge(struct exchange_worker *worker);

/* Opens the worker's session anew after a question failed, if it was for want
   of one: then true.  Else worker->err says why, or is empty if somebody wants
   an early end. */
bool exchange_reconnect(struct exchange_worker *worker);

/* How it ended when it could not. */
enum exchange_end exchange_failed(const struct exchange_worker *worker);

/* A change failed: what is it now?  As settle_change. */
enum outcome exchange_settle(struct exchange_worker *worker,
                             const struct change *change);

#endif
