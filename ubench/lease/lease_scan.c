/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "lease/lease_loader.h"

int lease_scan_char(const char **text, char wanted)
{
    if (**text != wanted)
        return -1;
    ++*text;
    return 0;
}

int lease_scan_number(const char **text, uint64_t max, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return -1;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *number <= max ? 0 : -1;
}

int lease_scan_address(const char **text, struct lease_address *address)
{
    *address = lease_address_v4(0);
    for (int i = 0; i < 4; i++) {
        uint64_t octet;

        if ((i > 0 && lease_scan_char(text, '.') != 0) ||
            lease_scan_number(text, 255, &octet) != 0)
            return -1;
        address->low = address->low << 8 | octet;
    }
    return 0;
}

int lease_scan_digit(char digit)
{
    if (isdigit((unsigned char)digit))
        return digit - '0';
    const int lower = tolower((unsigned char)digit);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int lease_scan_hex(const char **text, uint8_t *bytes, size_t max,
                   uint8_t *length)
{
    size_t count = 0;

    while (lease_scan_digit(**text) >= 0) {
        int value = lease_scan_digit(*(*text)++);

        if (lease_scan_digit(**text) >= 0)
            value = value * 16 + lease_scan_digit(*(*text)++);
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
