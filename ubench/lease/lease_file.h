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
#include <time.h>

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

/* For one thread at a time. */
struct lease_writer {
    enum lease_file_format format;
    uint8_t quoted_length[256];
    char quoted[256][8]; /* each byte in a dhcpd string or a Kea field */
    uint8_t octet_length[256];
    char octet[256][4]; /* each part of an address: "1.", "255." */
    char hex[256][4];   /* each byte: "0a:" */
    time_t day;         /* Unix seconds of the midnight whose text this is: */
    char day_text[16];  /* "4 2026/11/19 " */
};

void lease_writer_init(struct lease_writer *writer, enum lease_file_format format);

/* Both write text without a NUL to out, which has room for the maximum, and
   return its length. */

/* The beginning of a file.  It marks the file as written by ubench. */
size_t lease_writer_header(const struct lease_writer *writer,
                           char out[static LEASE_FILE_HEADER_MAX]);

/* The record of a lease that is created or changed; or that is removed: in
   ISC's form its address is free, in Kea's two its lifetime is 0. */
size_t lease_writer_record(struct lease_writer *writer, const struct lease *lease, bool removed,
                           char out[static LEASE_FILE_RECORD_MAX]);

/* True if these first bytes of a file are our header; format gets its form. */
bool lease_file_is_ours(const char *start, size_t length, enum lease_file_format *format);

/* The contents of a file, and where they end. */
struct lease_file_stats {
    enum lease_file_format format;
    uint64_t records;    /* whole ones */
    uint64_t torn_bytes; /* of a last record that a crash cut short */
    /* Where the reading stopped before the end: */
    const char *complaint;  /* what was wrong there; NULL: nothing */
    uint64_t bad_line;      /* from 1 on; where it was */
    uint64_t good_bytes;    /* of the records before */
    uint64_t dropped_bytes; /* all behind them */
};

/* Called for each record, in order; removed: the lease is gone, only its
   address is set.  Returns 0 to go on, or -1 with err to end the reading. */
typedef int lease_file_visit(void *context, const struct lease *lease, bool removed,
                             struct err *err);

/*
 * Reads a file that ubench wrote and that a crash may have ended.  A last line
 * without its end is a torn tail.  What is synced is safe with all before it,
 * so the first line that cannot be read was not synced, nor was anything behind
 * it: it ends what is kept, and stats says where and how much that is.  Returns
 * 0, or -1 with err if the file cannot be read at all.
 */
int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err);

#endif
