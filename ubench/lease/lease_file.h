/* SPDX-License-Identifier: ISC */
/*
 * Leases as text, in the forms that DHCP servers keep on disk: the
 * dhcpd.leases(5) of ISC DHCP, for IPv4, and the CSV files of Kea's memfile
 * (headers of lease file versions 3.0 for IPv4 and 5.0 for IPv6,
 * src/lib/dhcpsrv/csv_lease_file4.cc and 6.cc).  All are logs: the last record
 * of an address counts.
 *
 * An ISC file holds what dhcpd keeps in it.  Subnet and pool are not in it:
 * dhcpd knows them from its configuration.
 */
#ifndef UBENCH_LEASE_LEASE_FILE_H
#define UBENCH_LEASE_LEASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"
#include "lease/lease.h"

enum lease_file_format {
    LEASE_FILE_ISC,
    LEASE_FILE_KEA,
    LEASE_FILE_KEA6, /* the only one of IPv6 leases */
};

enum {
    LEASE_FILE_HEADER_MAX = 256,  /* bytes */
    LEASE_FILE_RECORD_MAX = 4096, /* bytes; no lease makes a longer record */
};

enum { LEASE_FILE_DAY_LENGTH = 13 };

/* Each byte's text, made once: writing a lease then only copies.  One thread
   at a time: the day that was written last is remembered. */
struct lease_writer {
    enum lease_file_format format;
    char hex[256][4];    /* "2a:" */
    char octet[256][4];  /* "42" */
    char quoted[256][8]; /* in a dhcpd string or a Kea field */
    uint8_t octet_length[256];
    uint8_t quoted_length[256];
    char pairs[100][2]; /* "42" */
    unsigned day;       /* since 1970-01-01, whose text this is: */
    char day_text[LEASE_FILE_DAY_LENGTH + 3]; /* "4 2026/11/19 " */
};

void lease_writer_init(struct lease_writer *writer,
                       enum lease_file_format format);

/* All three write text without a NUL to out, which has room for the maximum,
   and return its length. */

/* The beginning of a file.  It marks the file as written by ubench. */
size_t lease_writer_header(const struct lease_writer *writer,
                           char out[static LEASE_FILE_HEADER_MAX]);

/* The record of a lease that is created or changed. */
size_t lease_writer_lease(struct lease_writer *writer,
                          const struct lease *lease,
                          char out[static LEASE_FILE_RECORD_MAX]);

/* The record that removes a lease: in ISC's form its address is free, in
   Kea's two its lifetime is 0. */
size_t lease_writer_removal(struct lease_writer *writer,
                            const struct lease *lease,
                            char out[static LEASE_FILE_RECORD_MAX]);

/* True if these first bytes of a file are our header; format gets its form. */
bool lease_file_is_ours(const char *start, size_t length,
                        enum lease_file_format *format);

/* What was found in a file. */
struct lease_file_stats {
    enum lease_file_format format;
    uint64_t records;    /* whole ones */
    uint64_t torn_bytes; /* of a last record that a crash cut short */
    /* Where lease_file_recover stopped before the end: */
    const char *complaint;  /* what was wrong there; NULL: nothing */
    uint64_t bad_line;      /* from 1 on; where it was */
    uint64_t good_bytes;    /* of the records before */
    uint64_t dropped_bytes; /* all behind them */
};

/* Called for each record, in order; removed: the lease is gone, only its
   address is set.  Returns 0 to go on, or -1 with err to end the load. */
typedef int lease_file_visit(void *context, const struct lease *lease,
                             bool removed, struct err *err);

/*
 * Reads a file of any form, whoever wrote it: the form is found from its
 * first line.  A last record without its end is not an error but a torn tail.
 * Any other record that cannot be read is, ERR_CORRUPT, and so is a line with a
 * NUL in it: err names the file and the line.  Returns 0 or -1.
 */
int lease_file_load(const char *path, lease_file_visit *visit, void *context,
                    struct lease_file_stats *stats, struct err *err);

/*
 * The same for a file that ubench wrote and a crash ended.  What is synced is
 * safe with all before it, so that the first record that cannot be read was not
 * synced, nor was anything behind it: it ends what is kept, whatever follows,
 * and stats says where and how much that is.
 */
int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err);

#endif
