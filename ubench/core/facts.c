/* SPDX-License-Identifier: ISC */
#include "core/facts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void facts_add(struct facts *facts, const char *key, const char *format, ...)
{
    va_list args;

    assert(facts->count < FACTS_MAX);
    struct fact *const fact = &facts->items[facts->count++];
    (void)snprintf(fact->key, sizeof fact->key, "%s", key);
    va_start(args, format);
    (void)vsnprintf(fact->value, sizeof fact->value, format, args);
    va_end(args);
}

const char *facts_find(const struct facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (strcmp(facts->items[i].key, key) == 0)
            return facts->items[i].value;
    }
    return NULL;
}
