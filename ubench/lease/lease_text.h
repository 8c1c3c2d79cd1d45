/* SPDX-License-Identifier: ISC */
/*
 * The parts of a lease file's text, both ways: numbers, addresses and bytes, of
 * which SQL uses some; and the two forms of lease files (lease_file.h), which
 * are made of them.
 */
#ifndef UBENCH_LEASE_LEASE_TEXT_H
#define UBENCH_LEASE_LEASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lease/lease_file.h"

/* Each put function writes at out and returns where it ended. */

/* Copies a string constant. */
#define LEASE_PUT(out, text) ((char *)memcpy((out), (text), sizeof(text) - 1) + sizeof(text) - 1)

char *lease_put_number(char *out, uint64_t number);
char *lease_put_signed(char *out, int64_t number);

/* "00" to "99" */
extern const char lease_pairs[];
static inline char *lease_put_two(char *out, unsigned number)
{
    memcpy(out, lease_pairs + (size_t)2 * number, 2);
    return out + 2;
}

/* A dotted quad.  Up to 3 more bytes are written. */
char *lease_put_v4_address(char *out, const struct lease_writer *writer, uint32_t address);

/* "0a:00:ff".  Up to 2 more bytes are written. */
char *lease_put_hex(char *out, const struct lease_writer *writer, const uint8_t *bytes,
                    size_t length);

/* Bytes as the writer's form quotes them.  Up to 7 more are written. */
char *lease_put_quoted(char *out, const struct lease_writer *writer, const void *bytes,
                       size_t length);

/* Each take function reads what *text begins with (an address: one of the
   lease's type) and moves on behind it.  Returns 0, or -1 if it begins with
   something else. */
int lease_take_char(const char **text, char wanted);
int lease_take_word(const char **text, const char *word);
int lease_take_number(const char **text, uint64_t max, uint64_t *number);
int lease_take_address(const char **text, struct lease *lease);
int lease_take_hex_byte(const char **text, uint8_t *byte); /* two digits */

/* "0a:00:ff" or nothing. */
int lease_take_hex(const char **text, uint8_t *bytes, size_t max, uint8_t *length);

/* A record that is read line by line; zeroed at first. */
struct lease_record {
    struct lease lease;
    bool removed;
    bool begun; /* and not yet whole: it goes on with the next line */
    bool whole; /* the line that was read last was its last one */
};

/* Records of dhcpd.leases(5). */
char *lease_isc_put(char *out, struct lease_writer *writer, const struct lease *lease,
                    bool removed);
char *lease_isc_quote(char out[static 8], uint8_t byte);

/* Reads the next line.  Returns NULL, or what is wrong with it. */
const char *lease_isc_take(struct lease_record *record, const char *line);

/* Rows of the CSV files of Kea's memfile. */
char *lease_kea_put(char *out, const struct lease_writer *writer, const struct lease *lease,
                    bool removed);
char *lease_kea_quote(char out[static 8], const struct lease_writer *writer, uint8_t byte);

/* Reads a row.  Returns NULL, or what is wrong with it. */
const char *lease_kea_take(struct lease_record *record, bool v6, const char *line);

#endif
