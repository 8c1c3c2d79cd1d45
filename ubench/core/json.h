/* SPDX-License-Identifier: ISC */
/*
 * Writes one JSON value to a stream, member by member.  Missing values are
 * null: a count of UINT64_MAX, a real number that is not finite, a text of
 * NULL.  To omit a member, do not write it.
 */
#ifndef UBENCH_CORE_JSON_H
#define UBENCH_CORE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/properties.h"

#define JSON_UNKNOWN UINT64_MAX

/* Initialise with .out only. */
struct json {
    FILE *out;
    bool more; /* private: a comma comes before the next member or item */
};

/* Each function takes the member's name; NULL for an item of an array. */
void json_text(struct json *json, const char *name, const char *text);
void json_flag(struct json *json, const char *name, bool flag);
void json_count(struct json *json, const char *name, uint64_t count);
/* Writes as many digits as are needed to read the same number back. */
void json_real(struct json *json, const char *name, double value);
/* Writes a rate or a time that is above 0; null for all other values: there is none. */
void json_positive(struct json *json, const char *name, double value);
void json_null(struct json *json, const char *name);
/* Writes an object whose members are texts. */
void json_properties(struct json *json, const char *name, const struct properties *properties);

/* Returns the text that write(json, subject) writes; the caller frees it.  NULL if
   memory is short. */
char *json_line(void (*write)(struct json *json, const void *subject), const void *subject);

/* Begin and end an object ('{', '}') or an array ('[', ']'). */
void json_begin(struct json *json, const char *name, char bracket);
void json_end(struct json *json, char bracket);

#endif
