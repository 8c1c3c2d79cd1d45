/* SPDX-License-Identifier: ISC */
/* The exchanges that --workload names. */
#ifndef UBENCH_LOAD_EXCHANGE_MIX_PARSE_H
#define UBENCH_LOAD_EXCHANGE_MIX_PARSE_H

#include "load/exchange/table.h"

/* Reads the name of an exchange or of a mix, weights: "renew=90,dora=5", or a file of exchanges:
   "@FILE" (definition.h).  A weight counts leases: where a cycle of the server takes 100 of them,
   one cycle stands for 100.  Returns 0, or -1 with err (ERR_USAGE). */
int mix_parse(const char *text, enum lease_family family, struct mix *mix, struct err *err);

/* The first word of such a text that is neither an exchange of any family nor a mix, and its
   length; or NULL. */
const char *mix_find_unknown(const char *text, size_t *length);

/* Adds to a refusal what mix_parse understands: ", dora, ...". */
void mix_add_names(enum lease_family family, struct err *err);

#endif
