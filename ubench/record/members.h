/* SPDX-License-Identifier: ISC */
/*
 * Members of a line, each read with a complaint if it is not what it has to
 * be; what is missing or null is complained of where it is needed.  For the
 * files that read records alone.  An object may be NULL: nothing is in it.
 */
#ifndef UBENCH_RECORD_MEMBERS_H
#define UBENCH_RECORD_MEMBERS_H

#include <jansson.h>

#include "record/reader.h"

/* Keeps the first complaint.  Returns false. */
bool record_complain_of(struct record_reader *reader, const char *key,
                        const char *what);

/* A whole number from 0 on; RECORD_UNKNOWN if there is none. */
uint64_t record_read_count(struct record_reader *reader, const json_t *object,
                           const char *key, bool needed);

/* A number from 0 on; missing if there is none. */
double record_read_real(struct record_reader *reader, const json_t *object,
                        const char *key, double missing);

/* False if there is none. */
bool record_read_flag(struct record_reader *reader, const json_t *object,
                      const char *key);

/* A copy; "" if there is none. */
const char *record_read_text(struct record_reader *reader, const json_t *object,
                             const char *key, bool needed);

/* An object or an array; NULL if it is not there, or something else. */
json_t *record_read_container(struct record_reader *reader,
                              const json_t *object, const char *key,
                              json_type type, bool needed);

/* Its count is 0 if there is none. */
struct record_histogram record_read_histogram(struct record_reader *reader,
                                              const json_t *object,
                                              const char *key);

/* What an open loop has, of a run; NULL of a closed loop. */
const struct record_open *record_read_open(struct record_reader *reader,
                                           const json_t *run);

#endif
