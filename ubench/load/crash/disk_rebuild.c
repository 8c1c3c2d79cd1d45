/* SPDX-License-Identifier: ISC */
#include "load/crash/disk_rebuild.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/random.h"
#include "load/crash/disk_record.h"

enum { NAMES_MAX = 64 };

static const char no_files[] = "the record has no files: was the shim loaded?";

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
    uint64_t longest; /* that it ever was, if all was kept */
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
    uint64_t holes; /* bytes of files that were never written */
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

static int damaged(const char *record, size_t at, const char *what,
                   uint64_t value, const char *wanted, struct err *err)
{
    return err_set(err, "%s: byte %zu: the %s is %" PRIu64 ", not %s", record,
                   at, what, value, wanted);
}

/* What a piece says of itself, before anything is done by it.  at is where it
   begins. */
static int check_header(const struct disk_header *header, const char *record,
                        size_t at, struct err *err)
{
    const bool is_sync =
        header->kind == DISK_SYNC || header->kind == DISK_SYNCED;
    const bool is_write = header->kind == DISK_WRITE;

    if (header->kind < DISK_CREATE || header->kind > DISK_SYNCED)
        return damaged(record, at, "kind", header->kind, "in 1..6", err);
    if (header->name_length > DISK_NAME_MAX ||
        (header->name_length == 0 && !is_sync))
        return damaged(record, at, "length of the name", header->name_length,
                       "in 1..255", err);
    if (header->length > (is_write ? DISK_WRITE_MAX : 0))
        return damaged(record, at, "number of bytes written", header->length,
                       is_write ? "in 0..2147479552" : "0", err);
    if (!is_sync && header->offset > DISK_OFFSET_MAX)
        return damaged(record, at, "place in the file", header->offset,
                       "in 0..1099511627776", err);
    return 0;
}

/* A name is one of a file in this folder. */
static int check_name(const char *name, size_t length, const char *record,
                      size_t at, struct err *err)
{
    if (strlen(name) == length && strchr(name, '/') == NULL &&
        strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        return 0;
    return err_set(err,
                   "%s: byte %zu: '%s' is not the name of a file in the folder",
                   record, at, name);
}

/* That there is room for what a piece adds. */
static int reserve(struct folder *folder, const struct disk_header *header,
                   const char *name, const char *record, size_t at,
                   struct err *err)
{
    const struct entry *const entry =
        name[0] != '\0' ? find(folder->now, name) : NULL;
    const uint64_t end = header->offset + header->length;

    if (header->kind == DISK_CREATE && entry == NULL &&
        find(folder->now, "") == NULL)
        return err_set(err, "%s: byte %zu: '%s' is one file more than %d",
                       record, at, name, NAMES_MAX);
    if (entry == NULL || entry->file == NULL || end <= entry->file->longest ||
        (header->kind != DISK_WRITE && header->kind != DISK_TRUNCATE))
        return 0;
    const uint64_t more = end - entry->file->longest;
    folder->holes += more > header->length ? more - header->length : 0;
    entry->file->longest = end;
    return folder->holes <= DISK_HOLES_MAX
               ? 0
               : damaged(record, at, "number of bytes never written",
                         folder->holes, "in 0..67108864", err);
}

/* A piece that has no end here is the last one, which a kill has cut off. */
static int replay(struct folder *folder, const char *name, const char *record,
                  size_t size, uint64_t begun_ns, struct err *err)
{
    bool begun = false;

    for (size_t at = 0; size - at >= sizeof(struct disk_header);) {
        struct disk_header header;
        char file[DISK_NAME_MAX + 1] = "";
        const size_t begin = at;

        memcpy(&header, record + at, sizeof header);
        at += sizeof header;
        if (check_header(&header, name, begin, err) != 0)
            return -1;
        if (header.name_length + header.length > size - at)
            break;
        memcpy(file, record + at, header.name_length);
        at += header.name_length;
        if (check_name(file, header.name_length, name, begin, err) != 0 ||
            reserve(folder, &header, file, name, begin, err) != 0)
            return -1;
        if (!begun && header.at_ns >= begun_ns) {
            make_all_safe(folder);
            begun = true;
        }
        take(folder, &header, file, record + at);
        at += header.length;
    }
    if (!begun)
        make_all_safe(folder);
    return 0;
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
    for (const struct change *c = folder->journal.first; c != NULL && left > 0;
         c = c->next, left--)
        upto = c;
    make_safe(folder, &folder->journal, upto);
}

/* Each with the index of its write-ahead log: what that was made of may be
   gone. */
static void remove_files(int to, const struct entry *entries)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        char index[sizeof entries[i].name + sizeof "-shm"];

        if (entries[i].name[0] == '\0')
            continue;
        (void)snprintf(index, sizeof index, "%s-shm", entries[i].name);
        (void)unlinkat(to, entries[i].name, 0);
        (void)unlinkat(to, index, 0);
    }
}

/* A file of its own, whatever is there: not what a link leads to. */
static int write_file(int to, const char *path, const struct entry *entry,
                      struct err *err)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const struct file *const file = entry->file;

    (void)unlinkat(to, entry->name, 0);
    const int opened = openat(to, entry->name, flags, 0644);
    FILE *const out = opened >= 0 ? fdopen(opened, "w") : NULL;
    bool written = out != NULL;
    if (written && file->length > 0)
        written = fwrite(file->bytes, 1, file->length, out) == file->length;
    if (out != NULL && fclose(out) != 0)
        written = false;
    return written
               ? 0
               : err_set(err, "%s/%s: %s", path, entry->name, strerror(errno));
}

static int write_folder(struct folder *folder, int to, const char *path,
                        struct err *err)
{
    remove_files(to, folder->safe);
    remove_files(to, folder->now);
    keep_some_names(folder);
    for (int i = 0; i < NAMES_MAX; i++) {
        const struct entry *const entry = &folder->safe[i];

        if (entry->name[0] == '\0')
            continue;
        for (const struct change *c = entry->file->journal.first; c != NULL;
             c = c->next)
            keep_some(folder, c);
        if (write_file(to, path, entry, err) != 0)
            return -1;
    }
    return 0;
}

int disk_rebuild(const char *path, const char *name, const char *record,
                 size_t size, uint64_t begun_ns, uint64_t seed, struct err *err)
{
    struct folder folder = { .seed = seed };
    int status = replay(&folder, name, record, size, begun_ns, err);

    if (status == 0 && folder.memory.chunks == NULL)
        status = err_set(err, "%s", no_files);
    if (status == 0) {
        const int to = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        status = to >= 0 ? write_folder(&folder, to, path, err)
                         : err_set(err, "%s: %s", path, strerror(errno));
        if (to >= 0)
            (void)close(to);
    }
    arena_release(&folder.memory);
    return status;
}

/* The bytes of a file, which is mapped: a record may be larger than memory. */
static void *map_record(const char *path, size_t *size, struct err *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    void *bytes = MAP_FAILED;

    if (file < 0 || fstat(file, &status) != 0)
        (void)err_set(err, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode) || status.st_size == 0)
        (void)err_set(err, "%s", no_files);
    else
        bytes = mmap(NULL, *size = (size_t)status.st_size, PROT_READ,
                     MAP_PRIVATE, file, 0);
    if (file >= 0)
        (void)close(file);
    return bytes;
}

int disk_rebuild_file(const char *folder, const char *path, uint64_t begun_ns,
                      uint64_t seed, struct err *err)
{
    size_t size = 0;
    void *const bytes = map_record(path, &size, err);

    if (bytes == MAP_FAILED)
        return size > 0 ? err_set(err, "%s: %s", path, strerror(errno)) : -1;
    const int status =
        disk_rebuild(folder, path, bytes, size, begun_ns, seed, err);
    (void)munmap(bytes, size);
    return status;
}
