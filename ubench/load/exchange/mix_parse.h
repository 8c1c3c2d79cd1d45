/* SPDX-License-Identifier: ISC */
/* Parses the exchanges that --workload names. */
#ifndef UBENCH_LOAD_EXCHANGE_MIX_PARSE_H
#define UBENCH_LOAD_EXCHANGE_MIX_PARSE_H

#include "load/exchange/table.h"

/* Parses the name of an exchange or of a mix; weights, as in "renew=90,dora=5"; or a file of
   exchanges, "@FILE" (definition.h).  Weights count leases: a cycle of the server that reclaims
   100 leases counts as 100.  Returns 0, or -1 with err (ERR_USAGE). */
int mix_parse(const char *text, enum lease_family family, struct mix *mix, struct err *err);

/* Returns the first word of such a text that names neither an exchange of any family nor a mix,
   and its length; or NULL. */
const char *mix_find_unknown(const char *text, size_t *length);

/* Adds to a message what mix_parse accepts: ", dora, ...". */
void mix_add_names(enum lease_family family, struct err *err);

#endif
