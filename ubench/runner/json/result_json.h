/* SPDX-License-Identifier: ISC */
/* Writes a result as a line of JSON, member by member as in results/schema.json. */
#ifndef UBENCH_RUNNER_JSON_RESULT_JSON_H
#define UBENCH_RUNNER_JSON_RESULT_JSON_H

#include "runner/result.h"

/* Returns the line, without a newline; the caller frees it.  NULL if memory is short. */
char *result_json(const struct result *result);

#endif
