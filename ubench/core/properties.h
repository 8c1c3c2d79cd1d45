/* SPDX-License-Identifier: ISC */
/*
 * The facts about a run, as (key, value) pairs in the order in which a reader
 * wants them: versions, settings read back, parameters, the machine.
 */
#ifndef UBENCH_CORE_PROPERTIES_H
#define UBENCH_CORE_PROPERTIES_H

#include <stddef.h>

struct property {
    char key[48];
    char value[208];
};

enum { PROPERTIES_MAX = 96 };

struct properties {
    size_t count;
    struct property items[PROPERTIES_MAX];
};

/* Appends one property, or gives the one of that key its new value.  A text
   that is too long is cut, and what a terminal would obey in it is a question
   mark (text_clean).  More than PROPERTIES_MAX are a bug of ours. */
void properties_add(struct properties *properties, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of that key, or NULL. */
const char *properties_find(const struct properties *properties, const char *key);

#endif
