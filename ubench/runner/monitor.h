/* SPDX-License-Identifier: ISC */
/*
 * The thread beside the load.  It shows progress, at most four times a second,
 * and handles SIGINT, SIGTERM, SIGQUIT, SIGXCPU and, except under nohup, SIGHUP.  The
 * first signal asks the load to stop, and cancels the store's operations if the
 * load does not.  The second signal ends the program at once, unless it is
 * SIGXCPU, which the kernel repeats until the hard limit of processor time.
 */
#ifndef UBENCH_RUNNER_MONITOR_H
#define UBENCH_RUNNER_MONITOR_H

#include "core/err.h"
#include "load/progress.h"
#include "store/backend.h"

enum progress_style {
    PROGRESS_AUTO, /* a bar if stderr is a terminal */
    PROGRESS_BAR,
    PROGRESS_PLAIN, /* one line every 10 s */
    PROGRESS_DOTS,  /* four dots a second */
    PROGRESS_NONE,
};

struct monitor;

/* Starts the thread, and blocks those signals in the caller.  Gives the caller
   its own table of descriptors, unless the store has a server.  NULL with err
   on failure.  progress must outlive the monitor. */
struct monitor *monitor_start(struct progress *progress, enum progress_style style,
                              const struct backend *backend, struct err *err);

/* Sets the store whose operations may be canceled: while it is being opened
   (for store_config.on_progress) and once it is open.  OPEN_FAILED: no
   store. */
void monitor_on_progress(void *monitor, enum open_stage stage, struct store *store);

/* Returns true if the store opened last had a connection, even if opening it
   failed. */
bool monitor_has_connected(const struct monitor *monitor);

/* Ends the thread, frees the monitor and restores the caller's signal mask.
   Returns the signal caught, or 0. */
int monitor_stop(struct monitor *monitor);

#endif
