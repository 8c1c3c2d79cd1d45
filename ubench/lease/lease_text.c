/* SPDX-License-Identifier: ISC */
#include "lease/lease_text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

char *lease_put_number(char *out, uint64_t number)
{
    size_t length = 1;

    for (uint64_t rest = number; rest > 9; rest /= 10)
        length++;
    for (size_t i = length; i > 0; i--, number /= 10)
        out[i - 1] = (char)('0' + number % 10);
    return out + length;
}

char *lease_put_signed(char *out, int64_t number)
{
    if (number >= 0)
        return lease_put_number(out, (uint64_t)number);
    *out = '-';
    return lease_put_number(out + 1, -(uint64_t)number);
}

static char *put_octet(char *out, unsigned octet)
{
    if (octet >= 100)
        *out++ = (char)('0' + octet / 100);
    if (octet >= 10)
        *out++ = (char)('0' + octet / 10 % 10);
    *out++ = (char)('0' + octet % 10);
    return out;
}

char *lease_put_v4_address(char *out, uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        out = put_octet(out, address >> shift & 255);
        *out++ = '.';
    }
    return out - 1;
}

char *lease_put_hex(char *out, const uint8_t *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
        *out++ = ':';
    }
    return length > 0 ? out - 1 : out;
}

char *lease_put_quoted(char *out, const struct lease_writer *writer,
                       const void *bytes, size_t length)
{
    for (const uint8_t *at = bytes; length > 0; at++, length--) {
        memcpy(out, writer->quoted[*at], sizeof writer->quoted[*at]);
        out += writer->quoted_length[*at];
    }
    return out;
}

int lease_take_char(const char **text, char wanted)
{
    if (**text != wanted)
        return -1;
    ++*text;
    return 0;
}

int lease_take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0)
        return -1;
    *text += length;
    return 0;
}

int lease_take_number(const char **text, uint64_t max, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return -1;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *number <= max ? 0 : -1;
}

int lease_take_address(const char **text, struct lease *lease)
{
    char word[LEASE_ADDRESS_TEXT_SIZE];
    const size_t length = strspn(*text, "0123456789abcdefABCDEF.:");
    uint64_t v6[2];
    uint32_t v4;

    if (length >= sizeof word)
        return -1;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    if (lease->type == LEASE_TYPE_V4) {
        if (inet_pton(AF_INET, word, &v4) != 1)
            return -1;
        lease->address = lease_address_v4(be32toh(v4));
    } else {
        if (inet_pton(AF_INET6, word, v6) != 1)
            return -1;
        lease->address = (struct lease_address){ .high = be64toh(v6[0]),
                                                 .low = be64toh(v6[1]) };
    }
    return 0;
}

int lease_take_hex_byte(const char **text, uint8_t *byte)
{
    unsigned value = 0;

    for (int i = 0; i < 2; i++) {
        const int digit = tolower((unsigned char)**text);

        if (!isxdigit(digit))
            return -1;
        value = value * 16 +
                (unsigned)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
        ++*text;
    }
    *byte = (uint8_t)value;
    return 0;
}

int lease_take_hex(const char **text, uint8_t *bytes, size_t max,
                   uint8_t *length)
{
    size_t count = 0;

    *length = 0;
    if (!isxdigit((unsigned char)**text))
        return 0;
    do {
        if (count == max || lease_take_hex_byte(text, &bytes[count++]) != 0)
            return -1;
    } while (lease_take_char(text, ':') == 0);
    *length = (uint8_t)count;
    return 0;
}
