/* SPDX-License-Identifier: ISC */
/*
 * Nine tenths of a line are buckets, which few readers want.  They are cut out
 * before the line is parsed, and their place in it stands for them.  Lines are
 * parsed in several threads; each has its own memory, and a slot per line.
 */
#include "report/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/random.h"
#include "core/region.h"

enum { THREADS_MAX = 16, LINES_AT_ONCE = 16, PLACE_SIZE = 48 };

static const char format_result[] = "ubench-result/1";
static const char format_crash[] = "ubench-crash/1";

/* A file's text, mapped or, of a pipe, copied. */
struct source {
    const char *name;
    char *text;
    size_t length;
    bool mapped;
};

enum slot_kind { SLOT_RECORD, SLOT_OTHER, SLOT_BAD };

/* What became of a line. */
struct slot {
    const char *file;
    size_t line;
    const char *text;
    size_t length;
    bool ends; /* with a newline */
    uint64_t hash;
    enum slot_kind kind;
    const struct record *record;
    const char *format;    /* of SLOT_OTHER */
    const char *complaint; /* of SLOT_BAD */
};

struct archive_parts {
    size_t source_count;
    struct source *sources;
    size_t slot_count;
    size_t slot_room;
    struct slot *slots;
    atomic_size_t next; /* slot that no thread has taken yet */
    size_t thread_count;
    struct region memory[THREADS_MAX + 1]; /* the last is the caller's */
};

/* What a thread needs to read one line. */
struct reader {
    struct region *memory;
    const struct slot *slot;
    struct region cut_memory;
    char *cut; /* the line without its buckets */
    size_t cut_room;
    char where[96];      /* of the member that is being read: "run 2, create" */
    char complaint[256]; /* the first that there was, or "" */
};

/* Texts of the file */

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

/* Copies the line without its buckets; where they were stands their place in
   the line.  Returns the length. */
static size_t cut_buckets(struct reader *reader)
{
    const struct slot *const slot = reader->slot;
    const char *const end = slot->text + slot->length;
    const char *from = slot->text;
    const char *at = from;
    const char *value;
    size_t length = 0;

    /* The longest place may stand for the shortest array. */
    if (reader->cut_room < 6 * slot->length + PLACE_SIZE) {
        reader->cut_room = 6 * slot->length + PLACE_SIZE;
        region_release(&reader->cut_memory);
        reader->cut = region_take(&reader->cut_memory, reader->cut_room, 1);
    }
    while ((at = find_buckets(at, end, &value)) != NULL) {
        const char *const after = skip_buckets(value, end);
        if (after == NULL)
            continue;
        memcpy(reader->cut + length, from, (size_t)(value - from));
        length += (size_t)(value - from);
        length += (size_t)snprintf(reader->cut + length, PLACE_SIZE,
                                   "[%zu,%zu]", (size_t)(value - slot->text),
                                   (size_t)(after - value));
        from = at = after;
    }
    memcpy(reader->cut + length, from, (size_t)(end - from));
    return length + (size_t)(end - from);
}

/* Members of an object */

/* Keeps the first complaint.  Returns false. */
static bool complain_of(struct reader *reader, const char *key,
                        const char *what)
{
    if (reader->complaint[0] == '\0')
        (void)snprintf(reader->complaint, sizeof reader->complaint,
                       "%s%s%.80s %s", reader->where,
                       reader->where[0] != '\0' ? ": " : "", key, what);
    return false;
}

/* The member; NULL if it is not there, or null, which is a complaint if it is
   needed. */
static json_t *find_member(struct reader *reader, const json_t *object,
                           const char *key, bool needed)
{
    json_t *const value = json_object_get(object, key);

    if (value != NULL && !json_is_null(value))
        return value;
    if (needed)
        (void)complain_of(reader, key, "is missing");
    return NULL;
}

static uint64_t read_count(struct reader *reader, const json_t *object,
                           const char *key, bool needed)
{
    const json_t *const value = find_member(reader, object, key, needed);

    if (value == NULL)
        return RECORD_UNKNOWN;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        (void)complain_of(reader, key, "is not a whole number");
        return RECORD_UNKNOWN;
    }
    return (uint64_t)json_integer_value(value);
}

static double read_real(struct reader *reader, const json_t *object,
                        const char *key, double missing)
{
    const json_t *const value = find_member(reader, object, key, false);

    if (value == NULL)
        return missing;
    if (!json_is_number(value) || json_number_value(value) < 0) {
        (void)complain_of(reader, key, "is not a number from 0 on");
        return missing;
    }
    return json_number_value(value);
}

static bool read_flag(struct reader *reader, const json_t *object,
                      const char *key)
{
    const json_t *const value = find_member(reader, object, key, false);

    if (value != NULL && !json_is_boolean(value))
        return complain_of(reader, key, "is neither true nor false");
    return json_is_true(value);
}

static const char *read_text(struct reader *reader, const json_t *object,
                             const char *key, bool needed)
{
    const json_t *const value = find_member(reader, object, key, needed);

    if (value == NULL)
        return "";
    if (!json_is_string(value)) {
        (void)complain_of(reader, key, "is not a text");
        return "";
    }
    return region_text(reader->memory, json_string_value(value));
}

/* An object or an array; NULL if it is not there, or something else. */
static json_t *read_container(struct reader *reader, const json_t *object,
                              const char *key, json_type type, bool needed)
{
    json_t *const value = find_member(reader, object, key, needed);

    if (value != NULL && json_typeof(value) != type) {
        (void)complain_of(reader, key,
                          type == JSON_OBJECT ? "is not an object"
                                              : "is not an array");
        return NULL;
    }
    return value;
}

static void read_facts(struct reader *reader, const json_t *line,
                       const char *key, bool needed, struct record_facts *facts)
{
    json_t *const object =
        read_container(reader, line, key, JSON_OBJECT, needed);
    struct record_fact *const items =
        region_take(reader->memory, json_object_size(object), sizeof *items);
    const char *name;
    json_t *value;

    facts->items = items;
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value)) {
            (void)snprintf(reader->where, sizeof reader->where, "%s", key);
            (void)complain_of(reader, name, "is not a text");
            return;
        }
        items[facts->count].key = region_text(reader->memory, name);
        items[facts->count++].value =
            region_text(reader->memory, json_string_value(value));
    }
}

/* The parts of a line */

/* The text of the buckets is at the place that was left for them: an array of
   two whole numbers, which can come from nobody else, as it would have been cut
   out itself. */
static bool read_buckets(struct reader *reader, const json_t *object,
                         struct record_histogram *histogram)
{
    const json_t *const place =
        read_container(reader, object, "buckets", JSON_ARRAY, true);
    const json_t *const begin = json_array_get(place, 0);
    const json_t *const length = json_array_get(place, 1);

    if (json_array_size(place) != 2 || !json_is_integer(begin) ||
        !json_is_integer(length) || json_integer_value(begin) < 0 ||
        json_integer_value(length) < 0)
        return complain_of(reader, "buckets", "is not of [low, count]");
    histogram->buckets = reader->slot->text + json_integer_value(begin);
    histogram->buckets_length = (size_t)json_integer_value(length);
    return true;
}

static struct record_histogram
read_histogram(struct reader *reader, const json_t *phase, const char *key)
{
    const json_t *const object =
        read_container(reader, phase, key, JSON_OBJECT, false);
    struct record_histogram histogram = { 0 };

    if (object == NULL || !read_buckets(reader, object, &histogram))
        return histogram;
    histogram.count = read_count(reader, object, "count", true);
    histogram.sum_ns = read_count(reader, object, "sum_ns", true);
    histogram.min_ns = read_count(reader, object, "min_ns", true);
    histogram.max_ns = read_count(reader, object, "max_ns", true);
    histogram.mean_ns = read_real(reader, object, "mean_ns", NAN);
    histogram.sd_ns = read_real(reader, object, "sd_ns", NAN);
    histogram.p50_ns = read_real(reader, object, "p50_ns", NAN);
    histogram.p95_ns = read_real(reader, object, "p95_ns", NAN);
    histogram.p99_ns = read_real(reader, object, "p99_ns", NAN);
    histogram.p99_9_ns = read_real(reader, object, "p99.9_ns", NAN);
    histogram.p99_99_ns = read_real(reader, object, "p99.99_ns", NAN);
    return histogram;
}

static void read_series(struct reader *reader, const json_t *object,
                        struct record_phase *phase)
{
    const json_t *const array =
        read_container(reader, object, "series", JSON_ARRAY, false);
    const size_t count = json_array_size(array);
    struct record_second *const seconds =
        region_take(reader->memory, count, sizeof *seconds);

    for (size_t i = 0; i < count; i++) {
        const json_t *const second = json_array_get(array, i);
        const json_t *const operations = json_array_get(second, 0);
        const json_t *const p99_ns = json_array_get(second, 1);

        if (!json_is_integer(operations) ||
            json_integer_value(operations) < 0 || !json_is_number(p99_ns)) {
            (void)complain_of(reader, "series",
                              "is not of [operations, p99 in ns]");
            return;
        }
        seconds[i] = (struct record_second){
            .operations = (uint64_t)json_integer_value(operations),
            .p99_ns = json_number_value(p99_ns),
        };
    }
    phase->series = seconds;
    phase->second_count = count;
}

static struct record_usage read_usage(struct reader *reader,
                                      const json_t *phase)
{
    /* What is not there at all reads as RECORD_UNKNOWN throughout. */
    const json_t *const object =
        read_container(reader, phase, "usage", JSON_OBJECT, false);

    return (struct record_usage){
        .user_ns = read_count(reader, object, "user_ns", false),
        .system_ns = read_count(reader, object, "system_ns", false),
        .voluntary_switches =
            read_count(reader, object, "voluntary_switches", false),
        .involuntary_switches =
            read_count(reader, object, "involuntary_switches", false),
        .written_bytes = read_count(reader, object, "written_bytes", false),
        .disk_bytes = read_count(reader, object, "disk_bytes", false),
        .fdatasyncs = read_count(reader, object, "fdatasyncs", false),
        .max_rss_bytes = read_count(reader, object, "max_rss_bytes", false),
    };
}

static void read_phase(struct reader *reader, const json_t *object, size_t run,
                       struct record_phase *phase)
{
    (void)snprintf(reader->where, sizeof reader->where, "run %zu", run + 1);
    if (!json_is_object(object)) {
        (void)complain_of(reader, "a phase", "is not an object");
        return;
    }
    phase->name = read_text(reader, object, "name", true);
    (void)snprintf(reader->where, sizeof reader->where, "run %zu, %.40s",
                   run + 1, phase->name);
    phase->incomplete = read_flag(reader, object, "incomplete");
    phase->operations = read_count(reader, object, "operations", true);
    phase->hits = read_count(reader, object, "hits", false);
    phase->misses = read_count(reader, object, "misses", false);
    phase->begun_ns = read_count(reader, object, "begun_ns", false);
    phase->elapsed_ns = read_count(reader, object, "elapsed_ns", true);
    phase->latency = read_histogram(reader, object, "latency");
    phase->commit = read_histogram(reader, object, "commit");
    read_series(reader, object, phase);
    phase->usage = read_usage(reader, object);
}

static void read_run(struct reader *reader, const json_t *object, size_t number,
                     struct record_run *run)
{
    (void)snprintf(reader->where, sizeof reader->where, "run %zu", number + 1);
    const json_t *const array =
        read_container(reader, object, "phases", JSON_ARRAY, true);
    struct record_phase *const phases =
        region_take(reader->memory, json_array_size(array), sizeof *phases);

    if (array != NULL && json_array_size(array) == 0)
        (void)complain_of(reader, "phases", "are none");
    run->incomplete = read_flag(reader, object, "incomplete");
    run->together = read_flag(reader, object, "together");
    run->verified = read_flag(reader, object, "verified");
    run->leases_left = read_count(reader, object, "leases_left", false);
    run->digest = read_text(reader, object, "digest", false);
    run->phase_count = json_array_size(array);
    run->phases = phases;
    for (size_t i = 0; i < run->phase_count; i++) {
        phases[i] = (struct record_phase){ 0 };
        read_phase(reader, json_array_get(array, i), number, &phases[i]);
    }
}

static void read_runs(struct reader *reader, const json_t *line,
                      struct record *record)
{
    const json_t *const array =
        read_container(reader, line, "runs", JSON_ARRAY, true);
    const size_t count = json_array_size(array);
    struct record_run *const runs =
        region_take(reader->memory, count, sizeof *runs);

    if (array != NULL && count == 0)
        (void)complain_of(reader, "runs", "are none");
    record->run_count = count;
    record->runs = runs;
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct record_run){ 0 };
        read_run(reader, json_array_get(array, i), i, &runs[i]);
    }
}

static void read_durability(struct reader *reader, const json_t *line,
                            struct record *record)
{
    const bool needed = record->published[0] == '\0';
    const json_t *const object =
        read_container(reader, line, "durability", JSON_OBJECT, true);

    (void)snprintf(reader->where, sizeof reader->where, "durability");
    const char *const name = read_text(reader, object, "class", needed);
    record->durability_from = read_text(reader, object, "from", false);
    record->durability_known = name[0] != '\0';
    for (int class = DURABILITY_NONE; name[0] != '\0'; class ++) {
        if (class > DURABILITY_POWER_SAFE) {
            (void)complain_of(reader, "class", "is not one that is known");
            break;
        }
        record->durability = (enum durability) class;
        if (strcmp(durability_name(record->durability), name) == 0)
            break;
    }
    reader->where[0] = '\0';
}

static void read_floors(struct reader *reader, const json_t *line,
                        struct result_floors *floors)
{
    const json_t *const object =
        read_container(reader, line, "floors", JSON_OBJECT, false);

    floors->clock_ns = read_real(reader, object, "clock_ns", 0);
    floors->fdatasync_ns = read_real(reader, object, "fdatasync_ns", 0);
    floors->fdatasync_min_ns = read_real(reader, object, "fdatasync_min_ns", 0);
    floors->round_trip_ns = read_real(reader, object, "round_trip_ns", 0);
    floors->harness_ns = read_real(reader, object, "harness_ns", 0);
}

static const struct record *read_record(struct reader *reader,
                                        const json_t *line)
{
    struct record *const record =
        region_take(reader->memory, 1, sizeof *record);

    *record = (struct record){
        .file = reader->slot->file,
        .line = reader->slot->line,
        .text = reader->slot->text,
        .length = reader->slot->length,
        .program = read_text(reader, line, "program", true),
        .version = read_text(reader, line, "version", true),
        .store = read_text(reader, line, "store", true),
        .started_at = read_text(reader, line, "started_at", false),
        .incomplete = read_flag(reader, line, "incomplete"),
        .error = read_text(reader, line, "error", false),
        .warning = read_text(reader, line, "warning", false),
        .published = read_text(reader, line, "published", false),
    };
    read_durability(reader, line, record);
    read_facts(reader, line, "parameters", true, &record->parameters);
    read_facts(reader, line, "facts", false, &record->facts);
    read_facts(reader, line, "host", false, &record->host);
    read_facts(reader, line, "labels", false, &record->labels);
    read_floors(reader, line, &record->floors);
    read_runs(reader, line, record);
    return record;
}

/* A line */

/* The format decides who reads the line. */
static void read_object(struct reader *reader, const json_t *line,
                        struct slot *slot)
{
    const char *const format =
        json_string_value(json_object_get(line, "format"));

    if (format == NULL) {
        (void)complain_of(reader, "this", "is no result: it has no format");
    } else if (strcmp(format, format_crash) == 0) {
        slot->kind = SLOT_OTHER;
        slot->format = format_crash;
    } else if (strcmp(format, format_result) == 0) {
        slot->kind = SLOT_RECORD;
        slot->record = read_record(reader, line);
    } else {
        (void)snprintf(reader->complaint, sizeof reader->complaint,
                       "the format is '%.80s', and %s is what can be read",
                       format, format_result);
    }
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length;

    for (; length >= sizeof hash; text += sizeof hash, length -= sizeof hash) {
        uint64_t word;

        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (; length > 0; text++, length--)
        hash = random_mix(hash ^ (unsigned char)*text);
    return hash;
}

static void read_line(struct reader *reader, struct slot *slot)
{
    json_error_t error;

    reader->slot = slot;
    reader->where[0] = '\0';
    reader->complaint[0] = '\0';
    slot->kind = SLOT_BAD;
    slot->hash = hash_text(slot->text, slot->length);
    if (skip_blanks(slot->text, slot->text + slot->length) ==
        slot->text + slot->length) {
        slot->complaint = "the line is empty";
        return;
    }
    const size_t length = cut_buckets(reader);
    json_t *const line =
        json_loadb(reader->cut, length, JSON_REJECT_DUPLICATES, &error);
    if (line != NULL)
        read_object(reader, line, slot);
    else
        (void)snprintf(reader->complaint, sizeof reader->complaint,
                       "the line %s: %.160s",
                       slot->ends ? "is not JSON" : "is cut short", error.text);
    json_decref(line);
    if (reader->complaint[0] != '\0') {
        slot->kind = SLOT_BAD;
        slot->complaint = region_text(reader->memory, reader->complaint);
    }
}

/* All lines */

struct worker {
    struct archive_parts *parts;
    struct region *memory;
    pthread_t thread;
};

/* Takes lines, some at once, until there are none left. */
static void *read_lines(void *context)
{
    const struct worker *const worker = context;
    struct archive_parts *const parts = worker->parts;
    struct reader reader = { .memory = worker->memory };
    size_t first;

    while ((first = atomic_fetch_add(&parts->next, LINES_AT_ONCE)) <
           parts->slot_count) {
        for (size_t i = first;
             i < first + LINES_AT_ONCE && i < parts->slot_count; i++)
            read_line(&reader, &parts->slots[i]);
    }
    region_release(&reader.cut_memory);
    return NULL;
}

static void read_all_lines(struct archive_parts *parts)
{
    struct worker workers[THREADS_MAX];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t useful = parts->slot_count / LINES_AT_ONCE;
    size_t started = 0;

    json_object_seed(0); /* once, before the threads */
    for (size_t i = 0; i < THREADS_MAX; i++)
        workers[i] =
            (struct worker){ parts, &parts->memory[i], pthread_self() };
    /* Where no thread can be had, this one does it all. */
    while (started < useful && started + 1 < (size_t)cores &&
           started + 1 < THREADS_MAX &&
           pthread_create(&workers[started].thread, NULL, read_lines,
                          &workers[started]) == 0)
        started++;
    (void)read_lines(&workers[started]);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
}

static int compare_slots(const void *a, const void *b)
{
    const struct slot *const left = *(const struct slot *const *)a;
    const struct slot *const right = *(const struct slot *const *)b;

    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return (left > right) - (left < right);
}

static bool same_line(const struct slot *a, const struct slot *b)
{
    return a->hash == b->hash && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

static void mark_duplicate(struct region *memory, struct slot *slot,
                           const struct slot *first)
{
    char text[512];

    if (slot->kind == SLOT_BAD)
        return;
    (void)snprintf(text, sizeof text, "the line is the same as %.400s:%zu",
                   first->file, first->line);
    slot->kind = SLOT_BAD;
    slot->complaint = region_text(memory, text);
}

/* Of lines that are the same, byte for byte, the first is kept. */
static void mark_duplicates(struct archive_parts *parts)
{
    struct region *const memory = &parts->memory[THREADS_MAX];
    struct slot **const sorted =
        region_take(memory, parts->slot_count, sizeof *sorted);
    size_t first = 0;

    for (size_t i = 0; i < parts->slot_count; i++)
        sorted[i] = &parts->slots[i];
    qsort(sorted, parts->slot_count, sizeof *sorted, compare_slots);
    for (size_t i = 1; i < parts->slot_count; i++) {
        if (same_line(sorted[first], sorted[i]))
            mark_duplicate(memory, sorted[i], sorted[first]);
        else
            first = i;
    }
}

static void sort_out(struct archive *archive, archive_complain *complain,
                     void *context)
{
    struct archive_parts *const parts = archive->parts;
    struct region *const memory = &parts->memory[THREADS_MAX];
    struct record *const records =
        region_take(memory, parts->slot_count, sizeof *records);
    struct archive_other *const others =
        region_take(memory, parts->slot_count, sizeof *others);

    for (size_t i = 0; i < parts->slot_count; i++) {
        const struct slot *const slot = &parts->slots[i];

        if (slot->kind == SLOT_RECORD)
            records[archive->count++] = *slot->record;
        else if (slot->kind == SLOT_OTHER)
            others[archive->other_count++] =
                (struct archive_other){ slot->file, slot->line, slot->format,
                                        slot->text, slot->length };
        else
            complain(context, slot->file, slot->line, slot->complaint);
    }
    archive->records = records;
    archive->others = others;
}

/* Files */

static int file_failed(const char *name, struct err *err)
{
    return err_set(err, "%s: %s", name, strerror(errno));
}

/* A pipe, or anything that cannot be mapped. */
static int copy_file(int file, struct source *source, struct err *err)
{
    size_t room = 0;
    ssize_t got;

    do {
        if (room - source->length < 2) {
            room = 2 * room + 65536;
            char *const more = realloc(source->text, room);
            if (more == NULL)
                return file_failed(source->name, err);
            source->text = more;
        }
        got = read(file, source->text + source->length,
                   room - source->length - 1);
        if (got > 0)
            source->length += (size_t)got;
    } while (got > 0);
    return got == 0 ? 0 : file_failed(source->name, err);
}

static int load_file(struct source *source, struct err *err)
{
    struct stat status;
    const int file = open(source->name, O_RDONLY | O_CLOEXEC);
    int result = -1;

    if (file < 0)
        return file_failed(source->name, err);
    if (fstat(file, &status) != 0) {
        result = file_failed(source->name, err);
    } else if (S_ISREG(status.st_mode) && status.st_size > 0) {
        void *const map =
            mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        source->mapped = map != MAP_FAILED;
        if (source->mapped) {
            source->text = map;
            source->length = (size_t)status.st_size;
        }
        result = source->mapped ? 0 : file_failed(source->name, err);
    } else {
        result = copy_file(file, source, err);
    }
    (void)close(file);
    return result;
}

/* Room for one more slot.  Returns 0, or -1. */
static int make_room(struct archive_parts *parts)
{
    if (parts->slot_count < parts->slot_room)
        return 0;
    const size_t room = 2 * parts->slot_room + 256;
    struct slot *const more = realloc(parts->slots, room * sizeof *more);
    if (more == NULL)
        return -1;
    parts->slots = more;
    parts->slot_room = room;
    return 0;
}

/* Gives each line of the file a slot.  A file with nothing in it is one empty
   line, so that it is complained of. */
static int split_lines(struct archive_parts *parts, const struct source *source)
{
    const char *at = source->text;
    const char *const end = at + source->length;
    size_t line = 0;

    do {
        const char *const newline =
            at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        const char *const line_end = newline != NULL ? newline : end;

        if (make_room(parts) != 0)
            return -1;
        parts->slots[parts->slot_count++] = (struct slot){
            .file = source->name,
            .line = ++line,
            .text = at,
            .length = (size_t)(line_end - at),
            .ends = newline != NULL,
        };
        at = newline != NULL ? newline + 1 : end;
    } while (at < end);
    return 0;
}

static int load_files(struct archive_parts *parts, const char *const *files,
                      size_t file_count, struct err *err)
{
    for (size_t i = 0; i < file_count; i++) {
        struct source *const source = &parts->sources[i];

        source->name = files[i];
        parts->source_count++;
        if (load_file(source, err) != 0)
            return -1;
        if (split_lines(parts, source) != 0)
            return file_failed(source->name, err);
    }
    return 0;
}

int archive_read(struct archive *archive, const char *const *files,
                 size_t file_count, archive_complain *complain, void *context,
                 struct err *err)
{
    struct archive_parts *const parts = calloc(1, sizeof *parts);

    *archive = (struct archive){ .parts = parts };
    if (parts == NULL)
        return err_set(err, "out of memory");
    parts->sources = calloc(file_count + 1, sizeof *parts->sources);
    if (parts->sources == NULL ||
        load_files(parts, files, file_count, err) != 0) {
        archive_release(archive);
        return -1;
    }
    read_all_lines(parts);
    mark_duplicates(parts);
    sort_out(archive, complain, context);
    return 0;
}

void archive_release(struct archive *archive)
{
    struct archive_parts *const parts = archive->parts;

    if (parts != NULL) {
        for (size_t i = 0; i < parts->source_count; i++) {
            struct source *const source = &parts->sources[i];

            if (source->mapped)
                (void)munmap(source->text, source->length);
            else
                free(source->text);
        }
        for (size_t i = 0; i <= THREADS_MAX; i++)
            region_release(&parts->memory[i]);
        free(parts->sources);
        free(parts->slots);
        free(parts);
    }
    *archive = (struct archive){ 0 };
}

/* What is in a record */

const char *record_facts_find(const struct record_facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (strcmp(facts->items[i].key, key) == 0)
            return facts->items[i].value;
    }
    return NULL;
}

const char *record_parameter(const struct record *record, const char *name)
{
    const char *const value = record_facts_find(&record->parameters, name);

    return value != NULL ? value : "";
}

double record_phase_rate(const struct record_phase *phase)
{
    return phase->elapsed_ns > 0
               ? (double)phase->operations * 1e9 / (double)phase->elapsed_ns
               : 0;
}

uint64_t record_run_elapsed_ns(const struct record_run *run)
{
    uint64_t sum = 0;
    uint64_t longest = 0;

    for (size_t i = 0; i < run->phase_count; i++) {
        const uint64_t elapsed_ns = run->phases[i].elapsed_ns;

        sum += elapsed_ns;
        longest = elapsed_ns > longest ? elapsed_ns : longest;
    }
    return run->together ? longest : sum;
}

double record_run_rate(const struct record_run *run)
{
    const uint64_t elapsed_ns = record_run_elapsed_ns(run);
    uint64_t operations = 0;

    for (size_t i = 0; i < run->phase_count; i++)
        operations += run->phases[i].operations;
    return elapsed_ns > 0 ? (double)operations * 1e9 / (double)elapsed_ns : 0;
}

const struct record_phase *record_run_phase(const struct record_run *run,
                                            const char *name)
{
    for (size_t i = 0; i < run->phase_count; i++) {
        if (strcmp(run->phases[i].name, name) == 0)
            return &run->phases[i];
    }
    return NULL;
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
