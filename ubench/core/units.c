/* SPDX-License-Identifier: ISC */
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *suffix; /* NULL ends a list */
    uint64_t factor;
};

static const struct unit scales[] = {
    { "", 1 }, { "k", 1000 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { NULL, 0 },
};

/* In ascending order. */
static const struct unit times[] = {
    { "ns", 1 },
    { "us", 1000 },
    { "ms", 1000000 },
    { "s", 1000000000 },
    { "m", UINT64_C(60000000000) },
    { "h", UINT64_C(3600000000000) },
    { NULL, 0 },
};

enum { TIMES = sizeof times / sizeof times[0] - 1 };

/* Returns the factor of a unit; 0: unknown unit. */
static uint64_t factor_of(const struct unit *unit, const char *suffix)
{
    while (unit->suffix != NULL && strcmp(unit->suffix, suffix) != 0)
        unit++;
    return unit->factor;
}

/* Reads digits.  Returns the first character after them, or NULL if there are
   none; sets errno to ERANGE if the number exceeds 64 bits. */
static const char *scan_digits(const char *text, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return NULL;
    *number = strtoull(text, &end, 10);
    return end;
}

int units_scan_count(const char *text, uint64_t *count)
{
    uint64_t number = 0;
    uint64_t exponent = 0;

    errno = 0;
    const char *end = scan_digits(text, &number);
    if (end != NULL && *end == 'e')
        end = scan_digits(end + 1, &exponent);
    const uint64_t factor = end != NULL ? factor_of(scales, end) : 0;
    bool fits = errno == 0;
    for (uint64_t i = 0; i < exponent && number > 0 && fits; i++)
        fits = !__builtin_mul_overflow(number, 10, &number);
    fits = fits && !__builtin_mul_overflow(number, factor, &number);
    if (factor == 0 || !fits) {
        errno = factor == 0 ? EINVAL : ERANGE;
        return -1;
    }
    *count = number;
    return 0;
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

/* Reads a number of at least 0 and its unit.  Returns 0 or -1. */
static int scan_with_unit(const char *text, const struct unit *units, double *value)
{
    char number[UNITS_TEXT_SIZE];
    const size_t length = strspn(text, "0123456789.");
    const uint64_t factor = factor_of(units, text + length);

    if (length >= sizeof number || factor == 0)
        return -1;
    memcpy(number, text, length);
    number[length] = '\0';
    if (units_scan_real(number, value) != 0)
        return -1;
    *value *= (double)factor;
    return 0;
}

int units_scan_rate(const char *text, double *rate)
{
    double value;

    if (scan_with_unit(text, scales, &value) != 0 || value <= 0)
        return -1;
    *rate = value;
    return 0;
}

int units_scan_duration(const char *text, uint64_t *ns)
{
    double exact_ns = 0;
    const bool is_zero = text[strspn(text, "0.")] == '\0' && units_scan_real(text, &exact_ns) == 0;

    if (!is_zero && (scan_with_unit(text, times, &exact_ns) != 0 || exact_ns >= 0x1p52))
        return -1;
    *ns = (uint64_t)llround(exact_ns);
    return 0;
}

char *units_duration(char text[static UNITS_TEXT_SIZE], uint64_t ns)
{
    size_t i = TIMES - 1;

    while (ns % times[i].factor != 0)
        i--;
    (void)snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "%s", ns / times[i].factor,
                   ns > 0 ? times[i].suffix : "");
    return text;
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

char *units_figure(char text[static UNITS_TEXT_SIZE], double value)
{
    const int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;

    if (value < 999.95 || value >= 1e18) {
        (void)snprintf(text, UNITS_TEXT_SIZE, value < 1e18 ? "%.*f" : "%.*g",
                       value > 0 ? decimals : 0, value);
        return text;
    }
    const double step = pow(10, floor(log10(value)) - 3);
    return units_count(text, (uint64_t)(round(value / step) * step + 0.5));
}

char *units_time(char text[static UNITS_TEXT_SIZE], double time_ns)
{
    size_t i = 0;

    while (i < 3 && time_ns >= 999.5 * (double)times[i].factor)
        i++;
    const double value = time_ns / (double)times[i].factor;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    (void)snprintf(text, UNITS_TEXT_SIZE, "%.*f %s", decimals, value, times[i].suffix);
    return text;
}
