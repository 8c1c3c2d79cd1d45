/* SPDX-License-Identifier: ISC */
/* Suggests the name that a mistyped one was probably meant to be. */
#ifndef UBENCH_CORE_NEAREST_H
#define UBENCH_CORE_NEAREST_H

#include "core/err.h"

/* Initialise with .typed only.  The names must outlive the struct. */
struct nearest {
    const char *typed;
    const char *name; /* NULL: none is similar */
};

/* Considers one more name.  Keeps the first that differs by at most one
   missing, extra, wrong or swapped letter. */
void nearest_try(struct nearest *nearest, const char *name);

/* Appends "; did you mean BEFORENAME?" to err, unless no name is similar or the
   name equals the typed one.  Always returns -1. */
int nearest_add(const struct nearest *nearest, const char *before, struct err *err);

#endif
