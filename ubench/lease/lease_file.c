/* SPDX-License-Identifier: ISC */
/* The reading half of lease_file.h. */
#include "lease/lease_file.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One load: where it is, and whom it calls. */
struct loader {
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

static int complain(struct loader *loader, const char *what)
{
    loader->stats->complaint = what;
    loader->stats->bad_line = loader->line_number;
    return err_set_class(loader->err, ERR_CORRUPT,
                         "%s: line %" PRIu64 ": %s: '%.60s'", loader->path,
                         loader->line_number, what, loader->line);
}

/* Returns 1 with the next line, 0 at the end of the file, -1 with err. */
static int next_line(struct loader *loader)
{
    errno = 0;
    const ssize_t length =
        getline(&loader->line, &loader->line_room, loader->file);
    if (length < 0) {
        if (feof(loader->file))
            return 0;
        return err_set(loader->err, "%s: %s", loader->path, strerror(errno));
    }
    loader->line_number++;
    loader->offset += (uint64_t)length;
    loader->torn = loader->line[length - 1] != '\n';
    if (loader->torn)
        return 1;
    loader->line[length - 1] = '\0';
    /* What a disk has not kept reads as zeros, and ends no string early. */
    return strlen(loader->line) == (size_t)length - 1
               ? 1
               : complain(loader, "a line with a NUL");
}

static int record_done(struct loader *loader)
{
    loader->stats->records++;
    loader->good = loader->offset;
    return loader->visit(loader->context, &loader->lease, loader->removed,
                         loader->err);
}

/* Reads a whole number of at most max and moves on behind it.  0 or -1. */
static int take_number(const char **text, uint64_t max, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return -1;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *number <= max ? 0 : -1;
}

static int take_char(const char **text, char wanted)
{
    if (**text != wanted)
        return -1;
    ++*text;
    return 0;
}

static int take_address(const char **text, struct lease_address *address)
{
    *address = lease_address_v4(0);
    for (int i = 0; i < 4; i++) {
        uint64_t octet;

        if ((i > 0 && take_char(text, '.') != 0) ||
            take_number(text, 255, &octet) != 0)
            return -1;
        address->low = address->low << 8 | octet;
    }
    return 0;
}

static int hex_value(char digit)
{
    if (isdigit((unsigned char)digit))
        return digit - '0';
    const int lower = tolower((unsigned char)digit);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads "0a:1:ff" (a digit alone is fine: dhcpd writes such) or nothing. */
static int take_hex(const char **text, uint8_t *bytes, size_t max,
                    uint8_t *length)
{
    size_t count = 0;

    while (hex_value(**text) >= 0) {
        int value = hex_value(*(*text)++);

        if (hex_value(**text) >= 0)
            value = value * 16 + hex_value(*(*text)++);
        if (count == max)
            return -1;
        bytes[count++] = (uint8_t)value;
        if (**text != ':')
            break;
        ++*text;
    }
    *length = (uint8_t)count;
    return 0;
}

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

    if (take_char(text, '"') != 0)
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
        if (take_number(text, INT64_MAX, &part[0]) != 0)
            return -1;
        *time_s = (int64_t)part[0];
        return 0;
    }
    for (int i = 0; i < 7; i++) {
        if (take_number(text, 9999, &part[i]) != 0 ||
            (i < 6 && take_char(text, separators[i]) != 0))
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

static int read_binding_state(struct loader *loader, const char *text)
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
            return take_char(&text, ';');
        }
    }
    return -1;
}

/* One statement inside "lease ... { }"; those that we have no field for are
   passed over.  Returns 0, or -1 if it is not what its first word promised. */
static int read_isc_statement(struct loader *loader, const char *text,
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
    else if (take_word(&text, "hardware ethernet "))
        return take_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
                        &lease->hwaddr_length) |
               take_char(&text, ';');
    else if (take_word(&text, "uid \"") && text--)
        return take_string(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                           &lease->client_id_length) |
               take_char(&text, ';');
    else if (take_word(&text, "uid "))
        return take_hex(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                        &lease->client_id_length) |
               take_char(&text, ';');
    else if (take_word(&text, "client-hostname "))
        return take_string(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                           &lease->hostname_length) |
               take_char(&text, ';');
    else if (take_word(&text, "set ddns-fwd-name "))
        lease->fqdn_fwd = true;
    else if (take_word(&text, "set ddns-rev-name "))
        lease->fqdn_rev = true;
    return 0;
}

/* Returns 1 for a whole record, 0 if the file ended in it, -1 with err. */
static int read_isc_record(struct loader *loader)
{
    struct isc_times times = { 0 };
    const char *text = loader->line + strlen("lease ");
    int got;

    loader->lease = (struct lease){ .type = LEASE_TYPE_V4 };
    loader->removed = false;
    if (take_address(&text, &loader->lease.address) != 0 ||
        strcmp(text, " {") != 0)
        return loader->torn ? 0 : complain(loader, "not a lease's first line");
    while ((got = next_line(loader)) == 1 && !loader->torn) {
        if (strcmp(loader->line, "}") == 0) {
            loader->lease.cltt_s = times.starts_s;
            loader->lease.valid_s =
                times.never ? LEASE_VALID_FOREVER
                            : (uint32_t)(times.ends_s - times.starts_s);
            return 1;
        }
        if (read_isc_statement(loader, loader->line, &times) != 0)
            return complain(loader, "not a statement of a lease");
    }
    return got < 0 ? -1 : 0;
}

static int load_isc(struct loader *loader)
{
    int got;

    do {
        if (strncmp(loader->line, "lease ", 6) == 0) {
            const int whole = read_isc_record(loader);

            if (whole <= 0)
                return whole;
            if (record_done(loader) != 0)
                return -1;
        } else if (loader->torn) {
            return 0;
        } else if (loader->strict && loader->line[0] != '#') {
            return complain(loader, "not a record");
        } else {
            loader->good = loader->offset; /* a comment, an option, a blank */
        }
        got = next_line(loader);
    } while (got == 1);
    return got;
}

/* A field with Kea's "&#x2c" escapes, up to the next comma. */
static int take_field(const char **text, char *bytes, size_t max,
                      uint8_t *length)
{
    size_t count = 0;

    while (**text != ',' && **text != '\0') {
        char byte = *(*text)++;

        if (byte == '&' && strncmp(*text, "#x", 2) == 0 &&
            hex_value((*text)[2]) >= 0 && hex_value((*text)[3]) >= 0) {
            byte = (char)(hex_value((*text)[2]) * 16 + hex_value((*text)[3]));
            *text += 4;
        }
        if (count == max)
            return -1;
        bytes[count++] = byte;
    }
    *length = (uint8_t)count;
    return 0;
}

static int take_small(const char **text, uint64_t max, uint32_t *number)
{
    uint64_t wide;

    if (take_number(text, max, &wide) != 0)
        return -1;
    *number = (uint32_t)wide;
    return 0;
}

static int take_v6_address(const char **text, struct lease_address *address)
{
    char word[LEASE_ADDRESS_TEXT_SIZE];
    const size_t length = strcspn(*text, ",");
    uint64_t bytes[2];

    if (length >= sizeof word)
        return -1;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    if (inet_pton(AF_INET6, word, bytes) != 1)
        return -1;
    *address = (struct lease_address){ .high = be64toh(bytes[0]),
                                       .low = be64toh(bytes[1]) };
    return 0;
}

/* Files of older versions end after hostname, state or user context. */
static int read_kea_tail(struct lease *lease, const char *text)
{
    uint32_t state;

    if (*text == '\0')
        return 0;
    if (take_char(&text, ',') != 0 || take_small(&text, 255, &state) != 0)
        return -1;
    lease->state = (uint8_t)state;
    if (*text == '\0')
        return 0;
    if (take_char(&text, ',') != 0)
        return -1;
    text += strcspn(text, ","); /* the user context */
    if (*text == '\0')
        return 0;
    return take_char(&text, ',') != 0 ||
                   take_small(&text, UINT32_MAX, &lease->pool_id) != 0 ||
                   *text != '\0'
               ? -1
               : 0;
}

static int read_kea_record(struct loader *loader)
{
    struct lease *const lease = &loader->lease;
    const char *text = loader->line;
    uint64_t expire_s;
    uint32_t fwd;
    uint32_t rev;

    *lease = (struct lease){ .type = LEASE_TYPE_V4 };
    if (take_address(&text, &lease->address) != 0 ||
        take_char(&text, ',') != 0 ||
        take_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
                 &lease->hwaddr_length) != 0 ||
        take_char(&text, ',') != 0 ||
        take_hex(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                 &lease->client_id_length) != 0 ||
        take_char(&text, ',') != 0 ||
        take_small(&text, UINT32_MAX, &lease->valid_s) != 0 ||
        take_char(&text, ',') != 0 ||
        take_number(&text, INT64_MAX, &expire_s) != 0 ||
        take_char(&text, ',') != 0 ||
        take_small(&text, UINT32_MAX, &lease->subnet_id) != 0 ||
        take_char(&text, ',') != 0 || take_small(&text, 1, &fwd) != 0 ||
        take_char(&text, ',') != 0 || take_small(&text, 1, &rev) != 0 ||
        take_char(&text, ',') != 0 ||
        take_field(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                   &lease->hostname_length) != 0 ||
        read_kea_tail(lease, text) != 0)
        return complain(loader, "not a lease of Kea's file version 2 or 3");
    lease->fqdn_fwd = fwd != 0;
    lease->fqdn_rev = rev != 0;
    lease->cltt_s = (int64_t)expire_s - lease->valid_s;
    loader->removed = lease->valid_s == 0;
    return 0;
}

/* A comma and a number. */
static int take_next(const char **text, uint64_t max, uint64_t *number)
{
    return take_char(text, ',') != 0 ? -1 : take_number(text, max, number);
}

/* The numbers between DUID and host name. */
static int read_kea6_numbers(struct lease *lease, const char **text)
{
    enum {
        VALID,
        EXPIRE,
        SUBNET,
        PREFERRED,
        TYPE,
        IAID,
        PREFIX,
        FWD,
        REV,
        ALL
    };
    static const uint64_t max[ALL] = {
        [VALID] = UINT32_MAX,
        [EXPIRE] = INT64_MAX,
        [SUBNET] = UINT32_MAX,
        [PREFERRED] = UINT32_MAX,
        [TYPE] = LEASE_TYPE_PD,
        [IAID] = UINT32_MAX,
        [PREFIX] = 128,
        [FWD] = 1,
        [REV] = 1,
    };
    uint64_t numbers[ALL];

    for (int i = 0; i < ALL; i++) {
        if (take_next(text, max[i], &numbers[i]) != 0)
            return -1;
    }
    lease->valid_s = (uint32_t)numbers[VALID];
    lease->cltt_s = (int64_t)numbers[EXPIRE] - lease->valid_s;
    lease->subnet_id = (uint32_t)numbers[SUBNET];
    lease->preferred_s = (uint32_t)numbers[PREFERRED];
    lease->type = (uint8_t)numbers[TYPE];
    lease->iaid = (uint32_t)numbers[IAID];
    lease->prefix_length = (uint8_t)numbers[PREFIX];
    lease->fqdn_fwd = numbers[FWD] != 0;
    lease->fqdn_rev = numbers[REV] != 0;
    return 0;
}

/* What stands behind the host name; files of older versions end earlier. */
static int read_kea6_tail(struct lease *lease, const char *text)
{
    uint64_t number = 0;

    if (*text == '\0')
        return 0;
    if (take_char(&text, ',') != 0 ||
        take_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
                 &lease->hwaddr_length) != 0)
        return -1;
    if (*text == '\0')
        return 0;
    if (take_next(&text, UINT8_MAX, &number) != 0)
        return -1;
    lease->state = (uint8_t)number;
    /* User context, hardware type, where the hwaddr is from. */
    for (int i = 0; i < 3 && *text == ','; i++)
        text += 1 + strcspn(text + 1, ",");
    if (*text == '\0')
        return 0;
    if (take_next(&text, UINT32_MAX, &number) != 0)
        return -1;
    lease->pool_id = (uint32_t)number;
    return *text == '\0' ? 0 : -1;
}

static int read_kea6_record(struct loader *loader)
{
    struct lease *const lease = &loader->lease;
    const char *text = loader->line;

    *lease = (struct lease){ .type = LEASE_TYPE_NA };
    if (take_v6_address(&text, &lease->address) != 0 ||
        take_char(&text, ',') != 0 ||
        take_hex(&text, lease->client_id, LEASE_DUID_MAX,
                 &lease->client_id_length) != 0 ||
        read_kea6_numbers(lease, &text) != 0 || take_char(&text, ',') != 0 ||
        take_field(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                   &lease->hostname_length) != 0 ||
        read_kea6_tail(lease, text) != 0)
        return complain(loader,
                        "not a lease of Kea's IPv6 file version 2 to 5");
    loader->removed = lease->valid_s == 0;
    return 0;
}

static int load_kea(struct loader *loader, int (*read)(struct loader *loader))
{
    int got;

    loader->good = loader->offset; /* behind the header */
    while ((got = next_line(loader)) == 1 && !loader->torn) {
        if (loader->line[0] == '\0')
            continue;
        if (read(loader) != 0 || record_done(loader) != 0)
            return -1;
    }
    return got < 0 ? -1 : 0;
}

/* By its first line. */
static enum lease_file_format format_of(const char *line)
{
    if (strncmp(line, "address,duid,", 13) == 0)
        return LEASE_FILE_KEA6;
    return strncmp(line, "address,", 8) == 0 ? LEASE_FILE_KEA : LEASE_FILE_ISC;
}

static int load(struct loader *loader)
{
    struct lease_file_stats *const stats = loader->stats;

    *stats = (struct lease_file_stats){ 0 };
    loader->file = fopen(loader->path, "re");
    if (loader->file == NULL)
        return err_set(loader->err, "%s: %s", loader->path, strerror(errno));
    int status = next_line(loader);
    if (status == 1) {
        stats->format = format_of(loader->line);
        status = stats->format == LEASE_FILE_ISC ? load_isc(loader)
                 : stats->format == LEASE_FILE_KEA
                     ? load_kea(loader, read_kea_record)
                     : load_kea(loader, read_kea6_record);
    }
    return status;
}

static void release(struct loader *loader)
{
    if (loader->file != NULL)
        (void)fclose(loader->file);
    free(loader->line);
}

int lease_file_load(const char *path, lease_file_visit *visit, void *context,
                    struct lease_file_stats *stats, struct err *err)
{
    struct loader loader = { .path = path,
                             .visit = visit,
                             .context = context,
                             .stats = stats,
                             .err = err };
    const int status = load(&loader);

    stats->torn_bytes = loader.offset - loader.good;
    release(&loader);
    return status;
}

/* Says what is left out from the complaint on. */
static int drop_rest(struct loader *loader, struct err *err)
{
    struct lease_file_stats *const stats = loader->stats;

    if (fseeko(loader->file, 0, SEEK_END) != 0)
        return err_set(err, "%s: %s", loader->path, strerror(errno));
    stats->good_bytes = loader->good;
    stats->dropped_bytes = (uint64_t)ftello(loader->file) - loader->good;
    return 0;
}

int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err)
{
    struct err why = { 0 };
    struct loader loader = { .path = path,
                             .strict = true,
                             .visit = visit,
                             .context = context,
                             .stats = stats,
                             .err = &why };
    int status = load(&loader);

    if (status != 0 && stats->complaint != NULL)
        status = drop_rest(&loader, err);
    else if (status != 0)
        *err = why;
    else
        stats->torn_bytes = loader.offset - loader.good;
    release(&loader);
    return status;
}
