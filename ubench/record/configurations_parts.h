/* SPDX-License-Identifier: ISC */
/* What the records of a section differ in.  For configurations*.c alone. */
#ifndef UBENCH_RECORD_CONFIGURATIONS_PARTS_H
#define UBENCH_RECORD_CONFIGURATIONS_PARTS_H

#include "record/configurations.h"

/* A record, and what it is sorted by. */
struct configuration_entry {
    const struct record *record;
    struct record_properties traits; /* all that counts */
    const char *phases;              /* the names of its phases */
    const char *store;
    size_t store_rank; /* the place of the first record of its store */
    size_t place;      /* in the archive */
};

/* Of a store in a section: the traits that tell its configurations apart, those
   of the load first. */
struct configuration_differences {
    size_t count;
    size_t room;
    const char **keys;
};

/* The trait's value, "" if there is none; guess is where it probably is. */
const char *configuration_trait(const struct configuration_entry *entry,
                                const char *key, size_t guess);

/* What of the load is not the same for all entries of a section. */
struct configuration_differences
configuration_loads(struct arena *memory,
                    const struct configuration_entry *entries, size_t count);

/* Names the configurations of one store in one section, by the first entry of
   each; load is what all rows of the section say. */
void configuration_labels(struct arena *memory,
                          const struct configuration_differences *load,
                          const struct configuration_entry *const *firsts,
                          size_t count, struct configuration *items);

#endif
