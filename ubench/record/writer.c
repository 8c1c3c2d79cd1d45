/* SPDX-License-Identifier: ISC */
#include "record/writer.h"

#include <jansson.h>
#include <math.h>

#include "record/fields.h"

static bool has_value(const struct field *field, const char *item)
{
    const void *const at = item + field->offset;

    switch (field->kind) {
    case FIELD_TEXT:
        return field_items(field, item, NULL)[0] != '\0';
    case FIELD_COUNT:
        return *(const uint64_t *)at !=
               ((field->flags & FIELD_ABOVE_0) != 0 ? 0 : RECORD_UNKNOWN);
    case FIELD_REAL:
        return *(const double *)at > 0;
    case FIELD_FIGURE:
        return isfinite(*(const double *)at);
    case FIELD_CLASS:
        return *(const bool *)(item + field->second);
    case FIELD_OBJECT:
        return has_value(&field->table->rows[0], at);
    case FIELD_POINTER:
    case FIELD_PART:
    case FIELD_LIST:
    case FIELD_TUPLES:
        return field_items(field, item, NULL) != NULL;
    case FIELD_CONSTANT:
    case FIELD_FLAG:
    case FIELD_PROPERTIES:
    case FIELD_TUPLE:
        break;
    }
    return true;
}

static json_t *properties_json(const struct record_properties *properties)
{
    json_t *const object = json_object();

    for (size_t i = 0; i < properties->count; i++)
        (void)json_object_set_new(object, properties->items[i].key,
                                  json_string(properties->items[i].value));
    return object;
}

static json_t *value_json(const struct field *field, const char *item);

/* Adds the members of an item to its object. */
static json_t *add_members(json_t *object, const struct field_table *table,
                           const char *item)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *const field = &table->rows[i];

        if ((field->flags & FIELD_OUT) != 0 && !has_value(field, item))
            continue;
        if (field->kind == FIELD_PART)
            (void)add_members(object, field->table,
                              field_items(field, item, NULL));
        else
            (void)json_object_set_new_nocheck(object, field->name,
                                              value_json(field, item));
    }
    return object;
}

static json_t *tuple_json(const struct field_table *table, const char *item)
{
    json_t *const array = json_array();

    for (size_t i = 0; i < table->count; i++)
        (void)json_array_append_new(array, value_json(&table->rows[i], item));
    return array;
}

/* Of objects, or of tuples. */
static json_t *list_json(const struct field *field, const char *item)
{
    size_t count;
    const char *from = field_items(field, item, &count);
    json_t *const array = json_array();

    for (size_t i = 0; i < count; i++, from += field->table->size)
        (void)json_array_append_new(
            array, field->kind == FIELD_LIST
                       ? add_members(json_object(), field->table, from)
                       : tuple_json(field->table, from));
    return array;
}

static json_t *value_json(const struct field *field, const char *item)
{
    const void *const at = item + field->offset;

    if ((field->flags & FIELD_NULL) != 0 && !has_value(field, item))
        return json_null();
    switch (field->kind) {
    case FIELD_CONSTANT:
        return json_string(field->pattern);
    case FIELD_TEXT:
        return json_string(field_items(field, item, NULL));
    case FIELD_FLAG:
        return json_boolean(*(const bool *)at);
    case FIELD_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case FIELD_REAL:
    case FIELD_FIGURE:
        return json_real(*(const double *)at);
    case FIELD_CLASS:
        return json_string(durability_name(*(const enum durability *)at));
    case FIELD_PROPERTIES:
        return properties_json(at);
    case FIELD_OBJECT:
        return add_members(json_object(), field->table, at);
    case FIELD_POINTER:
        return add_members(json_object(), field->table,
                           field_items(field, item, NULL));
    case FIELD_TUPLE:
        return tuple_json(field->table, item);
    case FIELD_LIST:
    case FIELD_TUPLES:
        return list_json(field, item);
    case FIELD_PART:
        break;
    }
    return json_null();
}

char *record_write(const struct record *record)
{
    json_t *const line =
        add_members(json_object(), &record_fields, (const char *)record);
    char *const text = json_dumps(line, JSON_COMPACT);

    json_decref(line);
    return text;
}
