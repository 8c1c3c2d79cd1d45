/* SPDX-License-Identifier: ISC */
/*
 * Which records measured the same thing: the same store, options, settings as
 * read back, machine and version of ubench.  Their runs may be put together;
 * those of others may not.
 *
 * What does not count: how the output looked, the seed, names of files,
 * databases, users and ports, labels, what else the machine was doing, and what
 * --sync asked for, as it was read back what came of it.
 */
#ifndef UBENCH_RECORD_CONFIGURATIONS_H
#define UBENCH_RECORD_CONFIGURATIONS_H

#include <stdbool.h>

#include "core/arena.h"
#include "record/archive.h"

/* One configuration; its place in a section tells it from its neighbours. */
struct configuration {
    const struct record *const *records; /* in the order of the archive */
    size_t record_count;
    /* What it is called: the store, what of the load differs in the section,
       and what else between its configurations of that store: "mysql", "mysql,
       threads=4, cache_size=-2000". */
    const char *label;
    const char *differs; /* the same without the store: "threads=4", or "" */
};

/* Configurations of one durability class, or published together, that did the
   same phases: what one table can hold. */
struct section {
    /* "power-safe", or of published figures "published, -s yes". */
    const char *title;
    /* Which load that was, where it is not the guide's, and wherever the title
       does not tell the section from its neighbours: "renew"; or "". */
    const char *load;
    const char *meaning; /* of the class, a phrase; or where it was published */
    const struct record_run *shape; /* a run that has its phases */
    const struct configuration *items;
    size_t count;
};

/* From the safest class to the least safe, and last what was published.  In a
   section, stores are in the order of the archive, and the configurations of
   one in the order of what differs. */
struct sections {
    struct arena memory; /* private */
    const struct section *items;
    size_t count;
};

/* The archive has to outlive it. */
void sections_init(struct sections *sections, const struct archive *archive);
void sections_release(struct sections *sections);

/* False of parameters and facts that may differ between records of the same
   configuration. */
bool configuration_depends_on(const char *key);

/* "power-safe, renew" */
const char *section_heading(struct arena *memory,
                            const struct section *section);

/* What the class promises, in a phrase. */
const char *durability_meaning(enum durability durability);

#endif
