/* SPDX-License-Identifier: ISC */
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int units_scan_count(const char *text, uint64_t *count)
{
    static const struct {
        const char *suffix;
        uint64_t factor;
    } scales[] = {
        { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }
    };

    if (!isdigit((unsigned char)text[0]))
        return -1;
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0)
        return -1;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        if (strcmp(end, scales[i].suffix) != 0)
            continue;
        if (number > UINT64_MAX / scales[i].factor)
            return -1;
        *count = number * scales[i].factor;
        return 0;
    }
    return -1;
}

int units_scan_real(const char *text, double *value)
{
    if (text[strspn(text, "+-.0123456789eE")] != '\0' || text[0] == '\0')
        return -1;
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (errno != 0 || *end != '\0' || !isfinite(number))
        return -1;
    *value = number;
    return 0;
}

char *units_count(char text[static UNITS_TEXT_SIZE], uint64_t count)
{
    char digits[UNITS_TEXT_SIZE];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *out = text;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

char *units_time(char text[static UNITS_TEXT_SIZE], double time_ns)
{
    static const struct {
        const char *name;
        double size_ns;
    } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    size_t i = 0;

    while (i < 3 && time_ns >= 999.5 * units[i].size_ns)
        i++;
    const double value = time_ns / units[i].size_ns;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    (void)snprintf(text, UNITS_TEXT_SIZE, "%.*f %s", decimals, value,
                   units[i].name);
    return text;
}
