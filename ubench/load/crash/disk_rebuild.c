/* SPDX-License-Identifier: ISC */
#include "load/crash/disk_rebuild.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/random.h"
#include "load/crash/disk_record.h"

enum { NAMES_MAX = 64, PATH_ROOM = 4096 };

struct file;

/* Something that was done to a file, or to the name of one in the folder. */
struct change {
    struct disk_header header;
    const char *bytes; /* of a write, in the record */
    const char *name;  /* of DISK_CREATE and DISK_REMOVE */
    struct file *file; /* NULL: it is removed */
    struct change *next;
};

/* What was done to a file, or to the folder, and is not safe yet, in order.  Of
   its syncs only the end of the last one that began counts, so that nothing is
   taken for safe that is not, however many sync at a time. */
struct journal {
    struct change *first;
    struct change *last;
    bool syncing;
    uint64_t sync_number;
    struct change *synced; /* the last change before that sync, or NULL */
};

/* What is behind a name until it is removed. */
struct file {
    char *bytes; /* that are safe */
    uint64_t length;
    uint64_t room;
    struct journal journal;
};

struct entry {
    char name[DISK_NAME_MAX + 1]; /* "": a free place */
    struct file *file;
};

struct folder {
    struct entry safe[NAMES_MAX];
    struct entry now[NAMES_MAX];
    struct journal journal;
    uint64_t seed;
    uint64_t draws;
    struct arena memory;
};

/* Files and names */

static void set_length(struct folder *folder, struct file *file,
                       uint64_t length)
{
    if (length > file->room) {
        char *const bytes = arena_alloc(&folder->memory, length, 2);

        if (file->length > 0)
            memcpy(bytes, file->bytes, file->length);
        file->bytes = bytes;
        file->room = length * 2;
    }
    if (length > file->length)
        memset(file->bytes + file->length, 0, length - file->length);
    file->length = length;
}

/* Writes length bytes, from those of the change that belong there. */
static void put(struct folder *folder, const struct change *change,
                uint64_t offset, uint64_t length)
{
    struct file *const file = change->file;

    if (length == 0)
        return;
    if (offset + length > file->length)
        set_length(folder, file, offset + length);
    memcpy(file->bytes + offset,
           change->bytes + (offset - change->header.offset), length);
}

static struct entry *find(struct entry *entries, const char *name)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

/* Gives a name to a file, or takes it away (NULL). */
static void set_entry(struct entry *entries, const char *name,
                      struct file *file)
{
    struct entry *place = find(entries, name);

    if (place == NULL)
        place = find(entries, "");
    assert(place != NULL);
    (void)snprintf(place->name, sizeof place->name, "%s",
                   file != NULL ? name : "");
    place->file = file;
}

static void apply(struct folder *folder, const struct change *change)
{
    const struct disk_header *const header = &change->header;

    if (header->kind == DISK_WRITE)
        put(folder, change, header->offset, header->length);
    else if (header->kind == DISK_TRUNCATE)
        set_length(folder, change->file, header->offset);
    else
        set_entry(folder->safe, change->name, change->file);
}

/* The record */

static void add_change(struct folder *folder, struct journal *journal,
                       const struct change *change)
{
    struct change *const added = arena_alloc(&folder->memory, 1, sizeof *added);

    *added = *change;
    if (journal->first == NULL)
        journal->first = added;
    else
        journal->last->next = added;
    journal->last = added;
}

/* Makes the changes safe up to that one, which is there; NULL: none. */
static void make_safe(struct folder *folder, struct journal *journal,
                      const struct change *upto)
{
    while (upto != NULL) {
        const struct change *const change = journal->first;

        apply(folder, change);
        journal->first = change->next;
        if (change == upto)
            break;
    }
    if (journal->first == NULL)
        journal->last = NULL;
}

static void note_sync(struct folder *folder, struct journal *journal,
                      const struct disk_header *header)
{
    if (header->kind == DISK_SYNC) {
        journal->syncing = true;
        journal->sync_number = header->offset;
        journal->synced = journal->last;
    } else if (journal->syncing && journal->sync_number == header->offset) {
        journal->syncing = false;
        make_safe(folder, journal, journal->synced);
    }
}

static void rename_file(struct folder *folder, const struct disk_header *header,
                        const char *name, struct file *file)
{
    set_entry(folder->now, name, file);
    add_change(
        folder, &folder->journal,
        &(const struct change){ .header = *header,
                                .name = arena_text(&folder->memory, name),
                                .file = file });
}

static void take(struct folder *folder, const struct disk_header *header,
                 const char *name, const char *bytes)
{
    const struct entry *const entry =
        name[0] != '\0' ? find(folder->now, name) : NULL;
    struct file *file = entry != NULL ? entry->file : NULL;

    if (header->kind == DISK_CREATE) {
        file = arena_alloc(&folder->memory, 1, sizeof *file);
        *file = (struct file){ .bytes = NULL };
        rename_file(folder, header, name, file);
    } else if (name[0] == '\0') {
        note_sync(folder, &folder->journal, header);
    } else if (file == NULL) {
        return; /* written after it was removed: it is in no folder */
    } else if (header->kind == DISK_REMOVE) {
        rename_file(folder, header, name, NULL);
    } else if (header->kind == DISK_WRITE || header->kind == DISK_TRUNCATE) {
        add_change(folder, &file->journal,
                   &(const struct change){
                       .header = *header, .bytes = bytes, .file = file });
    } else {
        note_sync(folder, &file->journal, header);
    }
}

/* A sync that has begun has nothing left to do then. */
static void make_all_safe(struct folder *folder)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        struct file *const file = folder->now[i].file;

        if (file == NULL)
            continue;
        make_safe(folder, &file->journal, file->journal.last);
        file->journal.syncing = false;
    }
    make_safe(folder, &folder->journal, folder->journal.last);
    folder->journal.syncing = false;
}

static void replay(struct folder *folder, const char *record, size_t size,
                   uint64_t begun_ns)
{
    bool begun = false;
    size_t at = 0;

    while (at + sizeof(struct disk_header) <= size) {
        struct disk_header header;
        char name[DISK_NAME_MAX + 1] = "";

        memcpy(&header, record + at, sizeof header);
        at += sizeof header;
        if (header.name_length > DISK_NAME_MAX ||
            at + header.name_length + header.length > size)
            break;
        memcpy(name, record + at, header.name_length);
        at += header.name_length;
        if (!begun && header.at_ns >= begun_ns) {
            make_all_safe(folder);
            begun = true;
        }
        take(folder, &header, name, record + at);
        at += header.length;
    }
    if (!begun)
        make_all_safe(folder);
}

/* What is left */

static bool toss(struct folder *folder)
{
    return (random_at(folder->seed, folder->draws++) >> 63) != 0;
}

/* The sectors of a write that a bad disk has kept. */
static void keep_some(struct folder *folder, const struct change *change)
{
    uint64_t at = change->header.offset;
    const uint64_t end = at + change->header.length;

    if (change->header.kind == DISK_TRUNCATE) {
        if (toss(folder))
            apply(folder, change);
        return;
    }
    while (at < end) {
        const uint64_t border = at / DISK_SECTOR * DISK_SECTOR + DISK_SECTOR;
        const uint64_t to = border < end ? border : end;

        if (toss(folder))
            put(folder, change, at, to - at);
        at = to;
    }
}

/* Some of the names that are not safe, up to a moment by the seed. */
static void keep_some_names(struct folder *folder)
{
    const struct change *upto = NULL;
    uint64_t count = 1;

    for (const struct change *c = folder->journal.first; c != NULL; c = c->next)
        count++;
    uint64_t left = random_at(folder->seed, folder->draws++) % count;
    for (const struct change *c = folder->journal.first; left > 0;
         c = c->next, left--)
        upto = c;
    make_safe(folder, &folder->journal, upto);
}

/* Each with the index of its write-ahead log: what that was made of may be
   gone. */
static void remove_files(const char *folder, const struct entry *entries)
{
    char path[PATH_ROOM];

    for (int i = 0; i < NAMES_MAX; i++) {
        if (entries[i].name[0] == '\0')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i].name);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/%s-shm", folder, entries[i].name);
        (void)unlink(path);
    }
}

static int write_file(const char *folder, const struct entry *entry,
                      struct err *err)
{
    const struct file *const file = entry->file;
    char path[PATH_ROOM];

    (void)snprintf(path, sizeof path, "%s/%s", folder, entry->name);
    FILE *const out = fopen(path, "we");
    bool written = out != NULL;
    if (written && file->length > 0)
        written = fwrite(file->bytes, 1, file->length, out) == file->length;
    if (out != NULL && fclose(out) != 0)
        written = false;
    return written ? 0 : err_set(err, "%s: %s", path, strerror(errno));
}

static int write_folder(struct folder *folder, const char *path,
                        struct err *err)
{
    remove_files(path, folder->safe);
    remove_files(path, folder->now);
    keep_some_names(folder);
    for (int i = 0; i < NAMES_MAX; i++) {
        const struct entry *const entry = &folder->safe[i];

        if (entry->name[0] == '\0')
            continue;
        for (const struct change *c = entry->file->journal.first; c != NULL;
             c = c->next)
            keep_some(folder, c);
        if (write_file(path, entry, err) != 0)
            return -1;
    }
    return 0;
}

int disk_rebuild(const char *path, const char *record, size_t size,
                 uint64_t begun_ns, uint64_t seed, struct err *err)
{
    struct folder folder = { .seed = seed };

    replay(&folder, record, size, begun_ns);
    const bool known = folder.memory.chunks != NULL;
    const int status =
        known ? write_folder(&folder, path, err)
              : err_set(err, "the record has no files: was the shim loaded?");
    arena_release(&folder.memory);
    return status;
}

int disk_rebuild_file(const char *folder, const char *record_path,
                      uint64_t begun_ns, uint64_t seed, struct err *err)
{
    FILE *const file = fopen(record_path, "re");
    struct arena memory = { .left = 0 };
    size_t room = 1 << 20;
    size_t size = 0;

    if (file == NULL)
        return err_set(err, "%s: %s", record_path, strerror(errno));
    char *bytes = arena_alloc(&memory, room, 1);
    while ((size += fread(bytes + size, 1, room - size, file)) == room) {
        char *const more = arena_alloc(&memory, room, 4);

        bytes = memcpy(more, bytes, size);
        room *= 4;
    }
    (void)fclose(file);
    const int status = disk_rebuild(folder, bytes, size, begun_ns, seed, err);
    arena_release(&memory);
    return status;
}
