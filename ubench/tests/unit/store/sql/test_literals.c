/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <stdio.h>

#include "tests/lib/check.h"

static const struct {
    const char *text;
    int64_t time_s;
} dates[] = {
    { "0001-01-01 00:00:00", INT64_C(-62135596800) },
    { "1969-12-31 23:59:59", -1 },
    { "1970-01-01 00:00:00", 0 },
    { "2000-02-29 12:00:00", 951825600 },
    { "2000-03-01 00:00:00", 951868800 },
    { "2038-01-19 03:14:07", INT32_MAX },
    { "2100-02-28 23:59:59", INT64_C(4107542399) },
    { "9999-12-31 23:59:59", INT64_C(253402300799) },
    { "294276-12-31 23:59:59", INT64_C(9224318015999) },
};

TEST(dates_go_both_ways)
{
    for (size_t i = 0; i < COUNT_OF(dates); i++) {
        char text[SQL_TIME_SIZE];
        char quoted[SQL_TIME_SIZE];
        struct sql_value value = { .number = 0 };

        (void)snprintf(quoted, sizeof quoted, "'%s+00'", dates[i].text);
        assert_ptr_equal(sql_write_time(text, "+00", dates[i].time_s), text + strlen(quoted));
        assert_string_equal(text, quoted);
        assert_int_equal(sql_read_text(&value, SQL_TIME, dates[i].text, 0), 0);
        assert_true(value.number == dates[i].time_s);
    }
}

TEST(an_offset_is_taken_off)
{
    static const struct {
        const char *text;
        int64_t time_s; /* -1: it is no date */
    } texts[] = {
        { "1970-01-01 00:00:10+00", 10 },
        { "1970-01-01 05:30:10+05:30", 10 },
        { "1969-12-31 19:00:10-05", 10 },
        { "1970-01-01 00:19:42+00:19:32", 10 },
        { "1970-01-01", -1 },
        { "1970-01-01 00:00:10x", -1 },
        { "1970-01-01 00:00:10+", -1 },
        { "infinity", -1 },
        { "", -1 },
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct sql_value value = { .number = 0 };
        const int read = sql_read_text(&value, SQL_TIME, texts[i].text, 0);

        check(texts[i].text,
              texts[i].time_s < 0 ? read == -1 : read == 0 && value.number == texts[i].time_s,
              "what it says");
    }
}
