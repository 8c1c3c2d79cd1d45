/* SPDX-License-Identifier: ISC */
#include "core/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/text.h"

/* Writes a text from any source: replaces control characters and bytes that are
   not UTF-8 by question marks. */
static void write_text(FILE *out, const char *text)
{
    bool clean;

    (void)fputc('"', out);
    for (size_t length; *text != '\0'; text += length) {
        length = text_character(text, &clean);
        if (*text == '"' || *text == '\\')
            (void)fputc('\\', out);
        (void)fwrite(clean ? text : "?", 1, clean ? length : 1, out);
    }
    (void)fputc('"', out);
}

/* Writes the comma before a value, and the member's name. */
static void begin_value(struct json *json, const char *name)
{
    if (json->more)
        (void)fputc(',', json->out);
    json->more = true;
    if (name == NULL)
        return;
    write_text(json->out, name);
    (void)fputc(':', json->out);
}

void json_text(struct json *json, const char *name, const char *text)
{
    begin_value(json, name);
    if (text != NULL)
        write_text(json->out, text);
    else
        (void)fputs("null", json->out);
}

void json_null(struct json *json, const char *name)
{
    json_text(json, name, NULL);
}

void json_flag(struct json *json, const char *name, bool flag)
{
    begin_value(json, name);
    (void)fputs(flag ? "true" : "false", json->out);
}

void json_count(struct json *json, const char *name, uint64_t count)
{
    begin_value(json, name);
    if (count != JSON_UNKNOWN)
        (void)fprintf(json->out, "%" PRIu64, count);
    else
        (void)fputs("null", json->out);
}

void json_real(struct json *json, const char *name, double value)
{
    char digits[32] = "null";
    int precision = 15;

    if (isfinite(value)) {
        do {
            (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
        } while (precision++ < 17 && strtod(digits, NULL) != value);
    }
    begin_value(json, name);
    (void)fputs(digits, json->out);
}

void json_positive(struct json *json, const char *name, double value)
{
    json_real(json, name, value > 0 ? value : (double)NAN);
}

void json_properties(struct json *json, const char *name, const struct properties *properties)
{
    json_begin(json, name, '{');
    for (size_t i = 0; i < properties->count; i++)
        json_text(json, properties->items[i].key, properties->items[i].value);
    json_end(json, '}');
}

void json_begin(struct json *json, const char *name, char bracket)
{
    begin_value(json, name);
    (void)fputc(bracket, json->out);
    json->more = false;
}

void json_end(struct json *json, char bracket)
{
    (void)fputc(bracket, json->out);
    json->more = true;
}

char *json_line(void (*write)(struct json *json, const void *subject), const void *subject)
{
    char *line = NULL;
    size_t size;
    struct json json = { .out = open_memstream(&line, &size) };

    if (json.out == NULL)
        return NULL;
    write(&json, subject);
    const bool failed = ferror(json.out) != 0;
    if (fclose(json.out) == 0 && !failed)
        return line;
    free(line);
    return NULL;
}
