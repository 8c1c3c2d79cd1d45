/* SPDX-License-Identifier: ISC */
#include "core/nearest.h"

#include <stdbool.h>
#include <string.h>

/* Returns true if a and b, without their common beginning and end, differ by at
   most one missing, extra, wrong or swapped letter. */
static bool is_near(const char *a, const char *b)
{
    size_t left_a = strlen(a);
    size_t left_b = strlen(b);

    for (; left_a > 0 && left_b > 0 && *a == *b; a++, b++) {
        left_a--;
        left_b--;
    }
    while (left_a > 0 && left_b > 0 && a[left_a - 1] == b[left_b - 1]) {
        left_a--;
        left_b--;
    }
    return (left_a <= 1 && left_b <= 1) ||
           (left_a == 2 && left_b == 2 && a[0] == b[1] && a[1] == b[0]);
}

void nearest_try(struct nearest *nearest, const char *name)
{
    if (nearest->name == NULL && strlen(name) > 2 && is_near(nearest->typed, name))
        nearest->name = name;
}

int nearest_add(const struct nearest *nearest, const char *before, struct err *err)
{
    if (nearest->name != NULL && strcmp(nearest->name, nearest->typed) != 0)
        err_add(err, "; did you mean %s%s?", before, nearest->name);
    return -1;
}
