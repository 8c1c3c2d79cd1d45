/* SPDX-License-Identifier: ISC */
/*
 * The thread beside the load: it shows progress, at most four times a second,
 * and takes SIGINT, SIGTERM and, but under nohup, SIGHUP.  The first signal
 * asks the load to stop, and calls the store's operations off if it does not;
 * the second one quits.
 */
#ifndef UBENCH_RUNNER_MONITOR_H
#define UBENCH_RUNNER_MONITOR_H

#include "core/err.h"
#include "load/progress.h"
#include "store/backend.h"

enum progress_style {
    PROGRESS_AUTO, /* a bar if stderr is a terminal */
    PROGRESS_BAR,
    PROGRESS_PLAIN, /* a line every 10 s */
    PROGRESS_DOTS,  /* four dots a second */
    PROGRESS_NONE,
};

struct monitor;

/* Starts the thread and blocks those signals in the caller, whose descriptors
   are then its own unless the store is a server's.  NULL with err on failure.
   progress must outlive the monitor. */
struct monitor *monitor_start(struct progress *progress, enum progress_style style,
                              const struct backend *backend, struct err *err);

/* Names the store whose operations may have to be canceled, while it is being
   opened (for store_config.on_progress) and when it is open; with OPEN_FAILED
   there is none any more. */
void monitor_on_progress(void *monitor, enum open_stage stage, struct store *store);

/* True if the store that was opened last, or could not be, had a connection. */
bool monitor_has_connected(const struct monitor *monitor);

/* Ends the thread, frees it and gives the caller the signal mask back that it
   had.  Returns the signal that came, or 0. */
int monitor_stop(struct monitor *monitor);

#endif
