/* SPDX-License-Identifier: ISC */
/* Records of dhcpd.leases(5); see lease_file.h. */
#ifndef UBENCH_LEASE_LEASE_ISC_H
#define UBENCH_LEASE_LEASE_ISC_H

#include "lease/lease_file.h"
#include "lease/lease_text.h"

/* Both write at out and return where they ended. */
char *lease_isc_put(char *out, struct lease_writer *writer,
                    const struct lease *lease, bool removed);
char *lease_isc_quote(char out[static 8], uint8_t byte);

/* Reads the next line.  Returns NULL, or what is wrong with it. */
const char *lease_isc_take(struct lease_record *record, const char *line);

#endif
