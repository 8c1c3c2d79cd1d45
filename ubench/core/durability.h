/* SPDX-License-Identifier: ISC */
/*
 * The classes of durability, and the promise of a store: what a crash loses of
 * the acknowledged changes, by which settings and for which reasons.
 */
#ifndef UBENCH_CORE_DURABILITY_H
#define UBENCH_CORE_DURABILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/properties.h"

/*
 * A class says which of the acknowledged changes survive.  It is computed from
 * settings that were read back, never taken from the command line.
 */
enum durability {
    DURABILITY_NONE,         /* nothing is stored at all: the null store */
    DURABILITY_VOLATILE,     /* lost even when a process is killed */
    DURABILITY_PROCESS_SAFE, /* survives kill -9; power loss: no bound */
    DURABILITY_BOUNDED,      /* the same, but a bounded window is lost */
    DURABILITY_POWER_SAFE,   /* every acknowledged change survives */
};

/*
 * Whether acknowledged changes survive the permanent loss of the store's machine:
 * they do if another machine must have each change before it is acknowledged.
 * Ordered: the lower of two answers counts.
 */
enum node_loss {
    NODE_LOSS_NO,
    NODE_LOSS_UNKNOWN,
    NODE_LOSS_YES,
    NODE_LOSS_NO_SERVER /* no database server: not reported */
};

struct durability_words {
    const char *name; /* in results and after --sync: "power-safe", "yes" */
    /* For people: "every acknowledged change survives ..." */
    const char *meaning;
};
extern const struct durability_words durability_classes[]; /* enum durability */
extern const struct durability_words node_losses[];        /* enum node_loss, but for
                                                              NODE_LOSS_NO_SERVER */

/* The class of that name, or that of DURABILITY_NONE. */
const struct durability_words *durability_scan(const char *name);

/* The acknowledged changes that a crash loses.  Ordered: of two limits the
   greater loss counts. */
enum loss_kind { LOSS_NOTHING, LOSS_BOUNDED, LOSS_UNBOUNDED };
extern const char *const loss_names[]; /* "nothing", in results */

struct loss {
    enum loss_kind kind;
    /* For LOSS_BOUNDED: older changes survive.  0: the bound is a number of
       changes, the last of each session. */
    double window_s;
};
/* For a limit whose window is a setting of the server. */
#define LOSS_WINDOW_READ (-1.0)

/*
 * A row of a table of limits: what a value of a setting, as it was read back,
 * lets a store lose.  A table ends with a row without a code.
 */
struct durability_limit {
    const char *engine;  /* only for this engine or journal mode; NULL: all */
    const char *setting; /* "fsync" */
    bool holds;          /* true: applies to the listed values; false: to all others */
    const char *values;  /* with blanks around each; "" is "  " */
    const char *code;    /* in results, and never changed: "fsync-off" */
    struct loss kill;    /* of the process that keeps the leases */
    struct loss power;
    /* How a small table names it: "pages off"; if it ends with a blank, the
       value follows.  NULL: not at all. */
    const char *label;
    /* For people; if it ends with "=", the value follows.  "": that of the
       setting says it. */
    const char *text;
};

enum { PROMISE_SETTINGS_MAX = 16, PROMISE_REASONS_MAX = 16 };

/* A setting that the promise rests on, as it was read back. */
struct promise_setting {
    char name[48];
    char value[80];
    char label[48]; /* as in struct durability_limit; or "" */
    char text[112]; /* for people, if not name=value; or "" */
    bool decisive;  /* has to be set for this class, and has no label */
    bool quiet;     /* the text leaves it out: a reason names it if it counts */
};

struct promise_reason {
    char code[40];
    char text[120]; /* for people */
};

/* Zeroed, it promises that nothing is lost. */
struct promise {
    bool stores_nothing; /* then there is nothing to lose */
    struct loss kill;
    struct loss power;
    size_t setting_count;
    struct promise_setting settings[PROMISE_SETTINGS_MAX];
    size_t reason_count;
    struct promise_reason reasons[PROMISE_REASONS_MAX];
};

/* Adds a setting, and returns it, for its other members.  label is the word
   before its value in a small table, "flush", or NULL. */
struct promise_setting *promise_set(struct promise *promise, const char *name, const char *value,
                                    const char *label);

/* Applies one limit that holds: its losses, its reason, and its label on the
   setting of that name, if that was added. */
void promise_limit(struct promise *promise, const struct durability_limit *limit,
                   const char *value);

/* Applies each limit of the table that holds for that engine.  values has the
   settings that were read back; none of the limits of a setting that is not
   among them holds.  window_s stands for LOSS_WINDOW_READ. */
void promise_limits(struct promise *promise, const struct durability_limit *limits,
                    const char *engine, const struct properties *values, double window_s);

/* The class: the lowest of all limits. */
enum durability promise_class(const struct promise *promise);

/* Writes the settings and the reasons as one line for people. */
void promise_text(const struct promise *promise, char *text, size_t size);

#endif
