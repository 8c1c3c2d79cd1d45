/* SPDX-License-Identifier: ISC */
#include "lease/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/lines.h"
#include "core/random.h"
#include "lease/trace_order.h"

static const char letters[] = "nbrxdeg"; /* enum trace_change */
static const char first_line[] = "ubench-trace/1";

enum { SKIPS_MAX = 40 }; /* leases that are left out at once */

static uint64_t hash_item(uint64_t hash, const struct trace_item *item)
{
    return random_mix(hash ^
                      ((uint64_t)item->second << 32 | (uint64_t)item->change << 28 | item->lease)) +
           1;
}

/* Counts the next change. */
static void note_item(struct trace *trace, const struct trace_item *item)
{
    trace->hash = hash_item(trace->hash, item);
    trace->counts[item->change]++;
    trace->count++;
}

void trace_release(struct trace *trace)
{
    free(trace->items);
    *trace = (struct trace){ .count = 0 };
}

void trace_cut(struct trace *trace, uint64_t seconds)
{
    if (seconds >= trace->seconds)
        return;
    const uint64_t planned = trace->count;
    trace->seconds = (uint32_t)seconds;
    trace->count = 0;
    trace->hash = 0;
    memset(trace->counts, 0, sizeof trace->counts);
    while (trace->count < planned && trace->items[trace->count].second <= seconds)
        note_item(trace, &trace->items[trace->count]);
}

/* ---- Writing */

enum { LINE_LENGTH = 4000 };

struct writer {
    FILE *out;
    struct trace_order order;
    int length;             /* of the line */
    uint32_t second;        /* of the line */
    enum trace_change kind; /* of the run, if it has any */
    uint64_t run;
};

static void end_run(struct writer *writer)
{
    if (writer->run > 0)
        writer->length += fprintf(writer->out, " %c*%" PRIu64, letters[writer->kind], writer->run);
    writer->run = 0;
}

/* Returns how many leases must be skipped until this one is expected to renew; -1: too many. */
static int skips_to(const struct trace_order *order, uint32_t lease)
{
    uint32_t expected = order->expected;

    for (int skips = 0; skips <= SKIPS_MAX && expected != TRACE_NO_LEASE; skips++) {
        if (expected == lease)
            return skips;
        expected = order->next[expected] != TRACE_NO_LEASE ? order->next[expected] : order->first;
    }
    return -1;
}

static void begin_line(struct writer *writer, uint32_t second)
{
    end_run(writer);
    writer->length = fprintf(writer->out, "%s+%" PRIu32, writer->length > 0 ? "\n" : "",
                             second - writer->second);
    writer->second = second;
}

static void write_item(struct writer *writer, const struct trace_item *item)
{
    struct trace_order *const order = &writer->order;
    const enum trace_change change = item->change;

    if (writer->length == 0 || item->second != writer->second || writer->length > LINE_LENGTH)
        begin_line(writer, item->second);
    const int skips = change == TRACE_RENEW ? skips_to(order, item->lease) : 0;
    if (skips > 0) {
        end_run(writer);
        writer->length += fprintf(writer->out, " s%d", skips);
        for (int i = 0; i < skips; i++)
            trace_order_skip(order);
    }
    if (trace_order_expected(order, change) == item->lease) {
        if (writer->run > 0 && writer->kind != change)
            end_run(writer);
        writer->kind = change;
        writer->run++;
    } else {
        end_run(writer);
        writer->length += fprintf(writer->out, " %c%" PRIu32, letters[change], item->lease);
    }
    (void)trace_order_change(order, item->lease, change);
}

int trace_write(struct trace *trace, FILE *out, struct err *err)
{
    struct writer writer = { .out = out };

    if (trace_order_init(&writer.order, trace->leases, trace->active, err) != 0) {
        trace_order_release(&writer.order);
        return -1;
    }
    (void)fprintf(out,
                  "%s\nfamily %d\nleases %" PRIu32 " active %" PRIu32 "\nchanges %" PRIu64
                  " seconds %" PRIu32 "\n",
                  first_line, trace->family == LEASE_FAMILY_V4 ? 4 : 6, trace->leases,
                  trace->active, trace->count, trace->seconds);
    trace->hash = 0;
    memset(trace->counts, 0, sizeof trace->counts);
    for (uint64_t i = 0; i < trace->count; i++) {
        const struct trace_item *const item = &trace->items[i];

        write_item(&writer, item);
        trace->hash = hash_item(trace->hash, item);
        trace->counts[item->change]++;
    }
    end_run(&writer);
    (void)fprintf(out, "%send %" PRIu64 " %016" PRIx64 "\n", writer.length > 0 ? "\n" : "",
                  trace->count, trace->hash);
    trace_order_release(&writer.order);
    return 0;
}

/* ---- Reading */

struct reader {
    struct trace *trace;
    struct trace_order order;
    uint64_t planned; /* number of changes */
    uint32_t second;
};

static int damaged(const struct lines *lines, const char *what, struct err *err)
{
    return err_set(err, "%s:%" PRIu64 ": %s", lines->path, lines->number, what);
}

static const char *add_change(struct reader *reader, uint32_t lease, enum trace_change change)
{
    struct trace *const trace = reader->trace;

    if (trace->count == reader->planned)
        return "more changes than the header says";
    if (trace_order_change(&reader->order, lease, change) != 0)
        return "a change that the lease cannot have";
    struct trace_item *const item = &trace->items[trace->count];
    *item = (struct trace_item){ .second = reader->second,
                                 .lease = lease & (TRACE_LEASES_MAX - 1),
                                 .change = change };
    note_item(trace, item);
    return NULL;
}

/* Reads a number below 2^32 and moves *text past it. */
static bool take_number(char **text, uint64_t *number)
{
    if (**text < '0' || **text > '9')
        return false;
    *number = strtoull(*text, text, 10);
    return *number <= UINT32_MAX && (**text == ' ' || **text == '\0');
}

/* Reads an item after its letter. */
static const char *take_item(struct reader *reader, char letter, char **text)
{
    const char *const found = strchr(letters, letter);
    const bool run = **text == '*';
    const char *complaint = NULL;
    uint64_t number;

    *text += run;
    if ((found == NULL && (letter != 's' || run)) || !take_number(text, &number))
        return "not a change, such as n*2, r17 or s3";
    if (letter == 's') {
        if (number > SKIPS_MAX)
            return "more leases are left out at once than a trace has";
        while (number-- > 0)
            trace_order_skip(&reader->order);
        return NULL;
    }
    const enum trace_change change = (enum trace_change)(found - letters);
    if (!run)
        return add_change(reader, (uint32_t)number, change);
    while (complaint == NULL && number-- > 0)
        complaint = add_change(reader, trace_order_expected(&reader->order, change), change);
    return complaint;
}

/* Reads a line of changes: "+30 r*2 n1". */
static const char *take_line(struct reader *reader, char *text)
{
    const char *complaint = NULL;
    uint64_t seconds;

    if (*text++ != '+' || !take_number(&text, &seconds))
        return "not a line of changes, which begins with + and a number of seconds";
    if (reader->second + seconds > reader->trace->seconds)
        return "more seconds than the header says";
    reader->second += (uint32_t)seconds;
    while (complaint == NULL && *text != '\0') {
        if (text[0] != ' ' || text[1] == '\0')
            return "not a change, such as n*2, r17 or s3";
        text += 2;
        complaint = take_item(reader, text[-1], &text);
    }
    return complaint;
}

static const char *take_end(const struct reader *reader, const char *text)
{
    uint64_t count;
    uint64_t hash;
    int end = 0;

    if (sscanf(text, "end %" SCNu64 " %16" SCNx64 "%n", &count, &hash, &end) != 2 ||
        text[end] != '\0')
        return "not the last line, which is 'end CHANGES HASH'";
    if (count != reader->trace->count || count != reader->planned)
        return "the trace has another number of changes than it says";
    return hash == reader->trace->hash ? NULL : "the changes are not those that were written";
}

/* Reads "leases 5 active 2", or one word with a number if there is only one.  Returns true if
   nothing follows on the line. */
static bool take_header_line(char *text, const char *const words[2], uint64_t values[2])
{
    for (int i = 0; i < 2 && words[i] != NULL; i++) {
        const size_t length = strlen(words[i]);

        if (i > 0 && *text++ != ' ')
            return false;
        if (strncmp(text, words[i], length) != 0 || text[length] != ' ')
            return false;
        text += length + 1;
        if (!take_number(&text, &values[i]))
            return false;
    }
    return *text == '\0';
}

static int not_a_trace(const struct lines *lines, struct err *err)
{
    return err_set(err,
                   "%s: not a trace; expected '%s' on its first line: ubench_report trace makes "
                   "one",
                   lines->path, first_line);
}

/* Reads the header up to its last line. */
static int read_header(struct reader *reader, struct lines *lines, struct err *err)
{
    static const char *const words[][2] = { { "family", NULL },
                                            { "leases", "active" },
                                            { "changes", "seconds" } };
    struct trace *const trace = reader->trace;
    uint64_t values[3][2] = { { 0 } };
    int found = lines_next(lines, err);

    if (found < 0)
        return -1;
    if (found == 0 || strcmp(lines->line, first_line) != 0)
        return not_a_trace(lines, err);
    for (int i = 0; i < 3; i++) {
        found = lines_next(lines, err);
        if (found < 0)
            return -1;
        if (found == 0 || !take_header_line(lines->line, words[i], values[i]))
            return damaged(lines, "the header is damaged", err);
    }
    if ((values[0][0] != 4 && values[0][0] != 6) || values[1][0] >= TRACE_LEASES_MAX ||
        values[1][1] > values[1][0] || values[2][0] > TRACE_COUNT_MAX)
        return damaged(lines, "the header has impossible numbers", err);
    trace->family = values[0][0] == 4 ? LEASE_FAMILY_V4 : LEASE_FAMILY_V6;
    trace->leases = (uint32_t)values[1][0];
    trace->active = (uint32_t)values[1][1];
    trace->seconds = (uint32_t)values[2][1];
    reader->planned = values[2][0];
    return 0;
}

static int read_changes(struct reader *reader, struct lines *lines, struct err *err)
{
    const char *complaint = NULL;
    int found;

    while ((found = lines_next(lines, err)) == 1 && strncmp(lines->line, "end ", 4) != 0) {
        complaint = take_line(reader, lines->line);
        if (complaint != NULL)
            return damaged(lines, complaint, err);
    }
    if (found < 0)
        return -1;
    if (found == 0)
        return damaged(lines, "the trace ends here, without its last line", err);
    complaint = take_end(reader, lines->line);
    if (complaint != NULL)
        return damaged(lines, complaint, err);
    found = lines_next(lines, err);
    return found > 0 ? damaged(lines, "a line after the last one, which begins with 'end'", err)
                     : found;
}

int trace_read(const char *path, struct trace *trace, struct err *err)
{
    struct reader reader = { .trace = trace };
    struct lines lines = { .path = NULL };

    *trace = (struct trace){ .count = 0 };
    int status = lines_open(&lines, path, err);
    if (status == 0)
        status = read_header(&reader, &lines, err);
    if (status == 0) {
        trace->items = err_calloc(reader.planned + 1, sizeof *trace->items, err);
        status = trace->items != NULL
                     ? trace_order_init(&reader.order, trace->leases, trace->active, err)
                     : -1;
    }
    if (status == 0)
        status = read_changes(&reader, &lines, err);
    trace_order_release(&reader.order);
    lines_close(&lines);
    return status;
}
