/* SPDX-License-Identifier: ISC */
/* The writing half of lease_file.h: part of every timed change of memfile. */
#include <string.h>

#include "lease/lease_file.h"

static const char isc_header[] =
    "# The format of this file is documented in the dhcpd.leases(5) manual "
    "page.\n"
    "# Written by ubench, which may empty it at its next run.\n";

/* The second line removes a lease that was never there: to Kea nothing, to us
   the mark. */
static const char kea_header[] =
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
    "fqdn_rev,hostname,state,user_context,pool_id\n"
    "0.0.0.0,00:00:00:00:00:00,,0,0,1,0,0,ubench,0,,0\n";

/* Likewise. */
static const char kea6_header[] =
    "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,"
    "iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,"
    "hwtype,hwaddr_source,pool_id\n"
    "::,00:00:00,0,0,1,0,0,0,128,0,0,ubench,,0,,,,0\n";

static const struct {
    const char *text;
    size_t length;
} headers[] = {
    [LEASE_FILE_ISC] = { isc_header, sizeof isc_header - 1 },
    [LEASE_FILE_KEA] = { kea_header, sizeof kea_header - 1 },
    [LEASE_FILE_KEA6] = { kea6_header, sizeof kea6_header - 1 },
};
_Static_assert(sizeof isc_header <= LEASE_FILE_HEADER_MAX &&
                   sizeof kea_header <= LEASE_FILE_HEADER_MAX &&
                   sizeof kea6_header <= LEASE_FILE_HEADER_MAX,
               "each header has room");

static const char hex_digits[] = "0123456789abcdef";

/* dhcpd writes what it cannot print as an octal escape (quotify_buf in
   common/print.c of ISC DHCP 4.4). */
static size_t quote_isc(uint8_t byte, char out[static 4])
{
    if (byte == '"' || byte == '\\') {
        out[0] = '\\';
        out[1] = (char)byte;
        return 2;
    }
    if (byte >= ' ' && byte <= '~') {
        out[0] = (char)byte;
        return 1;
    }
    out[0] = '\\';
    out[1] = (char)('0' + (byte >> 6));
    out[2] = (char)('0' + (byte >> 3 & 7));
    out[3] = (char)('0' + (byte & 7));
    return 4;
}

/* Kea's escape: "&#x2c", without a semicolon (CSVRow::escapeCharacters). */
static size_t quote_kea(uint8_t byte, char out[static 8])
{
    if (byte >= ' ' && byte <= '~' && byte != ',' && byte != '&') {
        out[0] = (char)byte;
        return 1;
    }
    out[0] = '&';
    out[1] = '#';
    out[2] = 'x';
    out[3] = hex_digits[byte >> 4];
    out[4] = hex_digits[byte & 15];
    return 5;
}

static void set_day(struct lease_writer *writer, unsigned days);

void lease_writer_init(struct lease_writer *writer,
                       enum lease_file_format format)
{
    memset(writer, 0, sizeof *writer);
    writer->format = format;
    for (unsigned i = 0; i < 256; i++) {
        const uint8_t byte = (uint8_t)i;
        char *const hex = writer->hex[i];
        char text[8];

        hex[0] = hex_digits[i >> 4];
        hex[1] = hex_digits[i & 15];
        hex[2] = ':';
        writer->octet_length[i] = (uint8_t)snprintf(text, sizeof text, "%u", i);
        memcpy(writer->octet[i], text, sizeof writer->octet[i]);
        writer->quoted_length[i] =
            (uint8_t)(format == LEASE_FILE_ISC
                          ? quote_isc(byte, writer->quoted[i])
                          : quote_kea(byte, writer->quoted[i]));
    }
    for (int i = 0; i < 100; i++) {
        writer->pairs[i][0] = (char)('0' + i / 10);
        writer->pairs[i][1] = (char)('0' + i % 10);
    }
    set_day(writer, 0);
}

/* Each put_ function writes at out and returns where it ended.  They may write
   a few bytes past that: copies of a fixed size are the fast ones.
   LEASE_FILE_RECORD_MAX leaves room. */

/* Copies a string constant. */
#define PUT_TEXT(out, text) \
    ((char *)memcpy((out), (text), sizeof(text) - 1) + sizeof(text) - 1)

static char *put_pair(const struct lease_writer *writer, char *out,
                      unsigned number)
{
    memcpy(out, writer->pairs[number], 2);
    return out + 2;
}

static char *put_number(const struct lease_writer *writer, char *out,
                        uint64_t number)
{
    char digits[24];
    char *start = digits + sizeof digits;

    while (number >= 100) {
        start -= 2;
        memcpy(start, writer->pairs[number % 100], 2);
        number /= 100;
    }
    if (number >= 10) {
        start -= 2;
        memcpy(start, writer->pairs[number], 2);
    } else {
        *--start = (char)('0' + number);
    }
    const size_t length = (size_t)(digits + sizeof digits - start);
    memcpy(out, start, length);
    return out + length;
}

static char *put_signed(const struct lease_writer *writer, char *out,
                        int64_t number)
{
    if (number >= 0)
        return put_number(writer, out, (uint64_t)number);
    *out = '-';
    return put_number(writer, out + 1, -(uint64_t)number);
}

static char *put_octet(const struct lease_writer *writer, char *out,
                       unsigned octet)
{
    memcpy(out, writer->octet[octet], 4);
    return out + writer->octet_length[octet];
}

static char *put_address(const struct lease_writer *writer, char *out,
                         uint32_t address)
{
    out = put_octet(writer, out, address >> 24);
    *out++ = '.';
    out = put_octet(writer, out, address >> 16 & 255);
    *out++ = '.';
    out = put_octet(writer, out, address >> 8 & 255);
    *out++ = '.';
    return put_octet(writer, out, address & 255);
}

/* 1.2.3.4 as 4.3.2.1.in-addr.arpa. */
static char *put_reverse_name(const struct lease_writer *writer, char *out,
                              uint32_t address)
{
    out = put_address(writer, out, __builtin_bswap32(address));
    return PUT_TEXT(out, ".in-addr.arpa.");
}

static char *put_hex(const struct lease_writer *writer, char *out,
                     const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        memcpy(out, writer->hex[bytes[i]], 4);
        out += 3;
    }
    return length > 0 ? out - 1 : out; /* no colon at the end */
}

/* True if none of eight bytes needs an escape in a dhcpd string. */
static bool plain_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = UINT64_C(0x8080808080808080);
    const uint64_t quotes = word ^ ones * '"';
    const uint64_t slashes = word ^ ones * '\\';
    /* Each term sets the top bit of a byte: above '~' (or above 127), below
       ' ', equal to '"' or to '\'.  Source: Warren, Hacker's Delight, 6-1. */
    const uint64_t bad = (word | (word + ones) | (word - ones * ' ')) |
                         ((quotes - ones) & ~quotes) |
                         ((slashes - ones) & ~slashes);

    return (bad & tops) == 0;
}

static char *put_quoted(const struct lease_writer *writer, char *out,
                        const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    const uint8_t *const end = at + length;

    /* What clients send as text is copied eight bytes at a time. */
    while (end - at >= 8) {
        uint64_t word;

        memcpy(&word, at, sizeof word);
        if (writer->format != LEASE_FILE_ISC || !plain_word(word)) {
            for (int i = 0; i < 8; i++) {
                memcpy(out, writer->quoted[at[i]], 8);
                out += writer->quoted_length[at[i]];
            }
        } else {
            memcpy(out, &word, sizeof word);
            out += sizeof word;
        }
        at += 8;
    }
    for (; at < end; at++) {
        memcpy(out, writer->quoted[*at], 8);
        out += writer->quoted_length[*at];
    }
    return out;
}

/* Remembers a day's text, "4 2026/11/19 ": the day of the week (0 is Sunday)
   and the date, UTC.  Days to a date: Hinnant, "chrono-compatible low-level
   date algorithms". */
static void set_day(struct lease_writer *writer, unsigned days)
{
    const unsigned shifted = days + 719468; /* since 0000-03-01 */
    const unsigned era = shifted / 146097;
    const unsigned day_of_era = shifted % 146097;
    const unsigned year_of_era = (day_of_era - day_of_era / 1460 +
                                  day_of_era / 36524 - day_of_era / 146096) /
                                 365;
    const unsigned day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted_month = (5 * day_of_year + 2) / 153; /* 0: March */
    const unsigned day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    const unsigned month =
        shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    const unsigned year = era * 400 + year_of_era + (month <= 2);
    char *out = writer->day_text;

    *out++ = (char)('0' + (days + 4) % 7);
    *out++ = ' ';
    out = put_pair(writer, out, year / 100);
    out = put_pair(writer, out, year % 100);
    *out++ = '/';
    out = put_pair(writer, out, month);
    *out++ = '/';
    out = put_pair(writer, out, day);
    *out = ' ';
    writer->day = days;
}

/* dhcpd's "4 2026/11/19 10:00:00". */
static char *put_time(struct lease_writer *writer, char *out, int64_t time_s)
{
    /* What dhcpd reads as a date ends with the year 9999. */
    const int64_t most_s = INT64_C(253402300799);
    const uint64_t clipped =
        time_s < 0 ? 0 : (uint64_t)(time_s > most_s ? most_s : time_s);
    const unsigned second = (unsigned)(clipped % 86400);
    const unsigned days = (unsigned)(clipped / 86400);

    if (days != writer->day)
        set_day(writer, days);
    memcpy(out, writer->day_text, sizeof writer->day_text);
    out += LEASE_FILE_DAY_LENGTH;
    out = put_pair(writer, out, second / 3600);
    *out++ = ':';
    out = put_pair(writer, out, second / 60 % 60);
    *out++ = ':';
    return put_pair(writer, out, second % 60);
}

static char *put_isc_state(char *out, uint8_t state)
{
    switch (state) {
    case LEASE_STATE_DECLINED:
        return PUT_TEXT(out, ";\n  binding state abandoned;\n");
    case LEASE_STATE_RECLAIMED:
        return PUT_TEXT(out, ";\n  binding state expired;\n");
    case LEASE_STATE_RELEASED:
        return PUT_TEXT(out, ";\n  binding state released;\n");
    default:
        return PUT_TEXT(out, ";\n  binding state active;\n");
    }
}

static char *put_isc_client(const struct lease_writer *writer, char *out,
                            const struct lease *lease)
{
    if (lease->hwaddr_length > 0) {
        out = PUT_TEXT(out, "  hardware ethernet ");
        out = put_hex(writer, out, lease->hwaddr, lease->hwaddr_length);
        out = PUT_TEXT(out, ";\n");
    }
    if (lease->client_id_length > 0) {
        out = PUT_TEXT(out, "  uid \"");
        out =
            put_quoted(writer, out, lease->client_id, lease->client_id_length);
        out = PUT_TEXT(out, "\";\n");
    }
    if (lease->fqdn_fwd) {
        out = PUT_TEXT(out, "  set ddns-fwd-name = \"");
        out = put_quoted(writer, out, lease->hostname, lease->hostname_length);
        out = PUT_TEXT(out, "\";\n");
    }
    if (lease->fqdn_rev) {
        out = PUT_TEXT(out, "  set ddns-rev-name = \"");
        out = put_reverse_name(writer, out, (uint32_t)lease->address.low);
        out = PUT_TEXT(out, "\";\n");
    }
    if (lease->hostname_length > 0) {
        out = PUT_TEXT(out, "  client-hostname \"");
        out = put_quoted(writer, out, lease->hostname, lease->hostname_length);
        out = PUT_TEXT(out, "\";\n");
    }
    return out;
}

/* dhcpd also writes cltt, which for our leases is what starts says, and the
   next binding state, which without failover is always free.  It reads a lease
   without them; every byte costs the page cache its share of a page. */
static size_t put_isc(struct lease_writer *writer, const struct lease *lease,
                      char *start)
{
    char *out = PUT_TEXT(start, "lease ");

    out = put_address(writer, out, (uint32_t)lease->address.low);
    out = PUT_TEXT(out, " {\n  starts ");
    out = put_time(writer, out, lease->cltt_s);
    out = PUT_TEXT(out, ";\n  ends ");
    out = lease->valid_s == LEASE_VALID_FOREVER
              ? PUT_TEXT(out, "never")
              : put_time(writer, out, lease_expire_s(lease));
    out = put_isc_state(out, lease->state);
    out = put_isc_client(writer, out, lease);
    out = PUT_TEXT(out, "}\n");
    return (size_t)(out - start);
}

static size_t put_kea(const struct lease_writer *writer,
                      const struct lease *lease, uint32_t valid_s, char *start)
{
    char *out = put_address(writer, start, (uint32_t)lease->address.low);

    *out++ = ',';
    out = put_hex(writer, out, lease->hwaddr, lease->hwaddr_length);
    *out++ = ',';
    out = put_hex(writer, out, lease->client_id, lease->client_id_length);
    *out++ = ',';
    out = put_number(writer, out, valid_s);
    *out++ = ',';
    out = put_signed(writer, out, lease->cltt_s + valid_s);
    *out++ = ',';
    out = put_number(writer, out, lease->subnet_id);
    out = lease->fqdn_fwd ? PUT_TEXT(out, ",1,") : PUT_TEXT(out, ",0,");
    out = lease->fqdn_rev ? PUT_TEXT(out, "1,") : PUT_TEXT(out, "0,");
    out = put_quoted(writer, out, lease->hostname, lease->hostname_length);
    *out++ = ',';
    out = put_number(writer, out, lease->state);
    out = PUT_TEXT(out, ",,"); /* no user context */
    out = put_number(writer, out, lease->pool_id);
    *out++ = '\n';
    return (size_t)(out - start);
}

/* The longest run of groups that are 0, as RFC 5952 wants it shortened: at
   least two, of equal ones the first.  Returns its length, or 0 (and then
   *first is no group). */
static int find_zeros(const uint16_t groups[static 8], int *first)
{
    int longest = 1;

    *first = -1;
    for (int i = 0; i < 8; i++) {
        int length = 0;

        while (i + length < 8 && groups[i + length] == 0)
            length++;
        if (length > longest) {
            longest = length;
            *first = i;
        }
        i += length;
    }
    return *first < 0 ? 0 : longest;
}

static char *put_group(char *out, uint16_t group)
{
    for (int shift = group > 0xfff  ? 12
                     : group > 0xff ? 8
                     : group > 0xf  ? 4
                                    : 0;
         shift >= 0; shift -= 4)
        *out++ = hex_digits[group >> shift & 15];
    return out;
}

static char *put_v6_address(char *out, struct lease_address address)
{
    uint16_t groups[8];
    int first;

    for (int i = 0; i < 4; i++) {
        groups[i] = (uint16_t)(address.high >> (48 - 16 * i));
        groups[4 + i] = (uint16_t)(address.low >> (48 - 16 * i));
    }
    const int zeros = find_zeros(groups, &first);
    for (int i = 0; i < 8; i++) {
        if (i == first) {
            *out++ = ':';
            *out++ = ':';
            i += zeros - 1;
            continue;
        }
        if (i > 0 && i != first + zeros)
            *out++ = ':';
        out = put_group(out, groups[i]);
    }
    return out;
}

static char *put_comma_number(const struct lease_writer *writer, char *out,
                              uint64_t number)
{
    *out++ = ',';
    return put_number(writer, out, number);
}

static size_t put_kea6(const struct lease_writer *writer,
                       const struct lease *lease, uint32_t valid_s, char *start)
{
    const bool hwaddr = lease->hwaddr_length > 0;
    char *out = put_v6_address(start, lease->address);

    *out++ = ',';
    out = put_hex(writer, out, lease->client_id, lease->client_id_length);
    out = put_comma_number(writer, out, valid_s);
    *out++ = ',';
    out = put_signed(writer, out, lease->cltt_s + valid_s);
    out = put_comma_number(writer, out, lease->subnet_id);
    out = put_comma_number(writer, out, lease->preferred_s);
    out = put_comma_number(writer, out, lease->type);
    out = put_comma_number(writer, out, lease->iaid);
    out = put_comma_number(writer, out, lease->prefix_length);
    out = put_comma_number(writer, out, lease->fqdn_fwd);
    out = put_comma_number(writer, out, lease->fqdn_rev);
    *out++ = ',';
    out = put_quoted(writer, out, lease->hostname, lease->hostname_length);
    *out++ = ',';
    out = put_hex(writer, out, lease->hwaddr, lease->hwaddr_length);
    out = put_comma_number(writer, out, lease->state);
    out = PUT_TEXT(out, ",,"); /* no user context */
    if (hwaddr)
        out = put_number(writer, out, LEASE_V6_HWTYPE);
    *out++ = ',';
    if (hwaddr)
        out = put_number(writer, out, LEASE_V6_HWADDR_SOURCE);
    out = put_comma_number(writer, out, lease->pool_id);
    *out++ = '\n';
    return (size_t)(out - start);
}

size_t lease_writer_header(const struct lease_writer *writer,
                           char out[static LEASE_FILE_HEADER_MAX])
{
    memcpy(out, headers[writer->format].text, headers[writer->format].length);
    return headers[writer->format].length;
}

size_t lease_writer_lease(struct lease_writer *writer,
                          const struct lease *lease,
                          char out[static LEASE_FILE_RECORD_MAX])
{
    switch (writer->format) {
    case LEASE_FILE_KEA:
        return put_kea(writer, lease, lease->valid_s, out);
    case LEASE_FILE_KEA6:
        return put_kea6(writer, lease, lease->valid_s, out);
    case LEASE_FILE_ISC:
        break;
    }
    return put_isc(writer, lease, out);
}

size_t lease_writer_removal(struct lease_writer *writer,
                            const struct lease *lease,
                            char out[static LEASE_FILE_RECORD_MAX])
{
    if (writer->format == LEASE_FILE_KEA)
        return put_kea(writer, lease, 0, out);
    if (writer->format == LEASE_FILE_KEA6)
        return put_kea6(writer, lease, 0, out);
    char *end = PUT_TEXT(out, "lease ");
    end = put_address(writer, end, (uint32_t)lease->address.low);
    end = PUT_TEXT(end, " {\n  ends ");
    end = lease->valid_s == LEASE_VALID_FOREVER
              ? PUT_TEXT(end, "never")
              : put_time(writer, end, lease_expire_s(lease));
    end = PUT_TEXT(end, ";\n  binding state free;\n}\n");
    return (size_t)(end - out);
}

bool lease_file_is_ours(const char *start, size_t length,
                        enum lease_file_format *format)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        if (length >= headers[i].length &&
            memcmp(start, headers[i].text, headers[i].length) == 0) {
            *format = (enum lease_file_format)i;
            return true;
        }
    }
    return false;
}
