/* SPDX-License-Identifier: ISC */
/*
 * The configurations of an archive with what their runs did: for each phase the
 * rates and their median, and which configuration stands for its store and
 * class.  Knows nothing of how it is shown.
 */
#ifndef UBENCH_RECORD_SETUPS_H
#define UBENCH_RECORD_SETUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "record/archive.h"
#include "record/configurations.h"

/* Never compared with each other; in the order in which they are shown. */
enum setup_class {
    SETUP_POWER_SAFE,
    SETUP_BOUNDED,
    SETUP_PROCESS_SAFE,
    SETUP_VOLATILE,
    SETUP_NONE,      /* the null store: what measuring costs */
    SETUP_PUBLISHED, /* by others, on another machine */
    SETUP_CLASSES
};

/* "power-safe", ..., "published" */
const char *setup_class_name(enum setup_class class);

enum setup_item_kind { ITEM_VERSION, ITEM_PARAMETER, ITEM_FACT, ITEM_HOST };

/* One of the things in which setups may differ. */
struct setup_item {
    enum setup_item_kind kind;
    const char *name;
    const char *value;
};

/* What the complete runs of a setup did in one phase. */
struct setup_phase {
    const char *name;
    size_t count;        /* of rates; may be 0 */
    const double *rates; /* operations per second, in the order of the runs */
    double median;       /* of them; 0 if there are none */
    double low, high;    /* the median's interval, or the lowest and highest */
    bool interval;       /* the former: from 6 runs on */
};

struct setup {
    enum setup_class class;
    const struct section *section;
    const char *store;
    const char *label; /* how it differs from others of its store and class,
                          "threads=4", or "" */
    bool usual;        /* differs least: stands for its store and class */
    size_t record_count;
    const struct record *const *records; /* at least one; oldest first */
    size_t run_count;                    /* complete runs that count */
    size_t left_out;                     /* complete ones beyond what counts */
    size_t phase_count;
    const struct setup_phase *phases;
    struct setup_phase overall; /* all operations of a run / all their time */
    size_t item_count;
    const struct setup_item *items;
};

/* In the order of the sections: by class and store. */
struct setups {
    size_t count;
    const struct setup *items;
    struct sections sections; /* private */
    struct arena memory;      /* private */
};

/* The archive has to outlive it. */
void setups_gather(struct setups *setups, const struct archive *archive);
void setups_release(struct setups *setups);

/* Marks the one of a group, the setups of one store and section, that differs
   least from the others; of several the newest.  For setups_gather. */
void setups_choose_usual(struct arena *memory, struct setup *group,
                         size_t count);

/* The newest record: what is said of a setup's settings is taken from it. */
const struct record *setup_newest(const struct setup *setup);

/* The phase with that name, or NULL. */
const struct setup_phase *setup_phase(const struct setup *setup,
                                      const char *name);

/* Sets median, low, high and interval from count and rates. */
void setup_phase_summarise(struct setup_phase *phase);

/* The item's value, or NULL if the setup has none of that kind and name. */
const char *setup_value(const struct setup *setup, enum setup_item_kind kind,
                        const char *name);

/*
 * True if two setups are of the same store and section and differ in nothing
 * but that parameter or fact; or, with ITEM_VERSION, in nothing but versions
 * and machine.
 */
bool setups_alike(const struct setup *a, const struct setup *b,
                  enum setup_item_kind kind, const char *name);

#endif
