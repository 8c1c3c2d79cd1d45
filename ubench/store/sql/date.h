/* SPDX-License-Identifier: ISC */
/* Dates and times in UTC, as SQL writes them. */
#ifndef UBENCH_STORE_SQL_DATE_H
#define UBENCH_STORE_SQL_DATE_H

#include <stdint.h>

struct sql_date {
    uint32_t year; /* from 1 on */
    uint32_t month;
    uint32_t day;
    uint32_t hour;
    uint32_t minute;
    uint32_t second;
};

/* Both ways, in Unix seconds. */
struct sql_date sql_date_of(int64_t time_s);
int64_t sql_date_s(const struct sql_date *date);

/* Writes "2030-03-17 17:46:40" and returns its end. */
char *sql_date_write(char *out, const struct sql_date *date);

/* Reads that, or the same with an offset from UTC at its end: "+00", "+05:30".
   Returns 0, or -1 if it is something else. */
int sql_date_read(const char *text, int64_t *time_s);

#endif
