/* SPDX-License-Identifier: ISC */
#include "runner/runner.h"

#include "core/clock.h"

static void look(void *context)
{
    struct class_watch *const watch = context;

    if (watch->changed ||
        watch->backend->check_class(watch->store, &watch->err) == 0)
        return;
    watch->changed = true;
    atomic_store(&watch->progress->stop, 1);
}

int class_watch_begin(struct class_watch *watch, const struct backend *backend,
                      struct store *store, struct progress *progress,
                      struct err *err)
{
    *watch = (struct class_watch){ .backend = backend,
                                   .store = store,
                                   .progress = progress };
    if (backend->check_class == NULL)
        return 0;
    watch->ticker = ticker_start(NS_PER_S, look, watch, err);
    return watch->ticker != NULL ? 0 : -1;
}

int class_watch_end(struct class_watch *watch, bool failed, struct err *err)
{
    if (watch->ticker == NULL)
        return 0;
    ticker_stop(watch->ticker);
    if (!failed)
        look(watch);
    if (!watch->changed)
        return 0;
    *err = watch->err;
    return -1;
}
