/* SPDX-License-Identifier: ISC */
/* What a program inherits: its standard streams and the signals that a write
   may raise. */
#ifndef UBENCH_CORE_STD_FDS_H
#define UBENCH_CORE_STD_FDS_H

/*
 * Opens those of the descriptors 0, 1 and 2 that were closed, so that no file
 * that is opened later gets one of them and is written to as if it were
 * standard output.  What is written to such a stream still fails, with EBADF.
 */
void reserve_std_fds(void);

/* A closed pipe (EPIPE) and a file that reached its limit (EFBIG, ulimit -f)
   become errors like others, which leave time to put things back. */
void ignore_write_signals(void);

#endif
