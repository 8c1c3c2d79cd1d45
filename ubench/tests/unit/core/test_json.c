/* SPDX-License-Identifier: ISC */
#include "core/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

/* The text that write puts between the brackets of an array. */
static void check_json(const char *wanted, void (*write)(struct json *json))
{
    char *text = NULL;
    size_t size;
    struct json json = { .out = open_memstream(&text, &size) };

    assert_non_null(json.out);
    json_begin(&json, NULL, '[');
    write(&json);
    json_end(&json, ']');
    assert_int_equal(fclose(json.out), 0);
    assert_string_equal(text, wanted);
    free(text);
}

static void write_counts(struct json *json)
{
    json_count(json, NULL, 0);
    json_count(json, NULL, UINT64_MAX - 1);
    json_count(json, NULL, JSON_UNKNOWN);
}

static void write_flags(struct json *json)
{
    json_flag(json, NULL, true);
    json_flag(json, NULL, false);
    json_null(json, NULL);
}

/* A quotation mark, a backslash, controls, UTF-8, what is none, and a mark that
   turns the direction of text. */
static void write_texts(struct json *json)
{
    json_text(json, NULL, "");
    json_text(json, NULL, "a\"b\\c/d");
    json_text(json, NULL, "\x1b[31m\n\t\x7f");
    json_text(json, NULL, "caf\xc3\xa9 \xff\xc3 \xe2\x80\xae.");
}

static void write_nested(struct json *json)
{
    json_begin(json, NULL, '{');
    json_end(json, '}');
    json_begin(json, NULL, '{');
    json_begin(json, "empty", '[');
    json_end(json, ']');
    json_count(json, "n\"", 1);
    json_begin(json, "in", '{');
    json_flag(json, "x", true);
    json_end(json, '}');
    json_text(json, "last", "y");
    json_end(json, '}');
    json_count(json, NULL, 2);
}

static void write_properties(struct json *json)
{
    struct properties properties = { 0 };

    json_properties(json, NULL, &properties);
    properties_add(&properties, "a", "1");
    properties_add(&properties, "b", "2");
    properties_add(&properties, "a", "3");
    json_properties(json, NULL, &properties);
}

TEST(writes_json)
{
    check_json("[0,18446744073709551614,null]", write_counts);
    check_json("[true,false,null]", write_flags);
    check_json("[\"\",\"a\\\"b\\\\c/d\",\"?[31m???\",\"caf\xc3\xa9 ?? ?.\"]", write_texts);
    check_json("[{},{\"empty\":[],\"n\\\"\":1,\"in\":{\"x\":true},\"last\":"
               "\"y\"},2]",
               write_nested);
    check_json("[{},{\"a\":\"3\",\"b\":\"2\"}]", write_properties);
}

TEST(real_numbers_are_read_back_as_they_were)
{
    static const double values[] = {
        0,
        0.1,
        1.0 / 3,
        1e-300,
        1.7976931348623157e308,
        5e-324,
        123456789.123,
        17337783.364396863,
        1e15 + 0.3,
        2,
    };

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        char *text = NULL;
        size_t size;
        struct json json = { .out = open_memstream(&text, &size) };

        assert_non_null(json.out);
        json_real(&json, NULL, values[i]);
        assert_int_equal(fclose(json.out), 0);
        check(text, memcmp(&(double){ strtod(text, NULL) }, &values[i], sizeof values[i]) == 0,
              "the same number");
        free(text);
    }
}

static void write_no_numbers(struct json *json)
{
    json_real(json, NULL, (double)NAN);
    json_real(json, NULL, (double)INFINITY);
    json_real(json, NULL, 0.5);
}

TEST(no_number_is_null)
{
    check_json("[null,null,0.5]", write_no_numbers);
}

static void write_rates(struct json *json)
{
    json_positive(json, NULL, 0);
    json_positive(json, NULL, -1);
    json_positive(json, NULL, (double)NAN);
    json_positive(json, NULL, 0.5);
}

TEST(no_rate_is_null)
{
    check_json("[null,null,null,0.5]", write_rates);
}
