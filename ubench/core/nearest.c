/* SPDX-License-Identifier: ISC */
#include "core/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 40, FAR = LENGTH_MAX };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: Levenshtein's distance, with swapped neighbours as
   one step.  (Damerau, "A technique for computer detection and correction of
   spelling errors", CACM 1964.) */
static size_t distance(const char *a, const char *b)
{
    const size_t rows = strlen(a);
    const size_t columns = strlen(b);
    size_t d[LENGTH_MAX + 1][LENGTH_MAX + 1];

    if (rows > LENGTH_MAX || columns > LENGTH_MAX)
        return FAR;
    for (size_t i = 0; i <= rows; i++)
        d[i][0] = i;
    for (size_t k = 0; k <= columns; k++)
        d[0][k] = k;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t k = 1; k <= columns; k++) {
            const bool same = a[i - 1] == b[k - 1];

            d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
                            d[i - 1][k - 1] + !same);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
        }
    }
    return d[rows][columns];
}

void nearest_try(struct nearest *nearest, const char *name)
{
    const size_t found = distance(nearest->typed, name);

    if (found > 2 || 2 * found >= strlen(name) ||
        (nearest->name != NULL && found >= nearest->distance))
        return;
    nearest->name = name;
    nearest->distance = found;
}

const char *nearest_hint(const struct nearest *nearest, const char *before,
                         char text[static NEAREST_HINT_SIZE])
{
    text[0] = '\0';
    if (nearest->name != NULL && nearest->distance > 0)
        (void)snprintf(text, NEAREST_HINT_SIZE, "; did you mean %s%s?", before,
                       nearest->name);
    return text;
}
