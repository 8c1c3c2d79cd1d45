/* SPDX-License-Identifier: ISC */
/* Parts of a result as JSON, for report/ alone.  All return a new reference. */
#ifndef UBENCH_RECORD_RESULT_JSON_H
#define UBENCH_RECORD_RESULT_JSON_H

#include <jansson.h>

#include "load/openloop/open_load.h"
#include "measure/histogram.h"

/* A number that JSON has; where there is none, null. */
json_t *real_json(double value);

/* null if nothing was recorded. */
json_t *histogram_json(const struct histogram *histogram);

/* Adds what came of an open loop to the object of its run. */
void open_json_add(json_t *run, const struct open_result *open);

#endif
