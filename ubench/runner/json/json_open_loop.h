/* SPDX-License-Identifier: ISC */
/* Writes the result of an open loop as JSON: its trials, what was predicted of them, and the rates
   that a search found.  The members are those of results/schema.json. */
#ifndef UBENCH_RUNNER_JSON_JSON_OPEN_LOOP_H
#define UBENCH_RUNNER_JSON_JSON_OPEN_LOOP_H

#include "core/json.h"
#include "runner/result.h"

/* Writes members into the current object.  run->open is not NULL. */
void json_open_loop(struct json *out, const struct runner_config *config,
                    const struct load_result *run);

#endif
