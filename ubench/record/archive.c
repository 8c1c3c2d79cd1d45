/* SPDX-License-Identifier: ISC */
/*
 * Lines are read in several threads; each has its own memory, and a slot per
 * line.
 */
#include "record/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/random.h"
#include "record/reader.h"

enum { THREADS_MAX = 16, LINES_AT_ONCE = 16 };

/* A file's text, mapped or, of a pipe, copied. */
struct source {
    const char *name;
    char *text;
    size_t length;
    bool mapped;
};

struct slot {
    struct record_line line;
    uint64_t hash;
};

struct archive_parts {
    size_t source_count;
    struct source *sources;
    size_t slot_count;
    size_t slot_room;
    struct slot *slots;
    atomic_size_t next; /* slot that no thread has taken yet */
    size_t thread_count;
    struct arena memory[THREADS_MAX + 1]; /* the last is the caller's */
};

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

/* All lines */

struct worker {
    struct archive_parts *parts;
    struct arena *memory;
    pthread_t thread;
};

static void read_slot(struct record_reader *reader, struct slot *slot)
{
    slot->hash = hash_text(slot->line.text, slot->line.length);
    record_reader_read(reader, &slot->line);
}

/* Takes lines, some at once, until there are none left. */
static void *read_lines(void *context)
{
    const struct worker *const worker = context;
    struct archive_parts *const parts = worker->parts;
    struct record_reader reader = { .memory = worker->memory };
    size_t first;

    while ((first = atomic_fetch_add(&parts->next, LINES_AT_ONCE)) <
           parts->slot_count) {
        for (size_t i = first;
             i < first + LINES_AT_ONCE && i < parts->slot_count; i++)
            read_slot(&reader, &parts->slots[i]);
    }
    record_reader_release(&reader);
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
    return a->hash == b->hash && a->line.length == b->line.length &&
           memcmp(a->line.text, b->line.text, a->line.length) == 0;
}

static void mark_duplicate(struct arena *memory, struct slot *slot,
                           const struct slot *first)
{
    char text[512];

    if (slot->line.kind == RECORD_LINE_BAD)
        return;
    (void)snprintf(text, sizeof text, "the line is the same as %.400s:%zu",
                   first->line.file, first->line.number);
    slot->line.kind = RECORD_LINE_BAD;
    slot->line.complaint = arena_text(memory, text);
}

/* Of lines that are the same, byte for byte, the first is kept. */
static void mark_duplicates(struct archive_parts *parts)
{
    struct arena *const memory = &parts->memory[THREADS_MAX];
    struct slot **const sorted =
        arena_alloc(memory, parts->slot_count, sizeof *sorted);
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
    struct arena *const memory = &parts->memory[THREADS_MAX];
    struct record *const records =
        arena_alloc(memory, parts->slot_count, sizeof *records);
    struct archive_other *const others =
        arena_alloc(memory, parts->slot_count, sizeof *others);

    for (size_t i = 0; i < parts->slot_count; i++) {
        const struct record_line *const line = &parts->slots[i].line;

        if (line->kind == RECORD_LINE_RESULT)
            records[archive->count++] = *line->record;
        else if (line->kind == RECORD_LINE_OTHER)
            others[archive->other_count++] =
                (struct archive_other){ line->file, line->number, line->format,
                                        line->text, line->length };
        else
            complain(context, line->file, line->number, line->complaint);
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
    const bool standard = strcmp(source->name, "-") == 0;
    const int file =
        standard ? dup(STDIN_FILENO) : open(source->name, O_RDONLY | O_CLOEXEC);
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
    size_t number = 0;

    do {
        const char *const newline =
            at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        const char *const line_end = newline != NULL ? newline : end;

        if (make_room(parts) != 0)
            return -1;
        parts->slots[parts->slot_count++].line = (struct record_line){
            .file = source->name,
            .number = ++number,
            .text = at,
            .length = (size_t)(line_end - at),
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

void archive_leave_out_open(struct archive *archive, archive_complain *complain,
                            void *context)
{
    struct record *const kept = arena_alloc(
        &archive->parts->memory[THREADS_MAX], archive->count, sizeof *kept);
    size_t count = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];

        if (record->runs[0].open)
            complain(context, record->file, record->line,
                     "the rate of an open loop was asked for, not reached");
        else
            kept[count++] = *record;
    }
    archive->records = kept;
    archive->count = count;
}

static bool has_references_alone(const struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        if (!record_is_reference(&archive->records[i]))
            return false;
    }
    return true;
}

struct archive archive_view(const struct archive *archive, unsigned kinds,
                            struct arena *memory)
{
    const bool alone = has_references_alone(archive);
    struct record *const records =
        arena_alloc(memory, archive->count + 1, sizeof *records);
    struct archive view = *archive;

    view.parts = NULL;
    view.records = records;
    view.count = 0;
    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const enum archive_kind kind =
            record_is_reference(record) && !alone ? ARCHIVE_REFERENCE
            : record->runs[0].open != NULL        ? ARCHIVE_OPEN
                                                  : ARCHIVE_CLOSED;

        if ((kinds & kind) != 0)
            records[view.count++] = *record;
    }
    return view;
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
            arena_release(&parts->memory[i]);
        free(parts->sources);
        free(parts->slots);
        free(parts);
    }
    *archive = (struct archive){ 0 };
}
