/* SPDX-License-Identifier: ISC */
/* Writes a struct record as a line of JSON. */
#ifndef UBENCH_RECORD_WRITER_H
#define UBENCH_RECORD_WRITER_H

#include "record/record.h"

/* The line, without its newline; the caller frees it.  NULL if there is no
   memory. */
char *record_write(const struct record *record);

#endif
