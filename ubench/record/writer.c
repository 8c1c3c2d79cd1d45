/* SPDX-License-Identifier: ISC */
#include "record/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/fields.h"

/* What a field points to. */
static const char *target_of(const struct field *field, const char *item)
{
    const char *target;

    memcpy(&target, item + field->offset, sizeof target);
    return target;
}

static bool has_value(const struct field *field, const char *item)
{
    const void *const at = item + field->offset;

    switch (field->kind) {
    case FIELD_TEXT:
        return target_of(field, item)[0] != '\0';
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
        return target_of(field, item) != NULL;
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
            (void)add_members(object, field->table, target_of(field, item));
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
    const size_t count = *(const size_t *)(const void *)(item + field->second);
    const char *from = target_of(field, item);
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
        return json_string(target_of(field, item));
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
        return add_members(json_object(), field->table, target_of(field, item));
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

/* Files */

static int output_failed(const char *path, struct err *err)
{
    return err_set(err, "--output: %s: %s", path, strerror(errno));
}

/* Writes a line at the end of a file that is locked; all of it or nothing. */
static int write_line(int file, const char *path, const char *line,
                      size_t length, struct err *err)
{
    struct stat before;

    if (fstat(file, &before) != 0)
        return output_failed(path, err);
    while (length > 0) {
        const ssize_t written = write(file, line, length);

        if (written < 0) {
            (void)output_failed(path, err);
            if (S_ISREG(before.st_mode))
                (void)ftruncate(file, before.st_size);
            return -1;
        }
        line += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Two runners never write at once: what cannot be locked (a pipe) is not
   shared. */
static int append_line(const char *path, const char *line, size_t length,
                       struct err *err)
{
    const int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    if (file < 0)
        return output_failed(path, err);
    (void)flock(file, LOCK_EX);
    const int status = write_line(file, path, line, length, err);
    if (close(file) != 0 && status == 0)
        return output_failed(path, err);
    return status;
}

int writer_append(char *line, const char *path, struct err *err)
{
    if (line == NULL)
        return err_set(err, "--output: %s: out of memory", path);
    const size_t length = strlen(line);

    line[length] = '\n'; /* in the place of the NUL */
    const int status = append_line(path, line, length + 1, err);
    free(line);
    return status;
}

/* A file that is not there yet: can it be made? */
static int check_folder(const char *path, struct err *err)
{
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%s", path);
    return path[0] != '\0' && access(dirname(folder), W_OK | X_OK) == 0
               ? 0
               : output_failed(path, err);
}

int writer_check_path(const char *path, struct err *err)
{
    struct stat status;
    char first = '{';

    /* Not to wait for whoever reads a pipe. */
    const int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? check_folder(path, err)
                               : output_failed(path, err);
    const bool readable = fstat(file, &status) == 0 &&
                          S_ISREG(status.st_mode) && read(file, &first, 1) >= 0;
    (void)close(file);
    if (readable && first != '{')
        return err_set(err,
                       "--output: %s: has something else than results in "
                       "it",
                       path);
    return 0;
}
