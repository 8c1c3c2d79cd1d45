/* SPDX-License-Identifier: ISC */
/*
 * Exchanges as a text: a user's file of them (--workload=@FILE), and the built-in ones in the same
 * format, for --print-exchange, --describe and results.
 *
 *     # The clients of a captive portal
 *     exchange portal weight 9 known
 *         find_by_hwaddr   hit   who asks
 *         find_by_address  hit
 *
 * A line that begins with `exchange` has a name and then, in any order, `weight N` (1), `known`,
 * `new` or `server` (known), and `any-time`.  Each line below it is a step: the operation, the
 * answer of a correct store, and a name (that of the operation).  A comment goes from # to the end
 * of its line.
 */
#ifndef UBENCH_LOAD_EXCHANGE_DEFINITION_H
#define UBENCH_LOAD_EXCHANGE_DEFINITION_H

#include <stdio.h>

#include "load/exchange/table.h"

/* Limits: characters of an exchange's name and of a step's, and bytes of a file. */
enum { DEFINITION_NAME_MAX = 31, DEFINITION_STEP_MAX = 40, DEFINITION_FILE_MAX = 65536 };

/* Reads the exchanges of a file, for leases of one family, into mix, which is zeroed;
   mix_release frees it.  Returns 0, or -1 with err (ERR_USAGE): the file, the line, the word,
   and what was expected. */
int definition_read(const char *path, enum lease_family family, struct mix *mix, struct err *err);

/* Writes an exchange in the format that definition_read reads. */
void definition_write(const struct exchange *exchange, uint64_t weight, FILE *out);

/* Returns the same as a string, to be freed by free; NULL if memory is short. */
char *definition_text(const struct exchange *exchange, uint64_t weight);

#endif
