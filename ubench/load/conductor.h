/* SPDX-License-Identifier: ISC */
/*
 * The line protocol between a run in turns (--turns) and its conductor, the program that
 * started it: a duel conducts two runners, so that both meet the same noise.
 *
 *   runner says        conductor answers
 *   ready              turn MS     work for MS milliseconds, 1..600000
 *                      end         check everything and give the result
 *   turn {JSON}        turn or end again
 *   result             the line of JSON follows
 *
 * The end of the input before "end" stops the run; any other line is an error.
 * load/turns.h describes the JSON of a turn.
 */
#ifndef UBENCH_LOAD_CONDUCTOR_H
#define UBENCH_LOAD_CONDUCTOR_H

#include <stdbool.h>
#include <stdio.h>

#include "core/err.h"
#include "load/progress.h"

struct conductor;

/* The caller owns in, a descriptor, and out.  If the conductor exits, the run is asked to stop
   soon afterwards.  Returns NULL with err on failure. */
struct conductor *conductor_open(int in, FILE *out, struct progress *progress, struct err *err);
void conductor_close(struct conductor *conductor); /* NULL is fine */

/* Sends a line, given without its newline. */
void conductor_say(struct conductor *conductor, const char *line);

/* Returns the next command, after waiting at most wait_ms.  NULL if none has come or the
   run was asked to stop.  The text is valid until the next call.  After "end" the input
   may end. */
const char *conductor_listen(struct conductor *conductor, int wait_ms);

/* Returns true if the conductor exited before it sent "end".  NULL is fine. */
bool conductor_is_gone(struct conductor *conductor);

#endif
