/* SPDX-License-Identifier: ISC */
#include "core/lines.h"

#include <errno.h>
#include <stdlib.h>

static bool make_room(struct lines *lines)
{
    const size_t more = lines->room > 0 ? 2 * lines->room : 256;
    const size_t room = more < lines->max ? more : lines->max + 1;
    char *const text = realloc(lines->text, room);

    if (text == NULL)
        return false;
    lines->text = text;
    lines->room = room;
    return true;
}

bool lines_next(struct lines *lines)
{
    int c;

    lines->length = 0;
    lines->too_long = false;
    while ((c = getc_unlocked(lines->file)) != EOF && c != '\n') {
        if (lines->length == lines->max)
            lines->too_long = true;
        else if (lines->length + 1 >= lines->room && !make_room(lines))
            return false;
        else
            lines->text[lines->length++] = (char)c;
    }
    lines->cut = c == EOF;
    if (ferror(lines->file) || (lines->cut && lines->length == 0) ||
        (lines->room == 0 && !make_room(lines)))
        return false;
    lines->text[lines->length] = '\0';
    return true;
}

void lines_release(struct lines *lines)
{
    free(lines->text);
    lines->text = NULL;
    lines->room = 0;
}
