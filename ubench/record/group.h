/* SPDX-License-Identifier: ISC */
/*
 * Records with the same key, put together.
 *
 * The groups of an archive are its configurations: the same store, options,
 * settings as read back, machine and version of ubench.  The runs of one may
 * be merged; those of several may not.  Groups that one table can hold are a
 * section: of one durability class, or published together, with the same
 * phases.  See key.h for what counts.
 */
#ifndef UBENCH_RECORD_GROUP_H
#define UBENCH_RECORD_GROUP_H

#include <stdbool.h>

#include "core/arena.h"
#include "record/archive.h"
#include "record/key.h"

/* Classes of durability as they are shown, with one more: what was published
   by others has none. */
enum { GROUP_PUBLISHED = DURABILITY_POWER_SAFE + 1, GROUP_CLASSES };

/* "power-safe", ..., "published" */
const char *group_class_name(int class);

/* A complete run, and the record that it is of. */
struct group_run {
    const struct record_run *run;
    const struct record *record;
};

struct group {
    int class; /* enum durability or GROUP_PUBLISHED, of the first record */
    size_t record_count;
    const struct record *const *records; /* at least one; oldest first */
    size_t run_count;                    /* complete ones, in this order */
    const struct group_run *runs;
    size_t incomplete; /* how many runs there were besides */
    /* What follows is of configurations alone. */
    struct key key;
    const struct section *section;
    const char *store;
    /* What it is called: the store, what of the load differs in the section,
       and what else between its configurations of that store: "mysql", "mysql,
       threads=4, cache_size=-2000". */
    const char *label;
    const char *differs; /* the same without the store: "threads=4", or "" */
    bool is_default;     /* stands for its store in the section: it has most in
                            common with the others, or is the newest of these */
};

struct section {
    /* "power-safe", or of published figures "published, -s yes". */
    const char *title;
    /* Which load that was, where it is not the guide's, and wherever the title
       does not tell the section from its neighbours: "renew"; or "". */
    const char *load;
    const char *meaning; /* of the class, a phrase; or where it was published */
    const char *phases;  /* "create, search, update, delete" */
    const struct record_run *shape; /* a run that has them */
    size_t count;
    const struct group *groups; /* at least one */
};

/* From the safest class to the least safe, and last what was published.  In a
   section, stores are in the order of the archive, and the configurations of
   one in the order of what differs. */
struct groups {
    struct arena memory; /* private */
    size_t count;
    const struct group *items; /* of all sections */
    size_t section_count;
    const struct section *sections;
};

/* The archive has to outlive it. */
void groups_init(struct groups *groups, const struct archive *archive);

/* The same, but a group has all that was measured of a setup, whatever the
   work, so its runs have different phases; and a section is a class, of stores
   or of whole servers ("power-safe server"). */
void groups_init_setups(struct groups *groups, const struct archive *archive);
void groups_release(struct groups *groups); /* zeroed is fine */

/* A group of these records, at least one, without a key.  They are sorted by
   time, and stay the caller's. */
struct group group_of_records(struct arena *memory,
                              const struct record **records, size_t count);

/* The newest record: what is said of a group's settings is taken from it. */
const struct record *group_newest(const struct group *group);

/* One figure of several runs. */
struct summary {
    size_t count;         /* of values; may be 0 */
    const double *values; /* in the order of the runs */
    double median;        /* of them; 0 if there are none */
    double low, high;     /* the median's interval, or the lowest and highest */
    bool interval;        /* the former: from 6 to STATISTICS_MAX runs */
};

/* A figure of a run, or NAN if it has none; context is what
   group_summary was given. */
typedef double summary_figure(const struct record_run *run,
                              const void *context);

/* One of them: operations per second of all phases. */
double group_run_rate(const struct record_run *run, const void *context);

/* The figure of each of its runs, put together. */
struct summary group_summary(struct arena *memory, const struct group *group,
                             summary_figure *figure, const void *context);

/* Whether the changes of all its records survive the loss of their machine, as
   far as they say: "survived", "unknown", "lost", or "" if none says. */
const char *group_node_loss(const struct group *group);

/* "power-safe, renew" */
const char *section_heading(struct arena *memory,
                            const struct section *section);

#endif
