/* SPDX-License-Identifier: ISC */
/* Lease files of Kea and ISC DHCP: what can be read is written and read again,
   and is the same. */
#include <stdlib.h>

#include "lease/lease_file.h"
#include "tests/fuzz/fuzz.h"

enum { LEASES_MAX = 64 }; /* that are written again, behind a mark */

struct leases {
    size_t count;
    size_t capacity;
    struct lease leases[LEASES_MAX + 1];
    bool removed[LEASES_MAX + 1];
};

static int note(void *context, const struct lease *lease, bool removed, struct err *err)
{
    struct leases *const to = context;

    if (to->count == to->capacity)
        return err_set(err, "too many");
    to->leases[to->count] = *lease;
    to->removed[to->count++] = removed;
    return 0;
}

/* Writes them as they were written, and returns the length. */
static size_t write_all(const struct leases *leases, enum lease_file_format format, char *text)
{
    struct lease_writer writer;
    char *end = text;

    lease_writer_init(&writer, format);
    end += lease_writer_header(&writer, text);
    for (size_t i = 0; i < leases->count; i++)
        end += lease_writer_record(&writer, &leases->leases[i], leases->removed[i], end);
    return (size_t)(end - text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct leases first = { .capacity = LEASES_MAX };
    static struct leases second = { .capacity = LEASES_MAX + 1 };
    static char text[LEASE_FILE_HEADER_MAX + LEASES_MAX * LEASE_FILE_RECORD_MAX];
    struct lease_file_stats stats;
    struct err err = { 0 };

    first.count = 0;
    if (lease_file_recover(fuzz_file(data, size), note, &first, &stats, &err) != 0)
        return 0;
    if (stats.good_bytes + stats.dropped_bytes + stats.torn_bytes != size)
        abort();
    const size_t length = write_all(&first, stats.format, text);
    second.count = 0;
    if (lease_file_recover(fuzz_file((const uint8_t *)text, length), note, &second, &stats, &err) !=
            0 ||
        stats.complaint != NULL)
        abort();
    const size_t marks = stats.format == LEASE_FILE_ISC ? 0 : 1;
    if (second.count != first.count + marks)
        abort();
    for (size_t i = 0; i < first.count; i++) {
        if (first.removed[i] != second.removed[i + marks] ||
            (!first.removed[i] && !lease_equal(&first.leases[i], &second.leases[i + marks])))
            abort();
    }
    return 0;
}
