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

/* What was done to a file and is not safe yet. */
struct change {
    struct disk_header header;
    const char *bytes; /* in the record */
    struct change *next;
};

/* The last sync that began: only its end counts, so that nothing is taken for
   safe that is not, however many sync at a time. */
struct sync {
    bool begun;
    uint64_t number;
};

/* What is behind a name until it is removed. */
struct file {
    char *bytes; /* that are safe */
    uint64_t length;
    uint64_t room;
    struct change *first;
    struct change *last;
    struct sync sync;
    struct change *synced; /* the last change before it, or NULL */
};

/* A name was given to a file, or taken away (NULL). */
struct entry {
    char name[DISK_NAME_MAX + 1]; /* "": a free place */
    struct file *file;
    struct entry *next; /* of those that are not safe */
};

struct folder {
    struct entry safe[NAMES_MAX];
    struct entry now[NAMES_MAX];
    struct entry *first; /* not safe, in order */
    struct entry *last;
    struct sync sync;
    struct entry *synced; /* the last of them before it, or NULL */
    uint64_t seed;
    uint64_t draws;
    struct arena memory;
};

static bool toss(struct folder *folder)
{
    return (random_at(folder->seed, folder->draws++) >> 63) != 0;
}

/* Files */

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

static void put(struct folder *folder, struct file *file, uint64_t offset,
                const char *bytes, uint64_t length)
{
    if (length == 0)
        return;
    if (offset + length > file->length)
        set_length(folder, file, offset + length);
    memcpy(file->bytes + offset, bytes, length);
}

static void apply(struct folder *folder, struct file *file,
                  const struct change *change)
{
    const struct disk_header *const header = &change->header;

    if (header->kind == DISK_TRUNCATE)
        set_length(folder, file, header->offset);
    else
        put(folder, file, header->offset, change->bytes, header->length);
}

/* The sectors of a write that a bad disk has kept. */
static void apply_some(struct folder *folder, struct file *file,
                       const struct change *change)
{
    uint64_t at = change->header.offset;
    const uint64_t end = at + change->header.length;

    if (change->header.kind == DISK_TRUNCATE) {
        if (toss(folder))
            apply(folder, file, change);
        return;
    }
    while (at < end) {
        const uint64_t border = at / DISK_SECTOR * DISK_SECTOR + DISK_SECTOR;
        const uint64_t to = border < end ? border : end;

        if (toss(folder))
            put(folder, file, at, change->bytes + (at - change->header.offset),
                to - at);
        at = to;
    }
}

static void add_change(struct folder *folder, struct file *file,
                       const struct disk_header *header, const char *bytes)
{
    struct change *const change =
        arena_alloc(&folder->memory, 1, sizeof *change);

    *change = (struct change){ .header = *header, .bytes = bytes };
    if (file->first == NULL)
        file->first = change;
    else
        file->last->next = change;
    file->last = change;
}

/* Makes the changes safe up to that one, which is there; NULL: none. */
static void settle(struct folder *folder, struct file *file,
                   const struct change *upto)
{
    while (upto != NULL) {
        const struct change *const change = file->first;

        apply(folder, file, change);
        file->first = change->next;
        if (change == upto)
            break;
    }
}

/* Names */

static struct entry *find(struct entry *entries, const char *name)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

static void set_entry(struct entry *entries, const struct entry *entry)
{
    struct entry *place = find(entries, entry->name);

    if (place == NULL)
        place = find(entries, "");
    assert(place != NULL);
    *place = *entry;
    if (entry->file == NULL)
        place->name[0] = '\0';
}

static void change_entry(struct folder *folder, const char *name,
                         struct file *file)
{
    struct entry *const entry = arena_alloc(&folder->memory, 1, sizeof *entry);

    *entry = (struct entry){ .file = file };
    (void)snprintf(entry->name, sizeof entry->name, "%s", name);
    set_entry(folder->now, entry);
    if (folder->first == NULL)
        folder->first = entry;
    else
        folder->last->next = entry;
    folder->last = entry;
}

/* Makes the entries safe up to that one, which is there; NULL: none. */
static void settle_entries(struct folder *folder, const struct entry *upto)
{
    while (upto != NULL) {
        const struct entry *const entry = folder->first;

        set_entry(folder->safe, entry);
        folder->first = entry->next;
        if (entry == upto)
            break;
    }
}

/* The record */

/* True if a sync begins, or one ends that counts. */
static bool is_sync(struct sync *sync, const struct disk_header *header)
{
    if (header->kind == DISK_SYNC)
        *sync = (struct sync){ .begun = true, .number = header->offset };
    else if (!sync->begun || sync->number != header->offset)
        return false;
    else
        sync->begun = false;
    return true;
}

static void sync_folder(struct folder *folder, const struct disk_header *header)
{
    if (!is_sync(&folder->sync, header))
        return;
    if (folder->sync.begun)
        folder->synced = folder->first != NULL ? folder->last : NULL;
    else
        settle_entries(folder, folder->synced);
}

static void sync_file(struct folder *folder, struct file *file,
                      const struct disk_header *header)
{
    if (!is_sync(&file->sync, header))
        return;
    if (file->sync.begun)
        file->synced = file->first != NULL ? file->last : NULL;
    else
        settle(folder, file, file->synced);
}

static void take(struct folder *folder, const struct disk_header *header,
                 const char *name, const char *bytes)
{
    struct entry *const entry =
        name[0] != '\0' ? find(folder->now, name) : NULL;

    assert(entry == NULL || entry->file != NULL);
    if (header->kind == DISK_CREATE) {
        struct file *const file = arena_alloc(&folder->memory, 1, sizeof *file);

        *file = (struct file){ .bytes = NULL };
        change_entry(folder, name, file);
        return;
    }
    if (name[0] == '\0')
        sync_folder(folder, header);
    else if (entry == NULL)
        return; /* written after it was removed: it is nobody's */
    else if (header->kind == DISK_REMOVE)
        change_entry(folder, name, NULL);
    else if (header->kind == DISK_WRITE || header->kind == DISK_TRUNCATE)
        add_change(folder, entry->file, header, bytes);
    else
        sync_file(folder, entry->file, header);
}

/* A sync that has begun has nothing left to do then. */
static void settle_all(struct folder *folder)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        struct file *const file = folder->now[i].file;

        if (folder->now[i].name[0] == '\0')
            continue;
        settle(folder, file, file->first != NULL ? file->last : NULL);
        file->sync.begun = false;
    }
    settle_entries(folder, folder->first != NULL ? folder->last : NULL);
    folder->sync.begun = false;
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
            settle_all(folder);
            begun = true;
        }
        take(folder, &header, name, record + at);
        at += header.length;
    }
    if (!begun)
        settle_all(folder);
}

/* What is left */

/* Some of the entries that are not safe, up to a moment by the seed. */
static void settle_some_entries(struct folder *folder)
{
    const struct entry *upto = NULL;
    uint64_t count = 1;

    for (const struct entry *e = folder->first; e != NULL; e = e->next)
        count++;
    uint64_t left = random_at(folder->seed, folder->draws++) % count;
    for (const struct entry *e = folder->first; e != NULL && left > 0;
         e = e->next, left--)
        upto = e;
    settle_entries(folder, upto);
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
    settle_some_entries(folder);
    for (int i = 0; i < NAMES_MAX; i++) {
        const struct entry *const entry = &folder->safe[i];

        if (entry->name[0] == '\0')
            continue;
        for (const struct change *c = entry->file->first; c != NULL;
             c = c->next)
            apply_some(folder, entry->file, c);
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
