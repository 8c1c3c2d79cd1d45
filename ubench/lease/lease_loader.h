/* SPDX-License-Identifier: ISC */
/*
 * What the files that read lease_file.h share, and nobody else includes:
 * lease_file.c has the lines, lease_file_isc.c and lease_file_kea.c their
 * forms, lease_scan.c the parts of a line.
 */
#ifndef UBENCH_LEASE_LEASE_LOADER_H
#define UBENCH_LEASE_LEASE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lease/lease_file.h"

/* One load: where it is, and whom it calls. */
struct lease_loader {
    FILE *file;
    const char *path;
    char *line; /* without its end */
    size_t line_room;
    bool torn;   /* the line had no end */
    bool strict; /* nothing but what ubench writes */
    uint64_t line_number;
    uint64_t offset;    /* of the line after this one */
    uint64_t good;      /* offset where the last whole record ended */
    struct lease lease; /* being read */
    bool removed;
    lease_file_visit *visit;
    void *context;
    struct lease_file_stats *stats;
    struct err *err;
};

/* Says what the line is not: err has the line and its number.  Returns -1. */
int lease_loader_complain(struct lease_loader *loader, const char *what);

/* Returns 1 with the next line, 0 at the end of the file, -1 with err. */
int lease_loader_line(struct lease_loader *loader);

/* Hands the record on that has been read.  Returns 0, or -1 with err. */
int lease_loader_record(struct lease_loader *loader);

/* Each reads all records from the line on that was read last.  0, or -1. */
int lease_loader_isc(struct lease_loader *loader);
int lease_loader_kea(struct lease_loader *loader);
int lease_loader_kea6(struct lease_loader *loader);

/*
 * Parts of a line: each reads what *text begins with and moves on behind it.
 * Returns 0, or -1 if it begins with something else.
 */
int lease_scan_char(const char **text, char wanted);
int lease_scan_number(const char **text, uint64_t max, uint64_t *number);
int lease_scan_address(const char **text, struct lease_address *address);

/* "0a:1:ff" (a digit alone is fine: dhcpd writes such) or nothing. */
int lease_scan_hex(const char **text, uint8_t *bytes, size_t max,
                   uint8_t *length);

/* The value of a hexadecimal digit, or -1. */
int lease_scan_digit(char digit);

#endif
