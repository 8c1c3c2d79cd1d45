/* SPDX-License-Identifier: ISC */
/* The classes of durability, and their names. */
#ifndef UBENCH_CORE_DURABILITY_H
#define UBENCH_CORE_DURABILITY_H

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
 * Whether the acknowledged changes survive the loss, for ever, of the machine
 * that the class is about, since another one has to have them before they are
 * acknowledged.  Ordered: of two answers the lower one counts.
 */
enum node_loss {
    NODE_LOSS_NO,
    NODE_LOSS_UNKNOWN,
    NODE_LOSS_YES,
    NODE_LOSS_NO_SERVER /* it has no name and no meaning */
};

struct durability_words {
    const char *name; /* in results and after --sync: "power-safe", "yes" */
    /* For people: "every acknowledged change survives ..." */
    const char *meaning;
};
extern const struct durability_words durability_classes[]; /* enum durability */
extern const struct durability_words node_losses[]; /* enum node_loss, but for
                                                       NODE_LOSS_NO_SERVER */

/* The class of that name, or that of DURABILITY_NONE. */
const struct durability_words *durability_scan(const char *name);

#endif
