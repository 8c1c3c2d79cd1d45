/* SPDX-License-Identifier: ISC */
/* Reading dhcpd.leases(5). */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "lease/lease_loader.h"

/* The escape behind a backslash in a dhcpd string. */
static int take_escape(const char **text, uint8_t *byte)
{
    unsigned value = 0;
    int digits = 0;

    while (digits < 3 && **text >= '0' && **text <= '7') {
        value = value * 8 + (unsigned)(*(*text)++ - '0');
        digits++;
    }
    if (digits == 0) {
        if (**text == '\0')
            return -1;
        value = (unsigned char)*(*text)++;
    }
    *byte = (uint8_t)value;
    return value <= 255 ? 0 : -1;
}

static int take_string(const char **text, void *bytes, size_t max,
                       uint8_t *length)
{
    size_t count = 0;

    if (lease_scan_char(text, '"') != 0)
        return -1;
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

/* "4 2026/11/19 10:00:00" or "epoch 1795000000". */
static int take_time(const char **text, int64_t *time_s)
{
    uint64_t part[7] = { 0 };
    static const char separators[] = " // ::";
    struct tm date = { 0 };

    if (strncmp(*text, "epoch ", 6) == 0) {
        *text += 6;
        if (lease_scan_number(text, INT64_MAX, &part[0]) != 0)
            return -1;
        *time_s = (int64_t)part[0];
        return 0;
    }
    for (int i = 0; i < 7; i++) {
        if (lease_scan_number(text, 9999, &part[i]) != 0 ||
            (i < 6 && lease_scan_char(text, separators[i]) != 0))
            return -1;
    }
    date.tm_year = (int)part[1] - 1900;
    date.tm_mon = (int)part[2] - 1;
    date.tm_mday = (int)part[3];
    date.tm_hour = (int)part[4];
    date.tm_min = (int)part[5];
    date.tm_sec = (int)part[6];
    *time_s = timegm(&date);
    return 0;
}

/* The times of an ISC record, which only together give a lifetime. */
struct isc_times {
    int64_t starts_s;
    int64_t ends_s;
    bool never;
};

static bool take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

static int read_binding_state(struct lease_loader *loader, const char *text)
{
    static const struct {
        const char *name;
        uint8_t state;
        bool removed;
    } states[] = {
        { "active", LEASE_STATE_DEFAULT, false },
        { "abandoned", LEASE_STATE_DECLINED, false },
        { "expired", LEASE_STATE_RECLAIMED, false },
        { "free", LEASE_STATE_DEFAULT, true },
        { "released", LEASE_STATE_RELEASED, false },
        { "reset", LEASE_STATE_DEFAULT, true },
        { "backup", LEASE_STATE_DEFAULT, true },
        { "reserved", LEASE_STATE_DEFAULT, false },
        { "bootp", LEASE_STATE_DEFAULT, false },
    };

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (take_word(&text, states[i].name)) {
            loader->lease.state = states[i].state;
            loader->removed = states[i].removed;
            return lease_scan_char(&text, ';');
        }
    }
    return -1;
}

/* Nothing but the semicolon is left of a statement whose value was read with
   that status. */
static int end_statement(const char *text, int status)
{
    return status != 0 ? status : lease_scan_char(&text, ';');
}

/* What dhcpd says of the client.  Returns 1 if the statement was one of these,
   0 if not, or -1 if it is not what its first word promised. */
static int read_client(struct lease *lease, const char *text)
{
    int status = 0;

    if (take_word(&text, "hardware ethernet "))
        status = lease_scan_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
                                &lease->hwaddr_length);
    else if (take_word(&text, "uid "))
        status =
            *text == '"'
                ? take_string(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                              &lease->client_id_length)
                : lease_scan_hex(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                                 &lease->client_id_length);
    else if (take_word(&text, "client-hostname "))
        status = take_string(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                             &lease->hostname_length);
    else
        return 0;
    return end_statement(text, status) == 0 ? 1 : -1;
}

/* One statement inside "lease ... { }"; those that we have no field for are
   passed over.  Returns 0, or -1 if it is not what its first word promised. */
static int read_isc_statement(struct lease_loader *loader, const char *text,
                              struct isc_times *times)
{
    struct lease *const lease = &loader->lease;
    int64_t unused_s;

    while (isspace((unsigned char)*text))
        text++;
    if (take_word(&text, "starts "))
        return take_time(&text, &times->starts_s);
    if (take_word(&text, "ends never"))
        times->never = true;
    else if (take_word(&text, "ends "))
        return take_time(&text, &times->ends_s);
    else if (take_word(&text, "cltt "))
        return take_time(&text, &unused_s);
    else if (take_word(&text, "binding state "))
        return read_binding_state(loader, text);
    else if (take_word(&text, "set ddns-fwd-name "))
        lease->fqdn_fwd = true;
    else if (take_word(&text, "set ddns-rev-name "))
        lease->fqdn_rev = true;
    else
        return read_client(lease, text) < 0 ? -1 : 0;
    return 0;
}

/* Returns 1 for a whole record, 0 if the file ended in it, -1 with err. */
static int read_isc_record(struct lease_loader *loader)
{
    struct isc_times times = { 0 };
    const char *text = loader->line + strlen("lease ");
    int got;

    loader->lease = (struct lease){ .type = LEASE_TYPE_V4 };
    loader->removed = false;
    if (lease_scan_address(&text, &loader->lease.address) != 0 ||
        strcmp(text, " {") != 0)
        return loader->torn
                   ? 0
                   : lease_loader_complain(loader, "not a lease's first line");
    while ((got = lease_loader_line(loader)) == 1 && !loader->torn) {
        if (strcmp(loader->line, "}") == 0) {
            loader->lease.cltt_s = times.starts_s;
            loader->lease.valid_s =
                times.never ? LEASE_VALID_FOREVER
                            : (uint32_t)(times.ends_s - times.starts_s);
            return 1;
        }
        if (read_isc_statement(loader, loader->line, &times) != 0)
            return lease_loader_complain(loader, "not a statement of a lease");
    }
    return got < 0 ? -1 : 0;
}

int lease_loader_isc(struct lease_loader *loader)
{
    int got;

    do {
        if (strncmp(loader->line, "lease ", 6) == 0) {
            const int whole = read_isc_record(loader);

            if (whole <= 0)
                return whole;
            if (lease_loader_record(loader) != 0)
                return -1;
        } else if (loader->torn) {
            return 0;
        } else if (loader->strict && loader->line[0] != '#') {
            return lease_loader_complain(loader, "not a record");
        } else {
            loader->good = loader->offset; /* a comment, an option, a blank */
        }
        got = lease_loader_line(loader);
    } while (got == 1);
    return got;
}
