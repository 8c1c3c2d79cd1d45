/* SPDX-License-Identifier: ISC */
/*
 * One record of a DHCP server's lease file, reduced to what demand is counted from.  The files of
 * all versions of Kea (memfile's CSV and kea-admin lease-dump) and of ISC dhcpd are understood.
 * Lease files that ubench wrote itself are read by lease/lease_file.h instead.
 */
#ifndef UBENCH_DEMAND_RECORD_H
#define UBENCH_DEMAND_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/lines.h"
#include "lease/lease.h"

/* What a record says of its address. */
enum row_state {
    ROW_ABSENT, /* no lease: never had one, or deleted */
    ROW_ACTIVE, /* a client's, though it may have expired */
    ROW_DECLINED,
    ROW_RECLAIMED, /* expired, and the server has noticed */
    ROW_RELEASED,  /* and kept for its client */
};

struct record {
    struct lease_address address;
    uint32_t last_s;  /* the client's last transaction, Unix seconds */
    uint32_t valid_s; /* how long the lease is valid from then on */
    uint32_t subnet;  /* 0: the file does not say */
    uint64_t client;  /* a hash that tells clients apart; 0: none */
    enum row_state state;
};

enum record_format { RECORD_KEA, RECORD_ISC };

/* Columns of Kea's files that matter, in any order. */
enum kea_column {
    KEA_ADDRESS,
    KEA_VALID,
    KEA_EXPIRE,
    KEA_SUBNET,
    KEA_HWADDR,
    KEA_CLIENT_ID, /* in IPv6 files: duid */
    KEA_STATE,
    KEA_COLUMNS
};

/* Reads the records of one file.  Initialise with zeros. */
struct record_reader {
    struct lines lines;
    enum record_format format;
    enum lease_family family; /* of dhcpd's: that of the record that was read last */
    int columns[KEA_COLUMNS]; /* positions; -1: there is none */
    int columns_least;        /* in a row; Kea leaves later ones out */
    int columns_most;
    bool first_again; /* the line that was read to tell the format counts */
    /* dhcpd's, while it is read: */
    bool begun;    /* a lease, or an address of an identity association */
    bool skipping; /* a damaged one */
    bool in_association;
    struct record record;
    uint32_t starts_s, ends_s, max_life_s;
    uint64_t hwaddr; /* a hash */
};

enum record_found {
    RECORD_END,
    RECORD_READ,
    RECORD_DAMAGED, /* the reader goes on behind it */
    RECORD_ERROR,   /* the file cannot be read */
};

/* Opens a file and reads its header.  Returns 0, or -1 with err: the file cannot be read, or is
   not a lease file.  Close it either way. */
int record_open(struct record_reader *reader, const char *path, struct err *err);
void record_close(struct record_reader *reader);

/* Reads the next record.  complaint says what is damaged, without a word of the file; the line is
   lines.number. */
enum record_found record_next(struct record_reader *reader, struct record *record,
                              const char **complaint, struct err *err);

/* Parts of the above. */

/* True if a line is the header of a lease file of Kea; then the columns are set. */
bool kea_header(struct record_reader *reader, const char *line);
/* Both return NULL, or what is wrong.  The ISC reader sets *whole at the end of a record. */
const char *kea_row(const struct record_reader *reader, char *line, struct record *record);
const char *isc_line(struct record_reader *reader, const char *line, struct record *record,
                     bool *whole);
/* True if a line can be the first of dhcpd's. */
bool isc_starts(const char *line);

/* A 64-bit hash of a text or bytes.  It stays in memory: nothing prints it. */
uint64_t record_hash(uint64_t hash, const void *bytes, size_t length);
#define RECORD_HASH_BASIS UINT64_C(14695981039346656037)

/* Reads an address.  Returns 0, or -1. */
int record_address(const char *text, enum lease_family family, struct lease_address *address);

/* Reads "2026/11/20 10:00:00", with any separator between its parts, as UTC.  Returns 0, or -1. */
int record_time(const char *text, int64_t *time_s);

#endif
