/* SPDX-License-Identifier: ISC */
#include "core/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

int err_set_class(struct err *err, enum err_class kind, const char *format, ...)
{
    va_list args;

    err->kind = kind;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    text_clean(err->text);
    return -1;
}

void *err_calloc(size_t count, size_t size, struct err *err)
{
    void *const memory = calloc(count, size);

    if (memory == NULL)
        (void)err_set(err, "out of memory");
    return memory;
}

void err_add(struct err *err, const char *format, ...)
{
    const size_t length = strlen(err->text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(err->text + length, sizeof err->text - length, format, args);
    va_end(args);
    text_clean(err->text);
}
