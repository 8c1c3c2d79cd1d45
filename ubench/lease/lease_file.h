/* SPDX-License-Identifier: ISC */
/*
 * Leases as text, in the formats that DHCP servers keep on disk:
 * dhcpd.leases(5) of ISC DHCP, for IPv4, and the CSV files of Kea's memfile
 * (headers of lease file versions 3.0 for IPv4 and 5.0 for IPv6,
 * src/lib/dhcpsrv/csv_lease_file4.cc and 6.cc).  All are logs: the last record
 * of an address counts.
 *
 * An ISC file has no subnets and pools: dhcpd gets them from its configuration.
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
    LEASE_FILE_KEA6, /* the only format for IPv6 leases */
};

enum {
    LEASE_FILE_HEADER_MAX = 256,  /* bytes */
    LEASE_FILE_RECORD_MAX = 4096, /* bytes; enough for every lease */
};

/* Used by one thread at a time. */
struct lease_writer {
    enum lease_file_format format;
    uint8_t quoted_length[256];
    char quoted[256][8]; /* each byte in a dhcpd string or a Kea field */
    uint8_t octet_length[256];
    char octet[256][4]; /* each part of an address: "1.", "255." */
    char hex[256][4];   /* each byte: "0a:" */
    time_t day;         /* midnight, in Unix seconds, of the day in day_text */
    char day_text[16];  /* "4 2026/11/19 " */
};

void lease_writer_init(struct lease_writer *writer, enum lease_file_format format);

/* Both functions write text without a NUL to out, which has space for the
   maximum, and return its length. */

/* Writes the header of a file, which marks the file as written by ubench. */
size_t lease_writer_header(const struct lease_writer *writer,
                           char out[static LEASE_FILE_HEADER_MAX]);

/* Writes the record of a lease that is created or changed; if removed, of a
   lease that is removed: its address is free in ISC's format, its lifetime is 0
   in both formats of Kea. */
size_t lease_writer_record(struct lease_writer *writer, const struct lease *lease, bool removed,
                           char out[static LEASE_FILE_RECORD_MAX]);

/* Returns true if the first bytes of a file are a header that ubench wrote;
   sets *format. */
bool lease_file_is_ours(const char *start, size_t length, enum lease_file_format *format);

/* The contents of a file, and where reading ended. */
struct lease_file_stats {
    enum lease_file_format format;
    uint64_t records;    /* complete ones */
    uint64_t torn_bytes; /* length of a last record that a crash cut short */
    /* Set if reading stopped before the end: */
    const char *complaint;  /* what was wrong; NULL: nothing */
    uint64_t bad_line;      /* its number, from 1 */
    uint64_t good_bytes;    /* length of the records before it */
    uint64_t dropped_bytes; /* length of everything from it on */
};

/* Called for each record, in order.  removed: the lease was deleted, and only
   its address is set.  Returns 0 to continue, or -1 with err to stop
   reading. */
typedef int lease_file_visit(void *context, const struct lease *lease, bool removed,
                             struct err *err);

/*
 * Reads a file that ubench wrote, perhaps until a crash.  A last line without a
 * newline is a torn tail.  A sync covers everything before it, so the first
 * unreadable line was not synced, nor was anything after it: reading stops
 * there, and stats has the position and the lengths.  Returns 0, or -1 with err
 * if the file cannot be read at all.
 */
int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err);

#endif
