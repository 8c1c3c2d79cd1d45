/* SPDX-License-Identifier: ISC */
#include "lease/lease_text.h"

#include <stdio.h>
#include <time.h>

/* dhcpd's "binding state" for each of Kea's lease states. */
static const char *const state_names[] = {
    [LEASE_STATE_DEFAULT] = "active",
    [LEASE_STATE_DECLINED] = "abandoned",
    [LEASE_STATE_RECLAIMED] = "expired",
    [LEASE_STATE_RELEASED] = "released",
};
enum { STATES = sizeof state_names / sizeof state_names[0] };

/* Beginnings of statements, up to the value. */
#define STARTS   "  starts "
#define ENDS     "  ends "
#define STATE    "  binding state "
#define HARDWARE "  hardware ethernet "
#define UID      "  uid \""
#define FWD_NAME "  set ddns-fwd-name = \""
#define REV_NAME "  set ddns-rev-name = \""
#define HOSTNAME "  client-hostname \""

/* Writes "4 2026/11/19 10:00:00", as dhcpd does: UTC; 0 is Sunday. */
static char *put_time(char *out, struct lease_writer *writer, int64_t time_s)
{
    /* dhcpd reads no date after the year 9999. */
    const int64_t most_s = INT64_C(253402300799);
    const uint64_t clipped = time_s < 0 ? 0 : (uint64_t)(time_s > most_s ? most_s : time_s);
    const unsigned second = (unsigned)(clipped % 86400);
    const time_t midnight = (time_t)(clipped - second);
    struct tm date;

    /* Usually the day is the same as in the last call. */
    if (midnight != writer->day) {
        (void)strftime(writer->day_text, sizeof writer->day_text, "%w %Y/%m/%d ",
                       gmtime_r(&midnight, &date));
        writer->day = midnight;
    }
    memcpy(out, writer->day_text, sizeof writer->day_text);
    out += sizeof "4 2026/11/19 " - 1;
    out = lease_put_two(out, second / 3600);
    *out++ = ':';
    out = lease_put_two(out, second / 60 % 60);
    *out++ = ':';
    return lease_put_two(out, second % 60);
}

static char *put_end(char *out, struct lease_writer *writer, const struct lease *lease)
{
    out = LEASE_PUT(out, ENDS);
    out = lease->valid_s == LEASE_VALID_FOREVER ? LEASE_PUT(out, "never")
                                                : put_time(out, writer, lease_expire_s(lease));
    return LEASE_PUT(out, ";\n" STATE);
}

/* Quotes a byte as dhcpd does: what it cannot print becomes an octal escape
   (quotify_buf in common/print.c of ISC DHCP 4.4). */
char *lease_isc_quote(char out[static 8], uint8_t byte)
{
    if (byte < ' ' || byte > '~')
        return out + snprintf(out, 8, "\\%03o", byte);
    if (byte == '"' || byte == '\\')
        *out++ = '\\';
    *out++ = (char)byte;
    return out;
}

/* Writes the rest of a string, after its first quote, and the end of the
   statement. */
static inline char *put_string(char *out, const struct lease_writer *writer, const void *bytes,
                               size_t length)
{
    return LEASE_PUT(lease_put_quoted(out, writer, bytes, length), "\";\n");
}

static char *put_client(char *out, const struct lease_writer *writer, const struct lease *lease)
{
    if (lease->hwaddr_length > 0) {
        out = LEASE_PUT(out, HARDWARE);
        out = lease_put_hex(out, writer, lease->hwaddr, lease->hwaddr_length);
        out = LEASE_PUT(out, ";\n");
    }
    if (lease->client_id_length > 0)
        out = put_string(LEASE_PUT(out, UID), writer, lease->client_id, lease->client_id_length);
    if (lease->fqdn_fwd)
        out = put_string(LEASE_PUT(out, FWD_NAME), writer, lease->hostname, lease->hostname_length);
    if (lease->fqdn_rev) { /* for 1.2.3.4: 4.3.2.1.in-addr.arpa. */
        out = LEASE_PUT(out, REV_NAME);
        out = lease_put_v4_address(out, writer, __builtin_bswap32((uint32_t)lease->address.low));
        out = LEASE_PUT(out, ".in-addr.arpa.\";\n");
    }
    if (lease->hostname_length > 0)
        out = put_string(LEASE_PUT(out, HOSTNAME), writer, lease->hostname, lease->hostname_length);
    return out;
}

/* Writes the state; fast for active leases. */
static char *put_state(char *out, unsigned state)
{
    if (state == LEASE_STATE_DEFAULT || state >= STATES)
        return LEASE_PUT(out, "active;\n");
    out = stpcpy(out, state_names[state]);
    return LEASE_PUT(out, ";\n");
}

/* dhcpd also writes cltt, which for these leases equals starts, and the next
   binding state, which without failover is always free.  It also reads leases
   without them, and each byte adds to the load of the page cache. */
char *lease_isc_put(char *out, struct lease_writer *writer, const struct lease *lease, bool removed)
{
    out = LEASE_PUT(out, "lease ");
    out = lease_put_v4_address(out, writer, (uint32_t)lease->address.low);
    out = LEASE_PUT(out, " {\n");
    if (removed) {
        out = put_end(out, writer, lease);
        return LEASE_PUT(out, "free;\n}\n");
    }
    out = LEASE_PUT(out, STARTS);
    out = put_time(out, writer, lease->cltt_s);
    out = LEASE_PUT(out, ";\n");
    out = put_end(out, writer, lease);
    out = put_state(out, lease->state);
    out = put_client(out, writer, lease);
    return LEASE_PUT(out, "}\n");
}

/* Reading */

/* Reads the escape after a backslash. */
static int take_escape(const char **text, uint8_t *byte)
{
    unsigned value = 0;
    int digits = 0;

    while (digits < 3 && **text >= '0' && **text <= '7') {
        value = value * 8 + (unsigned)(*(*text)++ - '0');
        digits++;
    }
    if (digits == 0 && **text != '\0') {
        value = (unsigned char)*(*text)++;
        digits = 3;
    }
    *byte = (uint8_t)value;
    return digits == 3 && value <= 255 ? 0 : -1;
}

/* Reads the rest of a string, after its first quote. */
static int take_string(const char **text, void *bytes, size_t max, uint8_t *length)
{
    size_t count = 0;

    while (**text != '"') {
        uint8_t byte = (uint8_t) * *text;

        if (byte == '\0' || count == max)
            return -1;
        ++*text;
        if (byte == '\\' && take_escape(text, &byte) != 0)
            return -1;
        ((uint8_t *)bytes)[count++] = byte;
    }
    ++*text;
    *length = (uint8_t)count;
    return 0;
}

static int take_time(const char **text, int64_t *time_s)
{
    static const char separators[] = " // ::";
    static const uint64_t most[] = { 6, 9999, 12, 31, 23, 59, 60 };
    uint64_t part[7];

    for (int i = 0; i < 7; i++) {
        if (lease_take_number(text, most[i], &part[i]) != 0 ||
            (i < 6 && lease_take_char(text, separators[i]) != 0))
            return -1;
    }
    if (part[1] < 1970)
        return -1; /* ubench writes no earlier date */
    struct tm date = { .tm_year = (int)part[1] - 1900,
                       .tm_mon = (int)part[2] - 1,
                       .tm_mday = (int)part[3],
                       .tm_hour = (int)part[4],
                       .tm_min = (int)part[5],
                       .tm_sec = (int)part[6] };
    *time_s = timegm(&date);
    return 0;
}

static int take_end(const char **text, struct lease *lease)
{
    int64_t ends_s;

    lease->valid_s = LEASE_VALID_FOREVER;
    if (lease_take_word(text, "never") == 0)
        return 0;
    if (take_time(text, &ends_s) != 0)
        return -1;
    /* A removed lease has no start. */
    lease->valid_s = (uint32_t)(ends_s - lease->cltt_s);
    return lease->cltt_s == 0 ||
                   (ends_s >= lease->cltt_s && ends_s - lease->cltt_s < LEASE_VALID_FOREVER)
               ? 0
               : -1;
}

static int take_state(const char **text, struct lease_record *record)
{
    record->removed = lease_take_word(text, "free") == 0;
    if (record->removed)
        return 0;
    for (int i = 0; i < STATES; i++) {
        record->lease.state = (uint8_t)i;
        if (lease_take_word(text, state_names[i]) == 0)
            return 0;
    }
    return -1;
}

/* Reads a statement up to its semicolon. */
static int take_statement(const char **text, struct lease_record *record)
{
    struct lease *const lease = &record->lease;
    char name[LEASE_HOSTNAME_MAX];
    uint8_t length;

    if (lease_take_word(text, STARTS) == 0)
        return take_time(text, &lease->cltt_s);
    if (lease_take_word(text, ENDS) == 0)
        return take_end(text, lease);
    if (lease_take_word(text, STATE) == 0)
        return take_state(text, record);
    if (lease_take_word(text, HARDWARE) == 0)
        return lease_take_hex(text, lease->hwaddr, LEASE_HWADDR_MAX, &lease->hwaddr_length);
    if (lease_take_word(text, UID) == 0)
        return take_string(text, lease->client_id, LEASE_CLIENT_ID_MAX, &lease->client_id_length);
    if (lease_take_word(text, HOSTNAME) == 0)
        return take_string(text, lease->hostname, LEASE_HOSTNAME_MAX, &lease->hostname_length);
    if (lease_take_word(text, FWD_NAME) == 0)
        lease->fqdn_fwd = true;
    else if (lease_take_word(text, REV_NAME) == 0)
        lease->fqdn_rev = true;
    else
        return -1;
    return take_string(text, name, sizeof name, &length);
}

const char *lease_isc_take(struct lease_record *record, const char *line)
{
    record->whole = record->begun && strcmp(line, "}") == 0;
    if (record->whole) {
        record->begun = false;
    } else if (record->begun) {
        if (take_statement(&line, record) != 0 || strcmp(line, ";") != 0)
            return "not a statement of a lease";
    } else if (line[0] != '#') { /* a comment, as in the header */
        *record = (struct lease_record){ .begun = true, .lease.type = LEASE_TYPE_V4 };
        if (lease_take_word(&line, "lease ") != 0)
            return "not a record";
        if (lease_take_address(&line, &record->lease) != 0 || strcmp(line, " {") != 0)
            return "not a lease's first line";
    }
    return NULL;
}
