/* SPDX-License-Identifier: ISC */
#include "store/sql/date.h"

#include <stdbool.h>
#include <stddef.h>

/* Years begin in March here, so that the odd day is the last one; the days are
   those since 1 March of the year 0. */
enum { DAY_S = 86400, DAYS_400Y = 146097, DAYS_TO_1970 = 719468 };

struct sql_date sql_date_of(int64_t time_s)
{
    const uint64_t since = (uint64_t)(time_s + (int64_t)DAYS_TO_1970 * DAY_S);
    const uint32_t second = (uint32_t)(since % DAY_S);
    const uint32_t days = (uint32_t)(since / DAY_S);
    const uint32_t day400 = days % DAYS_400Y;
    const uint32_t year400 =
        (day400 - day400 / 1460 + day400 / 36524 - day400 / 146096) / 365;
    const uint32_t day = day400 - (365 * year400 + year400 / 4 - year400 / 100);
    const uint32_t month = (5 * day + 2) / 153; /* 0: March */

    return (struct sql_date){
        .year = days / DAYS_400Y * 400 + year400 + (month >= 10 ? 1 : 0),
        .month = month >= 10 ? month - 9 : month + 3,
        .day = day - (153 * month + 2) / 5 + 1,
        .hour = second / 3600,
        .minute = second / 60 % 60,
        .second = second % 60,
    };
}

int64_t sql_date_s(const struct sql_date *date)
{
    const bool early = date->month <= 2;
    const int64_t year = (int64_t)date->year - (early ? 1 : 0);
    const int64_t month = (int64_t)date->month + (early ? 9 : -3);
    const int64_t days = 365 * year + year / 4 - year / 100 + year / 400 +
                         (153 * month + 2) / 5 + date->day - 1;

    return (days - DAYS_TO_1970) * DAY_S + 3600 * (int64_t)date->hour +
           60 * (int64_t)date->minute + date->second;
}

static char *write_digits(char *out, char before, uint32_t number, int count)
{
    char digits[10];
    int length = 0;

    if (before != '\0')
        *out++ = before;
    do {
        digits[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || length < count);
    while (length > 0)
        *out++ = digits[--length];
    return out;
}

char *sql_date_write(char *out, const struct sql_date *date)
{
    out = write_digits(out, '\0', date->year, 4);
    out = write_digits(out, '-', date->month, 2);
    out = write_digits(out, '-', date->day, 2);
    out = write_digits(out, ' ', date->hour, 2);
    out = write_digits(out, ':', date->minute, 2);
    return write_digits(out, ':', date->second, 2);
}

/* Reads digits and, if end is not NUL, that character after them; returns what
   follows, or NULL. */
static const char *read_digits(const char *text, char end, uint32_t *number)
{
    size_t length = 0;

    *number = 0;
    for (; text[length] >= '0' && text[length] <= '9' && length < 7; length++)
        *number = 10 * *number + (uint32_t)(text[length] - '0');
    if (length == 0 || (end != '\0' && text[length] != end))
        return NULL;
    return text + length + (end != '\0' ? 1 : 0);
}

int sql_date_read(const char *text, int64_t *time_s)
{
    struct sql_date date;
    uint32_t *const parts[] = { &date.year, &date.month,  &date.day,
                                &date.hour, &date.minute, &date.second };
    static const char ends[] = "-- ::";

    for (int i = 0; i < 6; i++) {
        text = read_digits(text, ends[i], parts[i]);
        if (text == NULL)
            return -1;
    }
    *time_s = sql_date_s(&date);
    if (*text == '\0')
        return 0;
    const int64_t sign = *text == '-' ? -1 : 1;
    if (*text != '-' && *text != '+')
        return -1;
    for (int64_t unit = 3600; unit > 0 && *text != '\0'; unit /= 60) {
        uint32_t offset;

        text = read_digits(text + 1, '\0', &offset);
        if (text == NULL)
            return -1;
        *time_s -= sign * unit * offset;
    }
    return *text == '\0' ? 0 : -1;
}
