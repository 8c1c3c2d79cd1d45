/* SPDX-License-Identifier: ISC */
/* Rows of the CSV files of Kea's memfile; see lease_file.h. */
#ifndef UBENCH_LEASE_LEASE_KEA_H
#define UBENCH_LEASE_LEASE_KEA_H

#include "lease/lease_file.h"
#include "lease/lease_text.h"

/* Both write at out and return where they ended. */
char *lease_kea_put(char *out, const struct lease_writer *writer,
                    const struct lease *lease, bool removed);
char *lease_kea_quote(char out[static 8], uint8_t byte);

/* Reads a row.  Returns NULL, or what is wrong with it. */
const char *lease_kea_take(struct lease_record *record,
                           enum lease_family family, const char *line);

#endif
