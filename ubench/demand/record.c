/* SPDX-License-Identifier: ISC */
#include "demand/record.h"

#include <string.h>
#include <time.h>

enum { CLOCK_ERROR_S = 24 * 60 * 60 };

static int not_a_lease_file(const struct record_reader *reader, struct err *err)
{
    return err_set(err,
                   "%s:%llu: not a lease file; expected Kea's header (address,hwaddr,... or "
                   "address,duid,...) or dhcpd's 'lease ADDRESS {', as text or compressed by gzip",
                   reader->lines.path, (unsigned long long)reader->lines.number);
}

/* Returns true for comments and empty lines, with which a dhcpd file may
   begin. */
static bool is_comment(const char *line)
{
    line += strspn(line, " \t");
    return *line == '#' || *line == '\0';
}

int record_open(struct record_reader *reader, const char *path, struct err *err)
{
    bool has_comment = false;
    int found;

    *reader = (struct record_reader){ .format = RECORD_ISC,
                                      .latest_s = (uint64_t)time(NULL) + CLOCK_ERROR_S };
    if (lines_open(&reader->lines, path, err) != 0)
        return -1;
    while ((found = lines_next(&reader->lines, err)) > 0) {
        const char *line = reader->lines.line;

        if (strlen(line) != reader->lines.length || reader->lines.too_long)
            return not_a_lease_file(reader, err);
        if (strncmp(line, "\xef\xbb\xbf", 3) == 0) /* byte order mark */
            line += 3;
        if (kea_header(reader, line)) {
            reader->format = RECORD_KEA;
            return 0;
        }
        if (isc_starts(line)) {
            reader->first_again = true;
            return 0;
        }
        if (!is_comment(line))
            return not_a_lease_file(reader, err);
        has_comment = has_comment || *line == '#';
    }
    if (found < 0)
        return -1;
    return has_comment ? 0 : err_set(err, "%s: the file is empty; expected a lease file", path);
}

void record_close(struct record_reader *reader)
{
    lines_close(&reader->lines);
}

/* Returns true if the line just read is text. */
static bool line_is_text(const struct record_reader *reader)
{
    return !reader->lines.too_long && strlen(reader->lines.line) == reader->lines.length;
}

enum record_found record_next(struct record_reader *reader, struct record *record,
                              const char **complaint, struct err *err)
{
    bool whole = false;

    while (!whole) {
        const int found = reader->first_again ? 1 : lines_next(&reader->lines, err);

        reader->first_again = false;
        if (found < 0)
            return RECORD_ERROR;
        if (found == 0) {
            *complaint = "the file ends within a lease";
            const bool cut = reader->begun;
            reader->begun = false;
            return cut ? RECORD_DAMAGED : RECORD_END;
        }
        if (!line_is_text(reader))
            *complaint = "not a line of text";
        else if (reader->format == RECORD_ISC)
            *complaint = isc_line(reader, reader->lines.line, record, &whole);
        else if (reader->lines.length == 0)
            continue; /* Kea skips it as well */
        else
            *complaint = kea_row(reader, reader->lines.line, record);
        whole = whole || reader->format == RECORD_KEA;
        /* Every other lease would seem to be overdue. */
        if (*complaint == NULL && whole && record->last_s > reader->latest_s)
            *complaint = "the client's last transaction is in the future";
        if (*complaint != NULL)
            return RECORD_DAMAGED;
    }
    return RECORD_READ;
}

bool record_is_ahead(const char *path)
{
    enum { RECORDS = 1000 };
    struct record_reader reader = { .format = RECORD_ISC };
    enum record_found found = RECORD_ERROR;
    struct record record;
    const char *complaint;
    struct err ignored;
    unsigned read = 0;
    unsigned ahead = 0;

    if (record_open(&reader, path, &ignored) == 0) {
        const uint64_t latest_s = reader.latest_s;

        reader.latest_s = UINT64_MAX;
        do {
            found = record_next(&reader, &record, &complaint, &ignored);
            read += found == RECORD_READ;
            ahead += found == RECORD_READ && record.last_s > latest_s;
        } while ((found == RECORD_READ || found == RECORD_DAMAGED) && read < RECORDS);
    }
    record_close(&reader);
    return 2 * ahead > read;
}
