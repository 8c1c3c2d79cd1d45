/* SPDX-License-Identifier: ISC */
/* The part of main that is the same in every runner. */
#ifndef UBENCH_CORE_PROGRAM_H
#define UBENCH_CORE_PROGRAM_H

/*
 * Calls program in a thread with a stack of 1 MiB, so that the stack of main
 * does not matter, and returns what it returns.  Signals go to the threads of
 * program alone, and descriptors that it opens are its own.  Where no thread
 * can be started, it is called as it is.
 *
 * Standard streams that were closed are none of its files, and a closed pipe
 * (EPIPE) and a file that reached its limit (EFBIG, ulimit -f) are errors like
 * others, which leave time to put things back.  An output that did not arrive
 * is no success: NAMESUFFIX says so on standard error, and 1 is returned.
 */
int program_run(const char *name, const char *suffix,
                int (*program)(int argc, char **argv), int argc, char **argv);

#endif
