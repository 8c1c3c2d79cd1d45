/* SPDX-License-Identifier: ISC */
/*
 * The classes of durability, and a store's promise: which acknowledged changes
 * a crash loses, with the settings and the reasons that decide it.
 */
#ifndef UBENCH_CORE_DURABILITY_H
#define UBENCH_CORE_DURABILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/properties.h"

/*
 * A class states which acknowledged changes survive.  It is computed from
 * settings that were read back, never from the command line.
 */
enum durability {
    DURABILITY_NONE,         /* stores nothing: the null store */
    DURABILITY_VOLATILE,     /* lost even when a process is killed */
    DURABILITY_PROCESS_SAFE, /* survives kill -9; power loss: no bound */
    DURABILITY_BOUNDED,      /* the same, but a bounded window is lost */
    DURABILITY_POWER_SAFE,   /* every acknowledged change survives */
};

/*
 * States whether acknowledged changes survive the permanent loss of the store's
 * machine.  They do if another machine must have each change before it is
 * acknowledged.  Ordered: of two answers the lower counts.
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

/* Returns the words of the class of that name, or those of DURABILITY_NONE if
   there is none. */
const struct durability_words *durability_scan(const char *name);

/* How much of the acknowledged changes a crash loses.  Ordered: of two limits
   the greater loss counts. */
enum loss_kind { LOSS_NOTHING, LOSS_BOUNDED, LOSS_UNBOUNDED };
extern const char *const loss_names[]; /* "nothing", in results */

struct loss {
    enum loss_kind kind;
    /* For LOSS_BOUNDED: changes older than this survive.  0: the bound is a
       number of changes, the last of each session. */
    double window_s;
};
/* The window of a limit that a setting of the server determines. */
#define LOSS_WINDOW_READ (-1.0)

/*
 * A row of a table of limits: the loss that a value of a setting, as read back,
 * allows.  A row without a code ends the table.
 */
struct durability_limit {
    const char *engine;  /* only for this engine or journal mode; NULL: all */
    const char *setting; /* "fsync" */
    bool holds;          /* true: applies to the listed values; false: to all others */
    const char *values;  /* with blanks around each; "" is "  " */
    const char *code;    /* in results, and never changed: "fsync-off" */
    struct loss kill;    /* if the process that stores the leases is killed */
    struct loss power;
    /* The label in a small table: "pages off"; if it ends with a blank, the
       value follows.  NULL: the setting keeps its own label. */
    const char *label;
    /* For people; if it ends with "=", the value follows.  "": the setting's
       text is enough. */
    const char *text;
};

enum { PROMISE_SETTINGS_MAX = 16, PROMISE_REASONS_MAX = 16 };

/* A setting that the promise depends on, as read back. */
struct promise_setting {
    char name[48];
    char value[80];
    char label[48]; /* as in struct durability_limit; or "" */
    char text[112]; /* for people, if not name=value; or "" */
    bool decisive;  /* must be set for this class, and has no label */
    bool quiet;     /* not printed: a reason names it if it counts */
};

struct promise_reason {
    char code[40];
    char text[120]; /* for people */
};

/* Zeroed: nothing is lost. */
struct promise {
    bool stores_nothing; /* nothing can be lost */
    struct loss kill;
    struct loss power;
    size_t setting_count;
    struct promise_setting settings[PROMISE_SETTINGS_MAX];
    size_t reason_count;
    struct promise_reason reasons[PROMISE_REASONS_MAX];
};

/* Appends a setting, and returns it so that the caller can set its other
   members.  label stands before the value in a small table ("flush"); NULL:
   none. */
struct promise_setting *promise_set(struct promise *promise, const char *name, const char *value,
                                    const char *label);

/* Applies one limit that holds: adds its losses and its reason, and sets its
   label on the setting of that name, if there is one. */
void promise_limit(struct promise *promise, const struct durability_limit *limit,
                   const char *value);

/* Applies each limit of the table that holds for that engine.  values has the
   settings that were read back; limits on other settings are skipped.  window_s
   replaces LOSS_WINDOW_READ. */
void promise_limits(struct promise *promise, const struct durability_limit *limits,
                    const char *engine, const struct properties *values, double window_s);

/* Returns the class that follows from the losses. */
enum durability promise_class(const struct promise *promise);

/* Writes the settings and the reasons as one line for people. */
void promise_text(const struct promise *promise, char *text, size_t size);

#endif
