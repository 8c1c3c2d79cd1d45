/* SPDX-License-Identifier: ISC */
/* Reads the values that both formats use. */
#include "demand/record.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>

#include "core/random.h"

uint64_t record_hash(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *const from = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ from[i]) * UINT64_C(1099511628211); /* FNV-1a */
    return random_mix(hash);
}

int record_address(const char *text, enum lease_family family, struct lease_address *address)
{
    uint32_t v4;
    uint64_t v6[2];

    if (family == LEASE_FAMILY_V4) {
        if (inet_pton(AF_INET, text, &v4) != 1)
            return -1;
        *address = lease_address_v4(be32toh(v4));
        return 0;
    }
    if (inet_pton(AF_INET6, text, v6) != 1)
        return -1;
    *address = (struct lease_address){ .high = be64toh(v6[0]), .low = be64toh(v6[1]) };
    return 0;
}

/* Returns the days from 1970-01-01 to a date of the Gregorian calendar.
   Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
   days_from_civil. */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    enum { DAYS_OF_400_YEARS = 146097, DAYS_TO_1970 = 719468 };
    const int64_t shifted = year - (month <= 2);
    const int64_t era = shifted / 400;
    const int64_t year_of_era = shifted - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * DAYS_OF_400_YEARS + day_of_era - DAYS_TO_1970;
}

int record_time(const char *text, int64_t *time_s)
{
    unsigned parts[6];

    if (sscanf(text, "%4u%*1[-/]%2u%*1[-/]%2u%*1[ T]%2u:%2u:%2u", &parts[0], &parts[1], &parts[2],
               &parts[3], &parts[4], &parts[5]) != 6)
        return -1;
    if (parts[0] < 1970 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > 31 ||
        parts[3] > 23 || parts[4] > 59 || parts[5] > 60)
        return -1;
    *time_s = days_since_1970(parts[0], parts[1], parts[2]) * 86400 + (int64_t)parts[3] * 3600 +
              (int64_t)parts[4] * 60 + parts[5];
    return 0;
}
