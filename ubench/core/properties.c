/* SPDX-License-Identifier: ISC */
#include "core/properties.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

void properties_add(struct properties *properties, const char *key,
                    const char *format, ...)
{
    va_list args;

    assert(properties->count < PROPERTIES_MAX);
    struct property *const property = &properties->items[properties->count++];
    (void)snprintf(property->key, sizeof property->key, "%s", key);
    va_start(args, format);
    (void)vsnprintf(property->value, sizeof property->value, format, args);
    va_end(args);
    text_clean(property->key);
    text_clean(property->value);
}

const char *properties_find(const struct properties *properties,
                            const char *key)
{
    for (size_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->items[i].key, key) == 0)
            return properties->items[i].value;
    }
    return NULL;
}
