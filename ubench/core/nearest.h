/* SPDX-License-Identifier: ISC */
/* Looks for the name that an unknown one was meant to be. */
#ifndef UBENCH_CORE_NEAREST_H
#define UBENCH_CORE_NEAREST_H

#include "core/err.h"

/* Begun with .typed alone; the names live as long as it is used. */
struct nearest {
    const char *typed;
    const char *name; /* NULL: none is near */
};

/* Looks at one more name: near is the first that differs by one letter that is
   missing, too many, another one or swapped with its neighbour. */
void nearest_try(struct nearest *nearest, const char *name);

/* Adds "; did you mean BEFORENAME?" to err, unless none is near, or one is the
   same.  Always returns -1. */
int nearest_add(const struct nearest *nearest, const char *before, struct err *err);

#endif
