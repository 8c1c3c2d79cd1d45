/* SPDX-License-Identifier: ISC */
/*
 * The buckets of histograms in the text of a line.  Nine tenths of a line are
 * buckets, which few readers want: they are cut out before it is parsed as
 * JSON, and record_histogram_restore reads them when somebody asks.
 */
#ifndef UBENCH_RECORD_BUCKETS_H
#define UBENCH_RECORD_BUCKETS_H

#include <stddef.h>

/* Room for the longest line that record_buckets_cut makes of length bytes. */
size_t record_buckets_room(size_t length);

/*
 * Copies the line to cut, which has that room, without the value of any member
 * "buckets" that is made of numbers; there stands [begin,length], the place of
 * the value in text.  Returns the length of what it copied; there is no NUL.
 */
size_t record_buckets_cut(char *cut, const char *text, size_t length);

#endif
