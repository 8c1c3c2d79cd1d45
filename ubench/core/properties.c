/* SPDX-License-Identifier: ISC */
#include "core/properties.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* Returns the position of a key, or the count if it is new. */
static size_t find(const struct properties *properties, const char *key)
{
    size_t i = 0;

    while (i < properties->count && strcmp(properties->items[i].key, key) != 0)
        i++;
    return i;
}

void properties_add(struct properties *properties, const char *key, const char *format, ...)
{
    struct property added;
    va_list args;

    (void)snprintf(added.key, sizeof added.key, "%s", key);
    va_start(args, format);
    (void)vsnprintf(added.value, sizeof added.value, format, args);
    va_end(args);
    text_clean(added.key);
    text_clean(added.value);
    const size_t i = find(properties, added.key);
    assert(i < PROPERTIES_MAX);
    properties->items[i] = added;
    properties->count += i == properties->count;
}

const char *properties_find(const struct properties *properties, const char *key)
{
    const size_t i = find(properties, key);

    return i < properties->count ? properties->items[i].value : NULL;
}
