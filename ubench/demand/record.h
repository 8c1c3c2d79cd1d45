/* SPDX-License-Identifier: ISC */
/*
 * Reads records of a DHCP server's lease file, reduced to the fields from which demand is counted.
 * Understands the files of all versions of Kea (memfile's CSV and kea-admin lease-dump) and of ISC
 * dhcpd.  lease/lease_file.h reads the lease files that ubench wrote itself.
 */
#ifndef UBENCH_DEMAND_RECORD_H
#define UBENCH_DEMAND_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/lines.h"
#include "lease/lease.h"

/* The state of an address in a record. */
enum row_state {
    ROW_ABSENT, /* no lease: never had one, or it was deleted */
    ROW_ACTIVE, /* leased to a client, perhaps expired */
    ROW_DECLINED,
    ROW_RECLAIMED, /* expired, and reclaimed by the server */
    ROW_RELEASED,  /* released, but kept for its client */
    ROW_FREE,      /* an address that dhcpd lists without a lease; it may never have had one */
};

/* What a lease file says of an address in one place. */
struct record {
    struct lease_address address;
    uint32_t last_s;  /* last transaction of the client, Unix seconds */
    uint32_t valid_s; /* lifetime in s, from last_s */
    uint32_t subnet;  /* 0: not in the file */
    uint64_t client;  /* hash that identifies the client; 0: none */
    enum row_state state;
};

enum record_format { RECORD_KEA, RECORD_ISC };

/* The columns of Kea's files that are used; they may have any order. */
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
    enum lease_family family; /* of the file; dhcpd: of the last record */
    int columns[KEA_COLUMNS]; /* positions; -1: missing */
    int columns_least;        /* in a row; a row may omit the columns after these */
    int columns_most;
    uint64_t latest_s; /* the latest time that is not damaged; record_open sets it by the clock */
    bool first_again;  /* the line from which the format was detected is read again */
    /* dhcpd only: */
    bool begun;    /* in a lease, or in an address of an identity association */
    bool skipping; /* in a damaged lease */
    bool in_association;
    struct record record;
    uint32_t starts_s, ends_s, max_life_s;
    uint64_t hwaddr; /* hash */
};

enum record_found {
    RECORD_END,
    RECORD_READ,
    RECORD_DAMAGED, /* the next call continues after it */
    RECORD_ERROR,   /* the file cannot be read */
};

/* Opens a file and reads its header.  Returns 0, or -1 with err if the file cannot be read or is
   not a lease file; call record_close in both cases. */
int record_open(struct record_reader *reader, const char *path, struct err *err);
void record_close(struct record_reader *reader);

/* Reads the next record.  Sets *complaint to what is damaged, without quoting the file;
   lines.number is the line. */
enum record_found record_next(struct record_reader *reader, struct record *record,
                              const char **complaint, struct err *err);

/* Returns true if most of the first records of a file are in the future, as in the lease files of
   ubench's runs: then no record is damaged because of it. */
bool record_is_ahead(const char *path);

/* For the functions above only: */

/* Returns true, and sets the columns, if a line is the header of a lease file of Kea. */
bool kea_header(struct record_reader *reader, const char *line);
/* Both return NULL, or what is wrong.  isc_line sets *whole at the end of a record. */
const char *kea_row(const struct record_reader *reader, char *line, struct record *record);
const char *isc_line(struct record_reader *reader, const char *line, struct record *record,
                     bool *whole);
/* Returns true if a line can be the first of a dhcpd file. */
bool isc_starts(const char *line);

/* Returns hash updated by a text or bytes.  It stays in memory and is never printed. */
uint64_t record_hash(uint64_t hash, const void *bytes, size_t length);
#define RECORD_HASH_BASIS UINT64_C(14695981039346656037)

/* Reads an address.  Returns 0 or -1. */
int record_address(const char *text, enum lease_family family, struct lease_address *address);

/* Reads "2026/11/20 10:00:00", with any separator between the parts, as UTC.  Returns 0 or -1. */
int record_time(const char *text, int64_t *time_s);

#endif
