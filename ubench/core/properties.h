/* SPDX-License-Identifier: ISC */
/*
 * The facts about a run, as (key, value) pairs in reading order: versions,
 * settings read back, parameters, the machine.
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

/* Appends a property, or replaces the value of an existing key.  Truncates a
   text that is too long, and cleans it (text_clean).  The caller must not add
   more than PROPERTIES_MAX. */
void properties_add(struct properties *properties, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the value of that key, or NULL. */
const char *properties_find(const struct properties *properties, const char *key);

#endif
