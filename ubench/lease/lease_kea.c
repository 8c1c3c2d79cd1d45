/* SPDX-License-Identifier: ISC */
#include "lease/lease_text.h"

enum column {
    ADDRESS,
    HWADDR,
    CLIENT_ID, /* v6: the DUID */
    VALID,
    EXPIRE, /* must follow VALID */
    SUBNET,
    PREFERRED,
    TYPE,
    IAID,
    PREFIX_LENGTH,
    FQDN_FWD,
    FQDN_REV,
    HOSTNAME,
    STATE,
    POOL,
    HWTYPE,
    HWADDR_SOURCE,
    USER_CONTEXT, /* always empty */
    COLUMNS
};

/* The columns in the order of a row; COLUMNS ends it. */
static const uint8_t rows[][COLUMNS + 1] = {
    [LEASE_FAMILY_V4] = { ADDRESS, HWADDR, CLIENT_ID, VALID, EXPIRE, SUBNET, FQDN_FWD, FQDN_REV,
                          HOSTNAME, STATE, USER_CONTEXT, POOL, COLUMNS },
    [LEASE_FAMILY_V6] = { ADDRESS, CLIENT_ID, VALID, EXPIRE, SUBNET, PREFERRED, TYPE, IAID,
                          PREFIX_LENGTH, FQDN_FWD, FQDN_REV, HOSTNAME, HWADDR, STATE, USER_CONTEXT,
                          HWTYPE, HWADDR_SOURCE, POOL, COLUMNS },
};

static char *put_group(char *out, uint16_t group)
{
    int shift = 12;

    while (shift > 0 && group >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[group >> shift & 15];
    return out;
}

/* Writes the form of RFC 5952: omits the longest run of zero groups, if it has
   more than one; of equally long runs the first.  inet_ntop takes several times
   as long. */
static char *put_v6_address(char *out, struct lease_address address)
{
    uint16_t groups[8];
    int first = 8; /* first omitted group; count: number of omitted groups */
    int count = 1;

    for (int i = 0, zeros = 0; i < 8; i++) {
        const uint64_t half = i < 4 ? address.high : address.low;

        groups[i] = (uint16_t)(half >> (48 - 16 * (i % 4)));
        zeros = groups[i] == 0 ? zeros + 1 : 0;
        if (zeros > count) {
            count = zeros;
            first = i + 1 - zeros;
        }
    }
    for (int i = 0; i < 8; i++) {
        if (i == first) {
            out = LEASE_PUT(out, "::");
            i += count - 1;
            continue;
        }
        if (i > 0 && i != first + count)
            *out++ = ':';
        out = put_group(out, groups[i]);
    }
    return out;
}

/* Quotes a byte as Kea does: "&#x2c", without a semicolon
   (CSVRow::escapeCharacters). */
char *lease_kea_quote(char out[static 8], const struct lease_writer *writer, uint8_t byte)
{
    if (byte < ' ' || byte > '~' || byte == ',' || byte == '&')
        return lease_put_hex(LEASE_PUT(out, "&#x"), writer, &byte, 1);
    *out++ = (char)byte;
    return out;
}

/* The columns that hold a number of struct lease unchanged. */
static const struct number {
    uint64_t max;
    uint8_t offset;
    uint8_t size; /* in bytes, 1 or 4; 0: not a number */
} numbers[COLUMNS] = {
#define NUMBER(field) offsetof(struct lease, field), sizeof(((struct lease *)NULL)->field)
    [VALID] = { UINT32_MAX, NUMBER(valid_s) },
    [SUBNET] = { UINT32_MAX, NUMBER(subnet_id) },
    [PREFERRED] = { UINT32_MAX, NUMBER(preferred_s) },
    [TYPE] = { LEASE_TYPE_PD, NUMBER(type) },
    [IAID] = { UINT32_MAX, NUMBER(iaid) },
    [PREFIX_LENGTH] = { 128, NUMBER(prefix_length) },
    [FQDN_FWD] = { 1, NUMBER(fqdn_fwd) },
    [FQDN_REV] = { 1, NUMBER(fqdn_rev) },
    [STATE] = { UINT8_MAX, NUMBER(state) },
    [POOL] = { UINT32_MAX, NUMBER(pool_id) },
#undef NUMBER
};

static uint32_t get_number(const struct number *number, const struct lease *lease)
{
    const uint8_t *const at = (const uint8_t *)lease + number->offset;
    uint32_t value = *at;

    if (number->size != 1)
        memcpy(&value, at, sizeof value);
    return value;
}

static void set_number(const struct number *number, struct lease *lease, uint32_t value)
{
    uint8_t *const at = (uint8_t *)lease + number->offset;

    if (number->size == 1)
        *at = (uint8_t)value;
    else
        memcpy(at, &value, sizeof value);
}

static char *put_column(char *out, unsigned column, const struct lease_writer *writer,
                        const struct lease *lease, bool removed)
{
    const uint32_t valid_s = removed ? 0 : lease->valid_s;
    const bool hwaddr = lease->hwaddr_length > 0;

    switch (column) {
    case ADDRESS:
        return lease->type == LEASE_TYPE_V4
                   ? lease_put_v4_address(out, writer, (uint32_t)lease->address.low)
                   : put_v6_address(out, lease->address);
    case HWADDR:
        return lease_put_hex(out, writer, lease->hwaddr, lease->hwaddr_length);
    case CLIENT_ID:
        return lease_put_hex(out, writer, lease->client_id, lease->client_id_length);
    case VALID:
        return lease_put_number(out, valid_s);
    case EXPIRE:
        return lease_put_signed(out, lease->cltt_s + valid_s);
    case HOSTNAME:
        return lease_put_quoted(out, writer, lease->hostname, lease->hostname_length);
    case HWTYPE:
        return hwaddr ? lease_put_number(out, LEASE_V6_HWTYPE) : out;
    case HWADDR_SOURCE:
        return hwaddr ? lease_put_number(out, LEASE_V6_HWADDR_SOURCE) : out;
    case USER_CONTEXT:
        return out;
    default:
        return lease_put_number(out, get_number(&numbers[column], lease));
    }
}

char *lease_kea_put(char *out, const struct lease_writer *writer, const struct lease *lease,
                    bool removed)
{
    for (const uint8_t *column = rows[writer->format == LEASE_FILE_KEA6]; *column != COLUMNS;
         column++) {
        out = put_column(out, *column, writer, lease, removed);
        *out++ = ',';
    }
    out[-1] = '\n';
    return out;
}

/* Reading */

static int take_hostname(const char **text, struct lease *lease)
{
    size_t count = 0;

    while (**text != ',' && **text != '\0') {
        uint8_t byte = (uint8_t) * *text;

        if (lease_take_word(text, "&#x") != 0)
            ++*text;
        else if (lease_take_hex_byte(text, &byte) != 0)
            return -1;
        if (count == LEASE_HOSTNAME_MAX)
            return -1;
        lease->hostname[count++] = (char)byte;
    }
    lease->hostname_length = (uint8_t)count;
    return 0;
}

static int take_column(const char **text, unsigned column, struct lease *lease)
{
    uint64_t number;

    switch (column) {
    case ADDRESS:
        return lease_take_address(text, lease);
    case HWADDR:
        return lease_take_hex(text, lease->hwaddr, LEASE_HWADDR_MAX, &lease->hwaddr_length);
    case CLIENT_ID:
        return lease_take_hex(text, lease->client_id, LEASE_CLIENT_ID_MAX,
                              &lease->client_id_length);
    case EXPIRE:
        if (lease_take_number(text, INT64_MAX, &number) != 0)
            return -1;
        lease->cltt_s = (int64_t)number - lease->valid_s;
        return 0;
    case HOSTNAME:
        return take_hostname(text, lease);
    case HWTYPE:
    case HWADDR_SOURCE:
    case USER_CONTEXT:
        *text += strcspn(*text, ",");
        return 0;
    default:
        if (lease_take_number(text, numbers[column].max, &number) != 0)
            return -1;
        set_number(&numbers[column], lease, (uint32_t)number);
        return 0;
    }
}

const char *lease_kea_take(struct lease_record *record, bool v6, const char *line)
{
    struct lease *const lease = &record->lease;

    *lease = (struct lease){ .type = v6 ? LEASE_TYPE_NA : LEASE_TYPE_V4 };
    for (const uint8_t *column = rows[v6]; *column != COLUMNS; column++) {
        if (take_column(&line, *column, lease) != 0 ||
            lease_take_char(&line, column[1] == COLUMNS ? '\0' : ',') != 0)
            return v6 ? "not a lease of Kea's IPv6 file version 5"
                      : "not a lease of Kea's file version 3";
    }
    record->removed = lease->valid_s == 0;
    record->whole = true;
    return NULL;
}
