/* SPDX-License-Identifier: ISC */
/*
 * Writes and reads the parts of lease files: numbers, addresses and bytes, some
 * of which SQL uses as well; and the records of both formats (lease_file.h),
 * which consist of them.
 */
#ifndef UBENCH_LEASE_LEASE_TEXT_H
#define UBENCH_LEASE_LEASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lease/lease_file.h"

/* Each put function writes at out and returns the end of the text. */

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

/* Writes a dotted quad, and up to 3 bytes after it. */
char *lease_put_v4_address(char *out, const struct lease_writer *writer, uint32_t address);

/* Writes bytes as "0a:00:ff", and up to 2 bytes after them. */
char *lease_put_hex(char *out, const struct lease_writer *writer, const uint8_t *bytes,
                    size_t length);

/* Writes bytes quoted for the writer's format, and up to 7 bytes after them. */
char *lease_put_quoted(char *out, const struct lease_writer *writer, const void *bytes,
                       size_t length);

/* Each take function reads the beginning of *text (lease_take_address: an
   address of the lease's type) and moves *text past it.  Returns 0, or -1 if
   *text begins with something else. */
int lease_take_char(const char **text, char wanted);
int lease_take_word(const char **text, const char *word);
int lease_take_number(const char **text, uint64_t max, uint64_t *number);
int lease_take_address(const char **text, struct lease *lease);
int lease_take_hex_byte(const char **text, uint8_t *byte); /* two digits */

/* Reads "0a:00:ff" or nothing. */
int lease_take_hex(const char **text, uint8_t *bytes, size_t max, uint8_t *length);

/* A record that is read line by line.  Initialise with zeros. */
struct lease_record {
    struct lease lease;
    bool removed;
    bool begun; /* incomplete: continues on the next line */
    bool whole; /* the last line read has completed it */
};

/* Records of dhcpd.leases(5). */
char *lease_isc_put(char *out, struct lease_writer *writer, const struct lease *lease,
                    bool removed);
/* Writes a byte as a string of such a file has it. */
char *lease_isc_quote(char out[static 8], uint8_t byte);

/* Reads the next line.  Returns NULL, or what is wrong with it. */
const char *lease_isc_take(struct lease_record *record, const char *line);

/* Rows of the CSV files of Kea's memfile. */
char *lease_kea_put(char *out, const struct lease_writer *writer, const struct lease *lease,
                    bool removed);
/* Writes a byte as a field of such a file has it. */
char *lease_kea_quote(char out[static 8], const struct lease_writer *writer, uint8_t byte);

/* Reads a row.  Returns NULL, or what is wrong with it. */
const char *lease_kea_take(struct lease_record *record, bool v6, const char *line);

#endif
