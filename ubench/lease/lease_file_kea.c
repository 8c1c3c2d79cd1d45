/* SPDX-License-Identifier: ISC */
/* Reading the CSV files of Kea's memfile. */
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "lease/lease_loader.h"

/* A field with Kea's "&#x2c" escapes, up to the next comma. */
static int take_field(const char **text, char *bytes, size_t max,
                      uint8_t *length)
{
    size_t count = 0;

    while (**text != ',' && **text != '\0') {
        char byte = *(*text)++;

        if (byte == '&' && strncmp(*text, "#x", 2) == 0 &&
            lease_scan_digit((*text)[2]) >= 0 &&
            lease_scan_digit((*text)[3]) >= 0) {
            byte = (char)(lease_scan_digit((*text)[2]) * 16 +
                          lease_scan_digit((*text)[3]));
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

    if (lease_scan_number(text, max, &wide) != 0)
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
    if (lease_scan_char(&text, ',') != 0 || take_small(&text, 255, &state) != 0)
        return -1;
    lease->state = (uint8_t)state;
    if (*text == '\0')
        return 0;
    if (lease_scan_char(&text, ',') != 0)
        return -1;
    text += strcspn(text, ","); /* the user context */
    if (*text == '\0')
        return 0;
    return lease_scan_char(&text, ',') != 0 ||
                   take_small(&text, UINT32_MAX, &lease->pool_id) != 0 ||
                   *text != '\0'
               ? -1
               : 0;
}

static int read_kea_record(struct lease_loader *loader)
{
    struct lease *const lease = &loader->lease;
    const char *text = loader->line;
    uint64_t expire_s;
    uint32_t fwd;
    uint32_t rev;

    *lease = (struct lease){ .type = LEASE_TYPE_V4 };
    if (lease_scan_address(&text, &lease->address) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        lease_scan_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
                       &lease->hwaddr_length) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        lease_scan_hex(&text, lease->client_id, LEASE_CLIENT_ID_MAX,
                       &lease->client_id_length) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        take_small(&text, UINT32_MAX, &lease->valid_s) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        lease_scan_number(&text, INT64_MAX, &expire_s) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        take_small(&text, UINT32_MAX, &lease->subnet_id) != 0 ||
        lease_scan_char(&text, ',') != 0 || take_small(&text, 1, &fwd) != 0 ||
        lease_scan_char(&text, ',') != 0 || take_small(&text, 1, &rev) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        take_field(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                   &lease->hostname_length) != 0 ||
        read_kea_tail(lease, text) != 0)
        return lease_loader_complain(
            loader, "not a lease of Kea's file version 2 or 3");
    lease->fqdn_fwd = fwd != 0;
    lease->fqdn_rev = rev != 0;
    lease->cltt_s = (int64_t)expire_s - lease->valid_s;
    loader->removed = lease->valid_s == 0;
    return 0;
}

/* A comma and a number. */
static int take_next(const char **text, uint64_t max, uint64_t *number)
{
    return lease_scan_char(text, ',') != 0
               ? -1
               : lease_scan_number(text, max, number);
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
    if (lease_scan_char(&text, ',') != 0 ||
        lease_scan_hex(&text, lease->hwaddr, LEASE_HWADDR_MAX,
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

static int read_kea6_record(struct lease_loader *loader)
{
    struct lease *const lease = &loader->lease;
    const char *text = loader->line;

    *lease = (struct lease){ .type = LEASE_TYPE_NA };
    if (take_v6_address(&text, &lease->address) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        lease_scan_hex(&text, lease->client_id, LEASE_DUID_MAX,
                       &lease->client_id_length) != 0 ||
        read_kea6_numbers(lease, &text) != 0 ||
        lease_scan_char(&text, ',') != 0 ||
        take_field(&text, lease->hostname, LEASE_HOSTNAME_MAX,
                   &lease->hostname_length) != 0 ||
        read_kea6_tail(lease, text) != 0)
        return lease_loader_complain(
            loader, "not a lease of Kea's IPv6 file version 2 to 5");
    loader->removed = lease->valid_s == 0;
    return 0;
}

static int load_kea(struct lease_loader *loader,
                    int (*read)(struct lease_loader *loader))
{
    int got;

    loader->good = loader->offset; /* behind the header */
    while ((got = lease_loader_line(loader)) == 1 && !loader->torn) {
        if (loader->line[0] == '\0')
            continue;
        if (read(loader) != 0 || lease_loader_record(loader) != 0)
            return -1;
    }
    return got < 0 ? -1 : 0;
}

int lease_loader_kea(struct lease_loader *loader)
{
    return load_kea(loader, read_kea_record);
}

int lease_loader_kea6(struct lease_loader *loader)
{
    return load_kea(loader, read_kea6_record);
}
