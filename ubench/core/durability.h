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

/* Its name in results, "yes", and its meaning in words for people. */
const char *node_loss_name(enum node_loss node_loss);
const char *node_loss_meaning(enum node_loss node_loss);

/* The class's name in reports and after --sync: "power-safe". */
const char *durability_name(enum durability durability);

/* Its meaning, in words for people: "every acknowledged change survives a
   power cut". */
const char *durability_meaning(enum durability durability);

/* Reads a class's name.  Returns 0, or -1 if no class has it. */
int durability_scan(const char *name, enum durability *durability);

#endif
