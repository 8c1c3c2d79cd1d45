/* SPDX-License-Identifier: ISC */
/*
 * What results are made of, from the tables in record/: "format schema" prints
 * results/schema.json, "format kea.schema" results/kea.schema.json, and "format
 * tables" and "format kea.tables" the tables of results/README.md.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "record/field_rows.h"

/* The tables of objects, each once: those of an object behind it. */
struct tables {
    size_t count;
    const struct field_table *items[32];
};

static bool is_nested(const struct field *field)
{
    return field->kind == FIELD_OBJECT || field->kind == FIELD_POINTER ||
           field->kind == FIELD_LIST;
}

static void add_table(struct tables *tables, const struct field_table *table)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (tables->items[i] == table)
            return;
    }
    tables->items[tables->count++] = table;
}

/* The members of a part are those of the object around it. */
static void add_nested(struct tables *tables, const struct field_table *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->rows[i].kind == FIELD_PART)
            add_nested(tables, of->rows[i].table);
        else if (is_nested(&of->rows[i]))
            add_table(tables, of->rows[i].table);
    }
}

static struct tables all_tables(const struct field_table *line)
{
    struct tables tables = { 1, { line } };

    for (size_t i = 0; i < tables.count; i++)
        add_nested(&tables, tables.items[i]);
    return tables;
}

static const char *type_of(const struct field *field)
{
    static const char *const types[] = {
        [FIELD_CONSTANT] = "string", [FIELD_TEXT] = "string",
        [FIELD_FLAG] = "boolean",    [FIELD_COUNT] = "integer",
        [FIELD_REAL] = "number",     [FIELD_FIGURE] = "number",
        [FIELD_CLASS] = "string",    [FIELD_PROPERTIES] = "object",
        [FIELD_OBJECT] = "object",   [FIELD_POINTER] = "object",
        [FIELD_PART] = "object",     [FIELD_LIST] = "array",
        [FIELD_TUPLE] = "array",     [FIELD_TUPLES] = "array",
    };

    return types[field->kind];
}

/* Tables in Markdown */

static void print_members(const struct field_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *const field = &table->rows[i];

        if (field->kind == FIELD_PART) {
            print_members(field->table);
            continue;
        }
        (void)printf("| `%s` | ", field->name);
        if (is_nested(field))
            (void)printf("[%s](#%s)%s", field->table->name, field->table->name,
                         field->kind == FIELD_LIST ? " array" : "");
        else
            (void)printf("%s", type_of(field));
        (void)printf("%s | %s |\n",
                     (field->flags & FIELD_NULL) != 0 ? " or null" : "",
                     field->help);
    }
}

/* What both formats have is described once. */
static void print_tables(const struct field_table *line)
{
    const struct tables tables = all_tables(line);

    for (size_t i = 0; i < tables.count; i++) {
        if (line != &record_fields && tables.items[i] == &durability_fields)
            continue;
        (void)printf("%s### %s\n\n| member | type | meaning |\n|---|---|---|\n",
                     i > 0 ? "\n" : "", tables.items[i]->name);
        print_members(tables.items[i]);
    }
}

/* JSON Schema.  No pattern of the table has to be quoted in JSON. */

static void print_value(const struct field *field);

static void print_tuple(const struct field_table *table)
{
    (void)printf("{\"type\": \"array\", \"minItems\": %zu, "
                 "\"additionalItems\": false, \"items\": [",
                 table->count);
    for (size_t i = 0; i < table->count; i++) {
        (void)printf("%s", i > 0 ? ", " : "");
        print_value(&table->rows[i]);
    }
    (void)printf("]}");
}

static void print_reference(const struct field_table *table)
{
    (void)printf("{\"$ref\": \"#/definitions/%s\"}", table->name);
}

static void print_list(const struct field *field)
{
    (void)printf("{\"type\": \"array\", \"minItems\": %d, \"items\": ",
                 (field->flags & FIELD_FILLED) != 0);
    if (field->kind == FIELD_LIST)
        print_reference(field->table);
    else
        print_tuple(field->table);
    (void)printf("}");
}

/* Of a text, a number, or an object of texts. */
static void print_plain(const struct field *field)
{
    /* 0 is not written where it is no value. */
    const bool positive = field->kind == FIELD_REAL &&
                          (field->flags & (FIELD_NULL | FIELD_OUT)) != 0;

    (void)printf("{\"type\": \"%s\"", type_of(field));
    if (strstr("integer number", type_of(field)) != NULL)
        (void)printf(", \"%s\": %d", positive ? "exclusiveMinimum" : "minimum",
                     (field->flags & FIELD_ABOVE_0) != 0);
    if (field->kind == FIELD_PROPERTIES)
        (void)printf(", \"propertyNames\": {\"pattern\": \"%s\"}, "
                     "\"additionalProperties\": {\"type\": \"string\"}",
                     field->pattern);
    else if (field->pattern != NULL)
        (void)printf(", \"pattern\": \"%s\"", field->pattern);
    (void)printf("}");
}

static void print_value(const struct field *field)
{
    const bool nullable = (field->flags & FIELD_NULL) != 0;

    (void)printf("%s", nullable ? "{\"anyOf\": [{\"type\": \"null\"}, " : "");
    if (field->kind == FIELD_CONSTANT)
        (void)printf("{\"const\": \"%s\"}", field->pattern);
    else if (field->kind == FIELD_TUPLE)
        print_tuple(field->table);
    else if (field->kind == FIELD_LIST || field->kind == FIELD_TUPLES)
        print_list(field);
    else if (field->table != NULL)
        print_reference(field->table);
    else
        print_plain(field);
    (void)printf("%s", nullable ? "]}" : "");
}

/* What is always written. */
static void print_required(const struct field_table *table)
{
    const char *separator = "";

    for (size_t i = 0; i < table->count; i++) {
        if ((table->rows[i].flags & FIELD_OUT) != 0)
            continue;
        (void)printf("%s\"%s\"", separator, table->rows[i].name);
        separator = ", ";
    }
}

static void print_properties(const struct field_table *table,
                             const char *separator)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *const field = &table->rows[i];

        if (field->kind == FIELD_PART) {
            print_properties(field->table, separator);
            continue;
        }
        (void)printf("%s\n        \"%s\": ", separator, field->name);
        print_value(field);
        separator = ",";
    }
}

static void print_schema(const struct field_table *line, const char *title)
{
    const struct tables tables = all_tables(line);

    (void)printf("{\n  \"$schema\": "
                 "\"http://json-schema.org/draft-07/schema#\",\n"
                 "  \"title\": \"%s\",\n"
                 "  \"allOf\": [{\"$ref\": \"#/definitions/%s\"}],\n"
                 "  \"definitions\": {\n",
                 title, line->name);
    for (size_t i = 0; i < tables.count; i++) {
        (void)printf("    \"%s\": {\n      \"type\": \"object\",\n"
                     "      \"additionalProperties\": false,\n"
                     "      \"required\": [",
                     tables.items[i]->name);
        print_required(tables.items[i]);
        (void)printf("],\n      \"properties\": {");
        print_properties(tables.items[i], "");
        (void)printf("\n      }\n    }%s\n", i + 1 < tables.count ? "," : "");
    }
    (void)printf("  }\n}\n");
}

int main(int argc, char **argv)
{
    const char *const what = argc == 2 ? argv[1] : "";

    if (strcmp(what, "schema") == 0)
        print_schema(&record_fields, record_format);
    else if (strcmp(what, "kea.schema") == 0)
        print_schema(&server_fields, server_format);
    else if (strcmp(what, "tables") == 0)
        print_tables(&record_fields);
    else if (strcmp(what, "kea.tables") == 0)
        print_tables(&server_fields);
    else
        return 2;
    return fflush(stdout) != 0;
}
