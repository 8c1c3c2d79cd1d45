/* SPDX-License-Identifier: ISC */
/* Watches over a store's durability class while a load is running: figures
   stand for a class only if it held all the time. */
#ifndef UBENCH_PROGRAMS_CLASS_WATCH_H
#define UBENCH_PROGRAMS_CLASS_WATCH_H

#include "core/err.h"
#include "core/thread.h"
#include "load/progress.h"
#include "store/backend.h"

struct class_watch {
    const struct backend *backend;
    struct store *store;
    struct progress *progress;
    struct ticker *ticker; /* NULL: the class cannot change */
    bool changed;          /* and err says what */
    struct err err;
};

/* Looks once a second from now on, in a thread of its own, and asks the load to
   stop if the class is another.  watch must stay where it is.  Returns 0, or
   -1 with err. */
int class_watch_begin(struct class_watch *watch, const struct backend *backend,
                      struct store *store, struct progress *progress,
                      struct err *err);

/* Looks for a last time, unless the load failed, and ends the thread.  Returns
   0, or -1 with err if the class was another at any time. */
int class_watch_end(struct class_watch *watch, bool failed, struct err *err);

#endif
