/* SPDX-License-Identifier: ISC */
/*
 * The lines of dhcpd.leases(5), for IPv4 and IPv6.  dhcpd writes one statement on each line:
 *
 *     lease 192.0.2.10 {                       ia-na "..." {
 *       starts 4 2026/11/20 10:00:00;            cltt 4 2026/11/20 10:00:00;
 *       ends 4 2026/11/20 11:00:00;              iaaddr 2001:db8::1 {
 *       binding state active;                      binding state active;
 *       uid "\001\012...";                         max-life 7200;
 *     }                                          }
 *                                              }
 */
#include <stdlib.h>
#include <string.h>

#include "demand/record.h"

enum { IAID_LENGTH = 4, NAME_MAX_LENGTH = 64 };

/* If the text begins with the word, moves *text past it and the blanks that
   follow, and returns true. */
static bool take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0 || strchr(" \t;", (*text)[length]) == NULL)
        return false;
    *text += length;
    *text += strspn(*text, " \t");
    return true;
}

bool isc_starts(const char *line)
{
    static const char *const words[] = { "lease",       "ia-na",    "ia-ta",
                                         "ia-pd",       "host",     "failover",
                                         "server-duid", "group",    "subgroup",
                                         "class",       "subclass", "authoring-byte-order" };

    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (take_word(&line, words[i]))
            return true;
    }
    return false;
}

/* Reads a byte of a string: the byte itself, or a backslash and its value in
   octal. */
static unsigned char take_byte(const char **text)
{
    unsigned value = 0;
    int digits = 0;

    if (**text != '\\')
        return (unsigned char)*(*text)++;
    (*text)++;
    while (digits < 3 && **text >= '0' && **text <= '7') {
        value = value * 8 + (unsigned)(*(*text)++ - '0');
        digits++;
    }
    if (digits == 0 && **text != '\0')
        value = (unsigned char)*(*text)++;
    return (unsigned char)value;
}

/* Returns the hash of a string without its first skipped bytes; 0 if there is
   no string. */
static uint64_t string_hash(const char *text, int skipped)
{
    uint64_t hash = RECORD_HASH_BASIS;

    if (*text != '"')
        return record_hash(hash, text, strcspn(text, ";"));
    text++;
    while (*text != '"' && *text != '\0') {
        const unsigned char byte = take_byte(&text);

        if (skipped-- <= 0)
            hash = record_hash(hash, &byte, 1);
    }
    return hash;
}

/* Reads "4 2026/11/20 10:00:00" or "epoch 1789000000". */
static const char *take_time(const char *text, uint32_t *time_s)
{
    int64_t value;
    char *end;

    if (take_word(&text, "epoch")) {
        value = strtoll(text, &end, 10);
        if (end == text)
            return "not a time";
    } else if (*text < '0' || *text > '6' || text[1] != ' ' || record_time(text + 2, &value) != 0) {
        return "not a time";
    }
    if (value < 0 || value > UINT32_MAX)
        return "not a time";
    *time_s = (uint32_t)value;
    return NULL;
}

/* Reads the end of a lease, which may be "never". */
static const char *take_end(const char *text, uint32_t *time_s)
{
    if (!take_word(&text, "never"))
        return take_time(text, time_s);
    *time_s = UINT32_MAX;
    return NULL;
}

static const char *take_state(struct record *record, const char *text)
{
    static const struct {
        const char *name;
        enum row_state state;
    } states[] = {
        { "active", ROW_ACTIVE },     { "free", ROW_FREE },         { "backup", ROW_FREE },
        { "expired", ROW_RECLAIMED }, { "released", ROW_RELEASED }, { "abandoned", ROW_DECLINED },
        { "reset", ROW_FREE },        { "reserved", ROW_ACTIVE },   { "bootp", ROW_ACTIVE },
    };

    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (take_word(&text, states[i].name)) {
            record->state = states[i].state;
            return NULL;
        }
    }
    return "the binding state is unknown";
}

/* Reads a statement of a lease, an address or an association; ignores unknown
   statements. */
static const char *take_statement(struct record_reader *reader, const char *text)
{
    if (take_word(&text, "starts"))
        return take_time(text, &reader->starts_s);
    if (take_word(&text, "ends"))
        return take_end(text, &reader->ends_s);
    if (take_word(&text, "cltt"))
        return take_time(text, &reader->record.last_s);
    if (take_word(&text, "binding")) {
        return take_word(&text, "state") ? take_state(&reader->record, text)
                                         : "the binding state is unknown";
    }
    if (take_word(&text, "max-life"))
        reader->max_life_s = (uint32_t)strtoul(text, NULL, 10);
    else if (take_word(&text, "uid"))
        reader->record.client = string_hash(text, 0);
    else if (take_word(&text, "hardware"))
        reader->hwaddr = string_hash(text, 0);
    else if (take_word(&text, "abandoned")) /* before dhcpd 3.0 had binding states */
        reader->record.state = ROW_DECLINED;
    return NULL;
}

/* Begins a lease "192.0.2.10 {" or an address "2001:db8::/56 {". */
static const char *begin(struct record_reader *reader, const char *text, enum lease_family family)
{
    const size_t length = strcspn(text, " \t/{");
    const bool cut = reader->begun;
    char address[NAME_MAX_LENGTH];

    reader->begun = false;
    if (length >= sizeof address || strchr(text, '{') == NULL)
        return "not the beginning of a lease";
    memcpy(address, text, length);
    address[length] = '\0';
    if (family == LEASE_FAMILY_V4)
        reader->record = (struct record){ .state = ROW_ACTIVE };
    reader->record.state = ROW_ACTIVE;
    reader->family = family;
    reader->starts_s = reader->ends_s = reader->max_life_s = 0;
    reader->hwaddr = 0;
    if (record_address(address, family, &reader->record.address) != 0) {
        reader->skipping = true;
        return "the address is invalid";
    }
    reader->begun = true;
    return cut ? "the lease before it has no end" : NULL;
}

/* Returns the record of a lease after its last line. */
static struct record finish(const struct record_reader *reader)
{
    struct record record = reader->record;

    if (record.last_s == 0)
        record.last_s = reader->starts_s;
    if (record.client == 0)
        record.client = reader->hwaddr;
    if (reader->ends_s == UINT32_MAX)
        record.valid_s = LEASE_VALID_FOREVER;
    else if (reader->max_life_s > 0)
        record.valid_s = reader->max_life_s;
    else
        record.valid_s = reader->ends_s > record.last_s ? reader->ends_s - record.last_s : 0;
    return record;
}

/* Reads a line outside all addresses: of an association, or at the top
   level. */
static const char *outer_line(struct record_reader *reader, const char *text)
{
    if (take_word(&text, "lease")) /* "lease limit N;" is of a class */
        return take_word(&text, "limit") ? NULL : begin(reader, text, LEASE_FAMILY_V4);
    if (take_word(&text, "ia-na") || take_word(&text, "ia-ta") || take_word(&text, "ia-pd")) {
        reader->in_association = true;
        reader->record = (struct record){ .client = string_hash(text, IAID_LENGTH) };
        return NULL;
    }
    if (!reader->in_association)
        return NULL; /* of a host, a class or the server */
    if (take_word(&text, "iaaddr") || take_word(&text, "iaprefix"))
        return begin(reader, text, LEASE_FAMILY_V6);
    if (*text == '}')
        reader->in_association = false;
    return take_statement(reader, text);
}

const char *isc_line(struct record_reader *reader, const char *line, struct record *record,
                     bool *whole)
{
    line += strspn(line, " \t");
    if (*line == '#' || *line == '\0')
        return NULL;
    if (reader->skipping) { /* the rest of a damaged lease */
        reader->skipping = *line != '}' && strncmp(line, "lease ", 6) != 0;
        if (reader->skipping || *line == '}')
            return NULL;
    }
    if (!reader->begun)
        return outer_line(reader, line);
    if (take_word(&line, "lease"))
        return begin(reader, line, LEASE_FAMILY_V4);
    if (*line == '}') {
        *record = finish(reader);
        *whole = true;
        reader->begun = false;
        return NULL;
    }
    const char *const complaint = take_statement(reader, line);
    reader->begun = complaint == NULL;
    reader->skipping = complaint != NULL;
    return complaint;
}
