/* SPDX-License-Identifier: ISC */
/* Finds the name that a mistyped one was probably meant to be. */
#ifndef UBENCH_CORE_NEAREST_H
#define UBENCH_CORE_NEAREST_H

#include "core/err.h"

/* Initialise with .typed only.  Names must outlive the struct. */
struct nearest {
    const char *typed;
    const char *name; /* NULL: none is near */
};

/* Considers one more name.  The first that differs by one missing, extra, wrong or
   swapped letter is kept. */
void nearest_try(struct nearest *nearest, const char *name);

/* Adds "; did you mean BEFORENAME?" to err, unless none is near, or one is the
   same.  Always returns -1. */
int nearest_add(const struct nearest *nearest, const char *before, struct err *err);

#endif
