/* SPDX-License-Identifier: ISC */
#include "record/buckets.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "record/record.h"

enum { PLACE_SIZE = 48 };

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* Skips one character between blanks; NULL if it is not there. */
static const char *skip_mark(const char *at, const char *end, char mark)
{
    at = skip_blanks(at, end);
    return at < end && *at == mark ? skip_blanks(at + 1, end) : NULL;
}

/* Skips a number, and puts it where it is wanted; NULL if there is none. */
static const char *skip_number(const char *at, const char *end,
                               uint64_t *number)
{
    const char *const digits = at;
    uint64_t value = 0;

    at = skip_digits(at, end);
    if (at == digits || at - digits > 19)
        return NULL;
    for (const char *c = digits; c < at; c++)
        value = value * 10 + (uint64_t)(*c - '0');
    *number = value;
    return at;
}

/* Reads "[low,count]"; NULL if it is not there. */
static const char *skip_bucket(const char *at, const char *end, uint64_t *low,
                               uint64_t *count)
{
    at = skip_mark(at, end, '[');
    if (at != NULL)
        at = skip_number(at, end, low);
    if (at != NULL)
        at = skip_mark(at, end, ',');
    if (at != NULL)
        at = skip_number(at, end, count);
    return at != NULL ? skip_mark(at, end, ']') : NULL;
}

/* True if there is nothing but digits, brackets, commas and blanks. */
static bool all_numbers(const char *at, const char *end)
{
    static const bool fits[256] = {
        ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true,
        ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true,
        ['['] = true, [']'] = true, [','] = true, [' '] = true, ['\t'] = true,
    };
    bool all = true;

    for (; at < end; at++)
        all &= fits[(unsigned char)*at];
    return all;
}

/* The end of the array that begins at at, if there are numbers in brackets and
   nothing else in it; or NULL.  Whether they are buckets is for skip_bucket:
   this has to be fast. */
static const char *skip_buckets(const char *at, const char *end)
{
    const char *const brace = memchr(at, '}', (size_t)(end - at));
    const char *const next =
        brace != NULL ? memchr(at, '"', (size_t)(brace - at)) : NULL;
    const char *last = next != NULL ? next : brace;

    while (last != NULL && last > at && last[-1] != ']')
        last--;
    return last != NULL && last > at && all_numbers(at, last) ? last : NULL;
}

/* The next member "buckets" and, in *value, where its array begins; or NULL.
   A text cannot be taken for it: its quotation marks have a backslash. */
static const char *find_buckets(const char *at, const char *end,
                                const char **value)
{
    static const char name[] = "\"buckets\"";
    const size_t length = sizeof name - 1;

    while ((at = memchr(at, name[0], (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) > length && memcmp(at, name, length) == 0) {
            *value = skip_mark(at + length, end, ':');
            if (*value != NULL && *value < end && **value == '[')
                return at + length;
        }
        at++;
    }
    return NULL;
}

/* The longest place may stand for the shortest array. */
size_t record_buckets_room(size_t length)
{
    return 6 * length + PLACE_SIZE;
}

size_t record_buckets_cut(char *cut, const char *text, size_t length)
{
    const char *const end = text + length;
    const char *from = text;
    const char *at = text;
    const char *value;
    char *to = cut;

    while ((at = find_buckets(at, end, &value)) != NULL) {
        const char *const after = skip_buckets(value, end);
        if (after == NULL)
            continue;
        memcpy(to, from, (size_t)(value - from));
        to += value - from;
        to += snprintf(to, PLACE_SIZE, "[%zu,%zu]", (size_t)(value - text),
                       (size_t)(after - value));
        from = at = after;
    }
    memcpy(to, from, (size_t)(end - from));
    return (size_t)(to - cut) + (size_t)(end - from);
}

/* Fills an empty histogram.  Returns 0, or -1. */
static int restore_buckets(const struct record_histogram *from,
                           struct histogram *histogram)
{
    const char *const end = from->buckets + from->buckets_length;
    const char *at = from->buckets;
    uint64_t low;
    uint64_t count;

    /* Each is behind a bracket or a comma, and before one. */
    for (char mark = '['; (at = skip_mark(at, end, mark)) != NULL; mark = ',') {
        at = skip_bucket(at, end, &low, &count);
        if (at == NULL || histogram_bucket_add(histogram, low, count) != 0)
            return -1;
        if (at < end && *at == ']')
            break;
    }
    return at != NULL && histogram->count == from->count
               ? histogram_restore(histogram, from->sum_ns, from->min_ns,
                                   from->max_ns)
               : -1;
}

int record_histogram_restore(const struct record_histogram *from,
                             struct histogram *histogram)
{
    struct histogram restored;

    if (from->count == 0)
        return 0;
    histogram_init(&restored);
    if (restore_buckets(from, &restored) != 0)
        return -1;
    histogram_add(histogram, &restored);
    return 0;
}
