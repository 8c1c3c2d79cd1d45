/* SPDX-License-Identifier: ISC */
#include "record/archive.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/lines.h"
#include "record/reader.h"

/* What archive_read works with. */
struct gatherer {
    struct archive *archive;
    struct record *records; /* those of the archive, which may still move */
    size_t room;
    struct archive_crash *crashes;
    size_t crash_room;
    json_t *seen; /* each line that was used: where it stands */
    archive_complain *complain;
    void *context;
};

static void add_line(struct gatherer *to, const struct record_line *line)
{
    struct archive *const archive = to->archive;
    struct arena *const memory = &archive->memory;

    if (line->kind == RECORD_LINE_RESULT) {
        to->records = arena_grow(memory, to->records, archive->count, &to->room,
                                 sizeof *to->records);
        to->records[archive->count++] = *line->record;
        return;
    }
    char *const text = arena_alloc(memory, line->length, 1);
    to->crashes = arena_grow(memory, to->crashes, archive->crash_count,
                             &to->crash_room, sizeof *to->crashes);
    to->crashes[archive->crash_count++] =
        (struct archive_crash){ line->file, line->number,
                                memcpy(text, line->text, line->length),
                                line->length };
}

/* Of lines that are the same, byte for byte, the first is kept.  False if there
   was one before. */
static bool note_seen(struct gatherer *to, const struct record_line *line)
{
    const json_t *const first = json_object_get(to->seen, line->text);
    char place[512];

    if (first == NULL) {
        (void)snprintf(place, sizeof place, "%.400s:%zu", line->file,
                       line->number);
        (void)json_object_set_new_nocheck(to->seen, line->text,
                                          json_string_nocheck(place));
        return true;
    }
    (void)snprintf(place, sizeof place, "the line is the same as %.420s",
                   json_string_value(first));
    to->complain(to->context, line->file, line->number, place);
    return false;
}

static void read_line(struct gatherer *to, struct record_line line)
{
    record_read(&line, &to->archive->memory);
    if (line.kind == RECORD_LINE_BAD)
        to->complain(to->context, line.file, line.number, line.complaint);
    else if (note_seen(to, &line))
        add_line(to, &line);
}

/* A file with nothing in it is one empty line, so that it is complained of. */
static void read_lines(struct gatherer *to, const char *name,
                       struct lines *lines)
{
    struct record_line line = { .file = name, .text = "" };

    while (lines_next(lines)) {
        line.number++;
        line.text = lines->text;
        line.length = lines->length;
        if (lines->too_long)
            to->complain(to->context, name, line.number,
                         "the line is longer than 64 MiB");
        else
            read_line(to, line);
    }
    if (line.number == 0 && feof(lines->file)) {
        line.number = 1;
        read_line(to, line);
    }
}

static int read_file(struct gatherer *to, const char *name, struct err *err)
{
    const bool standard = strcmp(name, "-") == 0;
    struct lines lines = { .file = standard ? stdin : fopen(name, "re"),
                           .max = RECORD_LINE_MAX };

    if (lines.file == NULL)
        return err_set(err, "%s: %s", name, strerror(errno));
    read_lines(to, name, &lines);
    const int status =
        feof(lines.file) ? 0 : err_set(err, "%s: %s", name, strerror(errno));
    lines_release(&lines);
    if (!standard)
        (void)fclose(lines.file);
    return status;
}

int archive_read(struct archive *archive, const char *const *files,
                 size_t file_count, archive_complain *complain, void *context,
                 struct err *err)
{
    struct gatherer to = {
        .archive = archive,
        .seen = json_object(),
        .complain = complain,
        .context = context,
    };
    int status = 0;

    *archive = (struct archive){ 0 };
    for (size_t i = 0; i < file_count && status == 0; i++)
        status = read_file(&to, files[i], err);
    json_decref(to.seen);
    archive->records = to.records;
    archive->crashes = to.crashes;
    if (status != 0)
        archive_release(archive);
    return status;
}

static const char *why_not_open(const struct record *record)
{
    return record->runs[0].open != NULL
               ? "the rate of an open loop was asked for, not reached"
               : NULL;
}

static const char *why_not_part(const struct record *record)
{
    return record->part_count == 1
               ? "it is a part of a run; ubench_report merge puts all together"
               : NULL;
}

/* Leaves out, with a complaint, each record that there is a reason for. */
static void leave_out(struct archive *archive,
                      const char *(*why)(const struct record *record),
                      archive_complain *complain, void *context)
{
    struct record *const kept =
        arena_alloc(&archive->memory, archive->count, sizeof *kept);
    size_t count = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const char *const reason = why(record);

        if (reason != NULL)
            complain(context, record->file, record->line, reason);
        else
            kept[count++] = *record;
    }
    archive->records = kept;
    archive->count = count;
}

void archive_leave_out_open(struct archive *archive, archive_complain *complain,
                            void *context)
{
    leave_out(archive, why_not_open, complain, context);
}

void archive_leave_out_parts(struct archive *archive,
                             archive_complain *complain, void *context)
{
    leave_out(archive, why_not_part, complain, context);
}

static bool has_references_alone(const struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        if (!record_is_reference(&archive->records[i]))
            return false;
    }
    return true;
}

struct archive archive_filter(const struct archive *archive,
                              bool (*keep)(const struct record *record,
                                           const void *context),
                              const void *context, struct arena *memory)
{
    struct record *const records =
        arena_alloc(memory, archive->count + 1, sizeof *records);
    struct archive view = *archive;

    view.memory = (struct arena){ 0 };
    view.records = records;
    view.count = 0;
    for (size_t i = 0; i < archive->count; i++) {
        if (keep(&archive->records[i], context))
            records[view.count++] = archive->records[i];
    }
    return view;
}

/* Of which kinds, and whether there is nothing but references. */
struct wanted {
    unsigned kinds;
    bool alone;
};

static bool is_wanted(const struct record *record, const void *context)
{
    const struct wanted *const wanted = context;
    const enum archive_kind kind = record_is_reference(record) && !wanted->alone
                                       ? ARCHIVE_REFERENCE
                                   : record->runs[0].open != NULL ? ARCHIVE_OPEN
                                   : record->server != NULL ? ARCHIVE_SERVER
                                                            : ARCHIVE_CLOSED;

    return (wanted->kinds & kind) != 0;
}

struct archive archive_view(const struct archive *archive, unsigned kinds,
                            struct arena *memory)
{
    const struct wanted wanted = { kinds, has_references_alone(archive) };

    return archive_filter(archive, is_wanted, &wanted, memory);
}

void archive_release(struct archive *archive)
{
    arena_release(&archive->memory);
    *archive = (struct archive){ 0 };
}
