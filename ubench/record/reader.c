/* SPDX-License-Identifier: ISC */
#include "record/reader.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "record/fields.h"
#include "record/server.h"

static const char format_crash[] = "ubench-crash/1";

/* Where the member is that is being read: "run 2, create". */
struct place {
    char text[96];
};

struct reader {
    struct arena *memory;
    struct place place;
    char complaint[256]; /* the first that there was, or "" */
};

static void complain(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void complain(struct reader *reader, const char *format, ...)
{
    char *const text = reader->complaint;
    const size_t room = sizeof reader->complaint;
    va_list arguments;

    if (text[0] != '\0')
        return;
    const int length = snprintf(text, room, "%s%s", reader->place.text,
                                reader->place.text[0] != '\0' ? ": " : "");
    va_start(arguments, format);
    (void)vsnprintf(text + length, room - (size_t)length, format, arguments);
    va_end(arguments);
}

/* Goes to a place by its name. */
static void enter(struct reader *reader, const char *name)
{
    char *const text = reader->place.text;
    const size_t length = strlen(text);

    (void)snprintf(text + length, sizeof reader->place.text - length, ", %.40s",
                   name);
}

/* Goes to an item of a list: by its number, or else by its first member. */
static void enter_item(struct reader *reader, const struct field *list,
                       size_t i, const json_t *item)
{
    const char *const name =
        json_string_value(json_object_get(item, list->table->rows[0].name));

    if (list->place != NULL)
        (void)snprintf(reader->place.text, sizeof reader->place.text, "%s %zu",
                       list->place, i + 1);
    else if (!json_is_object(item))
        complain(reader, "a %s is not an object", list->table->name);
    else if (name != NULL)
        enter(reader, name);
}

/* What a member has to be. */
static const struct {
    json_type type; /* JSON_REAL: any number; JSON_TRUE: or false */
    const char *complaint;
} wanted[] = {
    [FIELD_CONSTANT] = { JSON_STRING, "is not a text" },
    [FIELD_TEXT] = { JSON_STRING, "is not a text" },
    [FIELD_FLAG] = { JSON_TRUE, "is neither true nor false" },
    [FIELD_COUNT] = { JSON_INTEGER, "is not a whole number" },
    [FIELD_REAL] = { JSON_REAL, "is not a number from 0 on" },
    [FIELD_FIGURE] = { JSON_REAL, "is not a number from 0 on" },
    [FIELD_CLASS] = { JSON_STRING, "is not a text" },
    [FIELD_PROPERTIES] = { JSON_OBJECT, "is not an object" },
    [FIELD_OBJECT] = { JSON_OBJECT, "is not an object" },
    [FIELD_POINTER] = { JSON_OBJECT, "is not an object" },
    [FIELD_LIST] = { JSON_ARRAY, "is not an array" },
    [FIELD_TUPLE] = { JSON_ARRAY, "is not an array" },
    [FIELD_TUPLES] = { JSON_ARRAY, "is not an array" },
};

static bool fits(enum field_kind kind, const json_t *value)
{
    const json_type type = wanted[kind].type;

    if (json_is_number(value))
        return json_number_value(value) >= 0 &&
               (type == JSON_REAL || type == json_typeof(value));
    return value != NULL && (type == json_typeof(value) ||
                             (type == JSON_TRUE && json_is_false(value)));
}

/* Makes a struct that has no values; it is zeroed. */
static void clear(const struct field_table *table, char *item)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *const field = &table->rows[i];
        void *const to = item + field->offset;

        if (field->kind == FIELD_TEXT)
            *(const char **)to = "";
        else if (field->kind == FIELD_FIGURE)
            *(double *)to = NAN;
        else if (field->kind == FIELD_COUNT &&
                 (field->flags & FIELD_ABOVE_0) == 0)
            *(uint64_t *)to = RECORD_UNKNOWN;
        else if (field->kind == FIELD_OBJECT || field->kind == FIELD_TUPLE)
            clear(field->table, to);
    }
}

static void read_number(struct reader *reader, const struct field *field,
                        const json_t *value, char *item)
{
    void *const to = item + field->offset;

    if (json_integer_value(value) > (json_int_t)RECORD_NUMBER_MAX)
        complain(reader, "%s is %" JSON_INTEGER_FORMAT ", above %" PRIu64,
                 field->name, json_integer_value(value), RECORD_NUMBER_MAX);
    else if (json_real_value(value) > (double)RECORD_NUMBER_MAX)
        complain(reader, "%s is %g, above %" PRIu64, field->name,
                 json_real_value(value), RECORD_NUMBER_MAX);
    if (field->kind == FIELD_COUNT)
        *(uint64_t *)to = (uint64_t)json_integer_value(value);
    else
        *(double *)to = json_number_value(value);
}

static void read_tuple(struct reader *reader, const struct field *field,
                       const json_t *array, char *item)
{
    for (size_t i = 0; i < field->table->count; i++) {
        const struct field *const row = &field->table->rows[i];
        const json_t *const value = json_array_get(array, i);

        if (!fits(row->kind, value))
            complain(reader, "%s is not of %s", field->name, field->place);
        else
            read_number(reader, row, value, item);
    }
}

static void read_class(struct reader *reader, const struct field *field,
                       const json_t *name, char *item)
{
    void *const to = item + field->offset;

    *(bool *)(item + field->second) = true;
    if (durability_scan(json_string_value(name), to) != 0)
        complain(reader, "%s is not one that is known", field->name);
}

static void read_properties(struct reader *reader, json_t *object, void *to)
{
    struct record_properties *const properties = to;
    struct record_property *const items =
        arena_alloc(reader->memory, json_object_size(object), sizeof *items);
    const char *name;
    json_t *value;

    properties->items = items;
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value))
            complain(reader, "%.80s %s", name, wanted[FIELD_TEXT].complaint);
        else
            items[properties->count++] = (struct record_property){
                record_copy_text(reader->memory, name),
                record_copy_text(reader->memory, json_string_value(value)),
            };
    }
}

static void read_member(struct reader *reader, const struct field *field,
                        json_t *object, char *item);

/* A count of an item, by its name; RECORD_UNKNOWN if it has no value. */
static uint64_t count_of(const struct field_table *table, const char *name,
                         const char *item)
{
    size_t i = 0;

    while (strcmp(table->rows[i].name, name) != 0)
        i++;
    return *(const uint64_t *)(const void *)(item + table->rows[i].offset);
}

static void check_rule(struct reader *reader, const struct field_table *table,
                       const struct field_rule *rule, const char *item)
{
    const uint64_t whole = count_of(table, rule->whole, item);
    uint64_t sum = 0;
    char names[128];
    size_t length = 0;

    for (size_t i = 0; rule->parts[i] != NULL; i++) {
        const uint64_t part = count_of(table, rule->parts[i], item);

        if (part == RECORD_UNKNOWN)
            return;
        sum += part;
        length += (size_t)snprintf(names + length, sizeof names - length,
                                   "%s%s", i > 0 ? " + " : "", rule->parts[i]);
    }
    if (whole < sum || (rule->exact && whole != sum && whole != RECORD_UNKNOWN))
        complain(reader, "%s is %" PRIu64 ", and %s is %" PRIu64, rule->whole,
                 whole, names, sum);
}

/* What is no object reads as one with nothing in it. */
static void read_item(struct reader *reader, const struct field_table *table,
                      json_t *object, char *item)
{
    struct field_fault fault = { .place = NULL };

    for (size_t i = 0; i < table->count; i++)
        read_member(reader, &table->rows[i], object, item);
    for (const struct field_rule *rule = table->rules;
         rule != NULL && rule->whole != NULL; rule++)
        check_rule(reader, table, rule, item);
    if (table->finish != NULL)
        table->finish(item, &fault);
    if (fault.text[0] == '\0')
        return;
    if (fault.place != NULL)
        enter(reader, fault.place);
    complain(reader, "%s", fault.text);
}

/* Some structs without values, to which the item's field points now. */
static char *add_items(struct reader *reader, const struct field *field,
                       size_t count, char *item)
{
    const size_t size = field->table->size;
    char *const items = arena_alloc(reader->memory, count, size);

    memset(items, 0, count * size);
    for (size_t i = 0; i < count; i++)
        clear(field->table, items + i * size);
    memcpy(item + field->offset, &items, sizeof items);
    return items;
}

static void read_list(struct reader *reader, const struct field *field,
                      const json_t *array, char *item)
{
    const size_t count = json_array_size(array);
    const struct place outside = reader->place;
    char *to = add_items(reader, field, count, item);

    *(size_t *)(void *)(item + field->second) = count;
    if (count == 0 && (field->flags & FIELD_FILLED) != 0)
        complain(reader, "%s are none", field->name);
    for (size_t i = 0; i < count; i++, to += field->table->size) {
        json_t *const element = json_array_get(array, i);

        if (field->kind == FIELD_TUPLES) {
            read_tuple(reader, field, element, to);
            continue;
        }
        enter_item(reader, field, i, element);
        read_item(reader, field->table, element, to);
        reader->place = outside;
    }
}

static void read_value(struct reader *reader, const struct field *field,
                       json_t *value, char *item)
{
    void *const to = item + field->offset;

    switch (field->kind) {
    case FIELD_CONSTANT:
    case FIELD_PART:
        break;
    case FIELD_TEXT:
        *(const char **)to =
            record_copy_text(reader->memory, json_string_value(value));
        break;
    case FIELD_FLAG:
        *(bool *)to = json_is_true(value);
        break;
    case FIELD_COUNT:
    case FIELD_REAL:
    case FIELD_FIGURE:
        read_number(reader, field, value, item);
        break;
    case FIELD_CLASS:
        read_class(reader, field, value, item);
        break;
    case FIELD_PROPERTIES:
        read_properties(reader, value, to);
        break;
    case FIELD_OBJECT:
        read_item(reader, field->table, value, to);
        break;
    case FIELD_POINTER:
        read_item(reader, field->table, value,
                  add_items(reader, field, 1, item));
        break;
    case FIELD_TUPLE:
        read_tuple(reader, field, value, item);
        break;
    case FIELD_LIST:
    case FIELD_TUPLES:
        read_list(reader, field, value, item);
        break;
    }
}

/* Figures of others have no class: no settings were read back. */
static bool is_needed(const struct field *field, const void *item)
{
    if (field->kind == FIELD_CLASS)
        return strcmp(((const struct record *)item)->published, "") == 0;
    return (field->flags & FIELD_NEEDED) != 0;
}

static void read_member(struct reader *reader, const struct field *field,
                        json_t *object, char *item)
{
    json_t *const value = json_object_get(object, field->name);
    const struct place outside = reader->place;

    if (field->kind == FIELD_PART) {
        if (value != NULL)
            read_item(reader, field->table, object,
                      add_items(reader, field, 1, item));
    } else if (value == NULL || json_is_null(value)) {
        if (is_needed(field, item))
            complain(reader, "%s is missing", field->name);
    } else if (!fits(field->kind, value)) {
        complain(reader, "%s %s", field->name, wanted[field->kind].complaint);
    } else {
        if (field->place != NULL && json_is_object(value))
            (void)snprintf(reader->place.text, sizeof reader->place.text, "%s",
                           field->place);
        read_value(reader, field, value, item);
        reader->place = outside;
    }
}

/* A line */

static const struct record *read_record(struct reader *reader,
                                        const struct field_table *table,
                                        json_t *object,
                                        struct record_line *line)
{
    struct record *const record =
        arena_alloc(reader->memory, 1, sizeof *record);

    *record = (struct record){ .file = line->file, .line = line->number };
    clear(&record_fields, (char *)record);
    read_item(reader, table, object, (char *)record);
    if (table == &server_fields && record->server == NULL)
        complain(reader, "command is missing");
    else if (table == &server_fields && reader->complaint[0] == '\0')
        record_server_finish(record, reader->memory);
    line->kind = RECORD_LINE_RESULT;
    return record;
}

/* The format decides what the line is. */
static void read_object(struct reader *reader, json_t *object,
                        struct record_line *line)
{
    const char *const format =
        json_string_value(json_object_get(object, "format"));

    if (format == NULL) {
        complain(reader, "this is no result: it has no format");
    } else if (strcmp(format, format_crash) == 0) {
        line->kind = RECORD_LINE_CRASH;
    } else if (strcmp(format, record_format) == 0) {
        line->record = read_record(reader, &record_fields, object, line);
    } else if (strcmp(format, server_format) == 0) {
        line->record = read_record(reader, &server_fields, object, line);
    } else {
        complain(reader, "the format is '%.80s', and %s is what can be read",
                 format, record_format);
    }
}

static bool is_blank(const struct record_line *line)
{
    return strspn(line->text, " \t\r") == line->length;
}

void record_read(struct record_line *line, struct arena *memory)
{
    struct reader reader = { .memory = memory };
    json_error_t error;

    line->kind = RECORD_LINE_BAD;
    json_t *const object =
        json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, &error);
    if (object != NULL)
        read_object(&reader, object, line);
    else if (is_blank(line))
        complain(&reader, "the line is empty");
    else
        complain(&reader, "the line %s: %.160s",
                 json_error_code(&error) == json_error_premature_end_of_input
                     ? "is cut short"
                     : "is not JSON",
                 error.text);
    json_decref(object);
    if (reader.complaint[0] != '\0') {
        line->kind = RECORD_LINE_BAD;
        line->complaint = record_copy_text(memory, reader.complaint);
    }
}
