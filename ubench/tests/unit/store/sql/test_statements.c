/* SPDX-License-Identifier: ISC */
#include "store/sql/session.h"

#include <string.h>

#include "tests/lib/check.h"

/* Each mark as the number of its parameter, the rest as it is. */
static int find(const char *sql, char mark, char *text)
{
    struct sql_statement statement = { .param_count = 0 };

    (void)strcpy(statement.sql, sql);
    const int count = sql_statement_find_marks(&statement, mark);
    const char *in = statement.sql;
    for (size_t i = 0; count >= 0 && i < statement.mark_count; i++) {
        const char *const at = statement.sql + statement.marks[i].at;

        memcpy(text, in, (size_t)(at - in));
        text += at - in;
        *text++ = '<';
        *text++ = (char)('0' + statement.marks[i].param);
        *text++ = '>';
        in = at + statement.marks[i].length;
    }
    (void)strcpy(text, in);
    return count;
}

TEST(marks_are_found_outside_quotes_and_comments)
{
    static const struct {
        const char *sql;
        char mark;
        int count;
        const char *found;
    } rows[] = {
        { "a = ? AND b = ?", '?', 2, "a = <0> AND b = <1>" },
        { "a = '?' AND \"?\" = ?", '?', 1, "a = '?' AND \"?\" = <0>" },
        { "a = 'it''s ?' AND `?` = ?", '?', 1, "a = 'it''s ?' AND `?` = <0>" },
        { "-- ?\na = ? -- 'b\n AND b = ?", '?', 2, "-- ?\na = <0> -- 'b\n AND b = <1>" },
        { "/* ? ' */ a = ? /* ?", '?', 1, "/* ? ' */ a = <0> /* ?" },
        { "a = '?", '?', 0, "a = '?" },
        { "?", '?', 1, "<0>" },
        { "", '?', 0, "" },
        { "a = ?1", '?', -1, "a = ?1" },
        { "a = $2 OR $1 = $2", '$', 2, "a = <1> OR <0> = <1>" },
        { "$1::int", '$', 1, "<0>::int" },
        { "a ? b AND $$c$$ = '$1' AND x$y = $3", '$', 3, "a ? b AND $$c$$ = '$1' AND x$y = <2>" },
        { "$0", '$', -1, "$0" },
        { "$99999999999999999999", '$', -1, "$99999999999999999999" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[256];

        assert_int_equal(find(rows[i].sql, rows[i].mark, text), rows[i].count);
        assert_string_equal(text, rows[i].found);
    }
}

TEST(there_is_an_end_to_marks)
{
    char sql[2 * (SQL_MARKS_MAX + 1) + 1] = "";
    char text[8 * SQL_MARKS_MAX];

    for (size_t i = 0; i < SQL_MARKS_MAX; i++)
        (void)strcpy(sql + 2 * i, "$1");
    assert_int_equal(find(sql, '$', text), 1);
    (void)strcat(sql, "$1");
    assert_int_equal(find(sql, '$', text), -1);
}
