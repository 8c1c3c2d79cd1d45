/* SPDX-License-Identifier: ISC */
/* The two forms of lease files; see lease_file.h.  What puts something writes
   at out and returns where that ended. */
#ifndef UBENCH_LEASE_LEASE_FORMS_H
#define UBENCH_LEASE_LEASE_FORMS_H

#include "lease/lease_file.h"
#include "lease/lease_text.h"

/* Records of dhcpd.leases(5). */
char *lease_isc_put(char *out, struct lease_writer *writer,
                    const struct lease *lease, bool removed);
char *lease_isc_quote(char out[static 8], uint8_t byte);

/* Reads the next line.  Returns NULL, or what is wrong with it. */
const char *lease_isc_take(struct lease_record *record, const char *line);

/* Rows of the CSV files of Kea's memfile. */
char *lease_kea_put(char *out, const struct lease_writer *writer,
                    const struct lease *lease, bool removed);
char *lease_kea_quote(char out[static 8], const struct lease_writer *writer,
                      uint8_t byte);

/* Reads a row.  Returns NULL, or what is wrong with it. */
const char *lease_kea_take(struct lease_record *record,
                           enum lease_family family, const char *line);

#endif
