/* SPDX-License-Identifier: ISC */
/*
 * Writes what the programs support (workloads, exchanges, options, durability)
 * as JSON for readers of results, which therefore need no copy of it; and the
 * parts of it that a result also has.
 */
#ifndef UBENCH_RUNNER_JSON_DESCRIBE_H
#define UBENCH_RUNNER_JSON_DESCRIBE_H

#include "core/json.h"
#include "runner/options/options.h"

/* Prints the object of --describe on one line.  Returns 0, or -1 if memory is
   short. */
int describe_print(const struct options *options, FILE *out);

/* Writes members into the current object: an exchange with its steps, and how
   many store operations each step does.  candidates is the number of addresses
   checked until one is free. */
void json_exchange(struct json *out, const struct exchange *exchange, uint64_t candidates);

/* Writes a member into the current object: the lines that define the exchange
   and its weight in a file of exchanges.  Empty if memory is short. */
void json_definition(struct json *out, const struct exchange *exchange, uint64_t weight);

/* Writes members into the current object: the losses, settings and reasons. */
void json_promise(struct json *out, const struct promise *promise);

#endif
