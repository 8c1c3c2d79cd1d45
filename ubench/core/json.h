/* SPDX-License-Identifier: ISC */
/*
 * Writes one value of JSON into a stream, member by member.  A missing value
 * has one convention: a count of UINT64_MAX, a real number that is not finite
 * and a text of NULL are null.  A member that is to be left out is not written.
 */
#ifndef UBENCH_CORE_JSON_H
#define UBENCH_CORE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/properties.h"

#define JSON_UNKNOWN UINT64_MAX

/* Begun with .out alone. */
struct json {
    FILE *out;
    bool more; /* private: a comma comes before the next member or item */
};

/* Each takes the member's name, or NULL of an item of an array. */
void json_text(struct json *json, const char *name, const char *text);
void json_flag(struct json *json, const char *name, bool flag);
void json_count(struct json *json, const char *name, uint64_t count);
/* With as many digits as it takes to read the same number back. */
void json_real(struct json *json, const char *name, double value);
void json_null(struct json *json, const char *name);
/* An object of texts. */
void json_properties(struct json *json, const char *name, const struct properties *properties);

/* The text that write makes of something; the caller frees it.  NULL: there is
   no memory. */
char *json_line(void (*write)(struct json *json, const void *of), const void *of);

/* An object, in braces, or an array, in brackets. */
void json_begin(struct json *json, const char *name, char bracket);
void json_end(struct json *json, char bracket);

#endif
