/* SPDX-License-Identifier: ISC */
/*
 * What is known about a run, as (key, value) pairs in the order in which a
 * reader wants them: versions, settings read back, parameters, the machine.
 */
#ifndef UBENCH_CORE_FACTS_H
#define UBENCH_CORE_FACTS_H

#include <stddef.h>

struct fact {
    char key[48];
    char value[208];
};

enum { FACTS_MAX = 96 };

struct facts {
    size_t count;
    struct fact items[FACTS_MAX];
};

/* Appends one fact; a text that is too long is cut.  More than FACTS_MAX
   facts are a bug of ours. */
void facts_add(struct facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of the first fact with that key, or NULL. */
const char *facts_find(const struct facts *facts, const char *key);

#endif
