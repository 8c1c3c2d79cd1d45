/* SPDX-License-Identifier: ISC */
/*
 * What the programs know, as JSON, for readers of results: they keep no second
 * copy of it.  And the parts of that which a result has, too.
 */
#ifndef UBENCH_RUNNER_DESCRIBE_H
#define UBENCH_RUNNER_DESCRIBE_H

#include "core/json.h"
#include "runner/options.h"

/* Prints --describe, one object on a line.  Returns 0, or -1 if there is no
   memory. */
int describe_print(const struct options *options, FILE *out);

/* Members of an object that is begun: an exchange with its steps, and how often
   each of them asks the store; with so many addresses looked at until one is
   free. */
void json_exchange(struct json *out, const struct exchange *exchange, uint64_t candidates);

/* A member of an object that is begun: the lines that define the exchange and its weight in a file
   of exchanges.  Empty if there is no memory. */
void json_definition(struct json *out, const struct exchange *exchange, uint64_t weight);

/* Members of an object that is begun: the losses, settings and reasons. */
void json_promise(struct json *out, const struct promise *promise);

#endif
