/* SPDX-License-Identifier: ISC */
#include "lease/lease_text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

const char lease_pairs[] = "00010203040506070809101112131415161718192021222324"
                           "25262728293031323334353637383940414243444546474849"
                           "50515253545556575859606162636465666768697071727374"
                           "75767778798081828384858687888990919293949596979899";

char *lease_put_number(char *out, uint64_t number)
{
    char digits[20];
    char *start = digits + sizeof digits;

    for (; number > 9; number /= 100)
        (void)lease_put_two(start -= 2, (unsigned)(number % 100));
    if (number > 0 || start == digits + sizeof digits)
        *--start = (char)('0' + number);
    const size_t length = (size_t)(digits + sizeof digits - start);
    memcpy(out, start, length);
    return out + length;
}

char *lease_put_signed(char *out, int64_t number)
{
    if (number >= 0)
        return lease_put_number(out, (uint64_t)number);
    *out = '-';
    return lease_put_number(out + 1, -(uint64_t)number);
}

char *lease_put_v4_address(char *out, const struct lease_writer *writer, uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        const unsigned octet = address >> shift & 255;

        memcpy(out, writer->octet[octet], sizeof writer->octet[octet]);
        out += writer->octet_length[octet];
    }
    return out - 1;
}

char *lease_put_hex(char *out, const struct lease_writer *writer, const uint8_t *bytes,
                    size_t length)
{
    for (size_t i = 0; i < length; i++, out += 3)
        memcpy(out, writer->hex[bytes[i]], sizeof writer->hex[bytes[i]]);
    return length > 0 ? out - 1 : out;
}

/* Returns true if each of eight bytes is one of '-' to 'z' except a backslash:
   no format quotes these.  Each test sets a byte's top bit if the byte is 128
   or more, above 'z', below '-', or a backslash (Warren, Hacker's Delight,
   6-1).  A carry comes only from a byte that is itself not plain. */
static bool is_plain(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t differs = word ^ ones * '\\';

    return ((word | (word + ones * (127 - 'z')) | (word - ones * '-') |
             ((differs - ones) & ~differs)) &
            ones * 128) == 0;
}

char *lease_put_quoted(char *out, const struct lease_writer *writer, const void *bytes,
                       size_t length)
{
    const uint8_t *at = bytes;
    const uint8_t *const end = at + length;
    uint64_t word;

    while (end - at >= 8 && (memcpy(&word, at, 8), is_plain(word))) {
        memcpy(out, &word, 8);
        out += 8;
        at += 8;
    }
    for (; at < end; at++) {
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
        lease->address = (struct lease_address){ .high = be64toh(v6[0]), .low = be64toh(v6[1]) };
    }
    return 0;
}

int lease_take_hex_byte(const char **text, uint8_t *byte)
{
    const char *const at = *text;
    const char digits[] = { at[0], at[0] != '\0' ? at[1] : '\0', '\0' };

    if (strspn(digits, "0123456789abcdefABCDEF") != 2)
        return -1;
    *byte = (uint8_t)strtoul(digits, NULL, 16);
    *text += 2;
    return 0;
}

int lease_take_hex(const char **text, uint8_t *bytes, size_t max, uint8_t *length)
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
