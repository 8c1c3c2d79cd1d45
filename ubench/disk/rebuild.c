/* SPDX-License-Identifier: ISC */
/*
 * ubench_disk: puts into a folder what a bad disk could have kept of all that
 * ubench_disk.so has written down.  What was synced is there.  Of what was not,
 * each sector of each write is there or not, by the seed, whatever is there of
 * those before and after it; files that were made or removed since the folder
 * was synced are so up to some moment.  All that was before the load is taken
 * for synced.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/opt.h"
#include "core/random.h"
#include "disk/record.h"
#include "load/ledger.h"

enum { NAMES_MAX = 16 };

/* A change of a file that is not safe yet. */
struct change {
    struct disk_header header;
    const char *bytes;
};

/* What is behind a name until it is removed. */
struct file {
    char *bytes; /* that are safe */
    uint64_t length;
    uint64_t room;
    struct change *changes; /* in order */
    size_t change_count;
    bool syncing;      /* one has begun */
    uint64_t sync;     /* the number of the last that did */
    size_t sync_count; /* of the changes, those before it */
};

/* A name was given to a file, or taken away (-1). */
struct entry {
    char name[DISK_NAME_MAX + 1];
    int file;
};

struct folder {
    struct entry safe[NAMES_MAX]; /* name "": free */
    struct entry now[NAMES_MAX];
    struct entry *pending; /* in order */
    size_t pending_count;
    size_t pending_first;  /* the first that is not safe */
    size_t pending_synced; /* of these, those before its sync began */
    struct file *files;
    int file_count;
    uint64_t seed;
    uint64_t draws;
};

struct disk_config {
    const char *record;
    const char *folder;
    const char *ledger;
    uint64_t seed;
    bool help;
};

#define CONFIG struct disk_config
static const struct opt options[] = {
    { .kind = OPT_KIND_TEXT,
      .name = "record",
      .arg = "FILE",
      .help = "what ubench_disk.so wrote",
      .offset = OPT_FIELD_TEXT(CONFIG, record) },
    { .kind = OPT_KIND_TEXT,
      .name = "folder",
      .arg = "FOLDER",
      .help = "whose files are replaced",
      .offset = OPT_FIELD_TEXT(CONFIG, folder) },
    { .kind = OPT_KIND_TEXT,
      .name = "ledger",
      .arg = "FILE",
      .help = "of the load, which says when it began",
      .offset = OPT_FIELD_TEXT(CONFIG, ledger) },
    { .kind = OPT_KIND_COUNT,
      .name = "seed",
      .arg = "N",
      .fallback = "1",
      .max = UINT64_MAX,
      .help = "of what the disk kept",
      .offset = OPT_FIELD_COUNT(CONFIG, seed) },
    { .kind = OPT_KIND_FLAG,
      .letter = 'h',
      .name = "help",
      .help = "print this and exit",
      .offset = OPT_FIELD_BOOL(CONFIG, help) },
    { .kind = OPT_KIND_END },
};

static bool toss(struct folder *folder)
{
    return (random_at(folder->seed, folder->draws++) >> 63) != 0;
}

/* Memory that nobody can do without; a tool of one page ends here. */
static void *must_have(void *memory)
{
    if (memory == NULL) {
        (void)fprintf(stderr, "ubench_disk: out of memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* Files */

static void set_length(struct file *file, uint64_t length)
{
    if (length > file->room) {
        file->room = length * 2;
        file->bytes = must_have(realloc(file->bytes, file->room));
    }
    if (length > file->length)
        memset(file->bytes + file->length, 0, length - file->length);
    file->length = length;
}

static void put(struct file *file, uint64_t offset, const char *bytes,
                uint64_t length)
{
    if (length == 0)
        return;
    if (offset + length > file->length)
        set_length(file, offset + length);
    memcpy(file->bytes + offset, bytes, length);
}

static void apply(struct file *file, const struct change *change)
{
    if (change->header.kind == DISK_TRUNCATE)
        set_length(file, change->header.offset);
    else
        put(file, change->header.offset, change->bytes, change->header.length);
}

/* The sectors of a write that a bad disk has kept. */
static void apply_some(struct folder *folder, struct file *file,
                       const struct change *change)
{
    uint64_t at = change->header.offset;
    const uint64_t end = at + change->header.length;

    if (change->header.kind == DISK_TRUNCATE) {
        if (toss(folder))
            apply(file, change);
        return;
    }
    while (at < end) {
        const uint64_t border = at / DISK_SECTOR * DISK_SECTOR + DISK_SECTOR;
        const uint64_t to = border < end ? border : end;

        if (toss(folder))
            put(file, at, change->bytes + (at - change->header.offset),
                to - at);
        at = to;
    }
}

static void add_change(struct file *file, const struct disk_header *header,
                       const char *bytes)
{
    file->changes = must_have(realloc(
        file->changes, (file->change_count + 1) * sizeof *file->changes));
    file->changes[file->change_count++] =
        (struct change){ .header = *header, .bytes = bytes };
}

/* Makes the first changes safe. */
static void settle(struct file *file, size_t count)
{
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        apply(file, &file->changes[i]);
    file->change_count -= count;
    memmove(file->changes, file->changes + count,
            file->change_count * sizeof *file->changes);
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
        place = must_have(find(entries, ""));
    *place = *entry;
    if (entry->file < 0)
        place->name[0] = '\0';
}

static void change_entry(struct folder *folder, const char *name, int file)
{
    struct entry entry = { .file = file };

    (void)snprintf(entry.name, sizeof entry.name, "%s", name);
    set_entry(folder->now, &entry);
    folder->pending =
        must_have(realloc(folder->pending, (folder->pending_count + 1) *
                                               sizeof *folder->pending));
    folder->pending[folder->pending_count++] = entry;
}

/* Makes the entries safe up to that one. */
static void settle_entries(struct folder *folder, size_t end)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): release frees them */
    while (folder->pending_first < end)
        set_entry(folder->safe, &folder->pending[folder->pending_first++]);
}

/* The record */

static void sync_folder(struct folder *folder, const struct disk_header *header)
{
    if (header->kind == DISK_SYNC)
        folder->pending_synced = folder->pending_count;
    else
        settle_entries(folder, folder->pending_synced);
}

/* Several may sync a file at a time: only the end of the last that began
   counts, so that nothing is taken for safe that is not. */
static void sync_one(struct file *file, const struct disk_header *header)
{
    if (header->kind == DISK_SYNC) {
        file->syncing = true;
        file->sync = header->offset;
        file->sync_count = file->change_count;
    } else if (file->syncing && file->sync == header->offset) {
        settle(file, file->sync_count);
        file->syncing = false;
    }
}

static void take(struct folder *folder, const struct disk_header *header,
                 const char *name, const char *bytes)
{
    if (name[0] == '\0' &&
        (header->kind == DISK_SYNC || header->kind == DISK_SYNCED)) {
        sync_folder(folder, header);
        return;
    }
    if (header->kind == DISK_CREATE) {
        folder->files =
            must_have(realloc(folder->files, (size_t)(folder->file_count + 1) *
                                                 sizeof *folder->files));
        folder->files[folder->file_count] = (struct file){ .bytes = NULL };
        change_entry(folder, name, folder->file_count++);
        return;
    }
    const struct entry *const entry = find(folder->now, name);
    if (entry == NULL)
        return; /* written after it was removed: it is nobody's */
    assert(entry->file >= 0 && entry->file < folder->file_count);
    if (header->kind == DISK_REMOVE)
        change_entry(folder, name, -1);
    else if (header->kind == DISK_WRITE || header->kind == DISK_TRUNCATE)
        add_change(&folder->files[entry->file], header, bytes);
    else
        sync_one(&folder->files[entry->file], header);
}

static void settle_all(struct folder *folder)
{
    for (int i = 0; i < folder->file_count; i++)
        settle(&folder->files[i], folder->files[i].change_count);
    settle_entries(folder, folder->pending_count);
}

/* Goes through the record.  A last piece that was cut off by the kill was never
   done. */
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
}

/* What is left */

static int write_file(const char *path, const struct file *file,
                      struct err *err)
{
    FILE *const out = fopen(path, "we");

    if (out == NULL ||
        fwrite(file->bytes, 1, file->length, out) != file->length ||
        fclose(out) != 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    return 0;
}

static int write_folder(struct folder *folder, const char *path,
                        struct err *err)
{
    char name[4096];

    /* In some order, up to some moment. */
    const size_t pending = folder->pending_count - folder->pending_first;
    settle_entries(folder, folder->pending_first +
                               random_at(folder->seed, folder->draws++) %
                                   (pending + 1));
    for (int i = 0; i < NAMES_MAX; i++) {
        const struct entry *const gone = &folder->now[i];

        (void)snprintf(name, sizeof name, "%s/%s", path, gone->name);
        if (gone->name[0] != '\0')
            (void)unlink(name);
    }
    for (int i = 0; i < NAMES_MAX; i++) {
        const struct entry *const entry = &folder->safe[i];
        struct file *const file =
            entry->name[0] != '\0' ? &folder->files[entry->file] : NULL;

        if (file == NULL)
            continue;
        for (size_t k = 0; k < file->change_count; k++)
            apply_some(folder, file, &file->changes[k]);
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->name);
        if (write_file(name, file, err) != 0)
            return -1;
    }
    /* An index of what is no longer there. */
    (void)snprintf(name, sizeof name, "%s/store-shm", path);
    (void)unlink(name);
    return 0;
}

static void release(struct folder *folder)
{
    for (int i = 0; i < folder->file_count; i++) {
        free(folder->files[i].changes);
        free(folder->files[i].bytes);
    }
    free(folder->files);
    free(folder->pending);
}

static char *read_all(const char *path, size_t *size, struct err *err)
{
    FILE *const file = fopen(path, "re");
    char *bytes = NULL;
    size_t room = 0;

    *size = 0;
    if (file == NULL) {
        (void)err_set(err, "--record: %s: %s", path, strerror(errno));
        return NULL;
    }
    do {
        room = room * 2 + 65536;
        bytes = must_have(realloc(bytes, room));
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room);
    (void)fclose(file);
    return bytes;
}

static int rebuild(const struct disk_config *config, struct err *err)
{
    struct folder folder = { .seed = config->seed };
    struct ledger ledger;
    size_t size;

    if (ledger_open(&ledger, config->ledger, err) != 0)
        return -1;
    const uint64_t begun_ns = atomic_load(&ledger.header->begun_ns);
    ledger_close(&ledger);
    char *const record = read_all(config->record, &size, err);
    if (record == NULL)
        return -1;
    replay(&folder, record, size, begun_ns);
    const int status =
        folder.file_count == 0
            ? err_set(err, "--record: %s: has no files: was the shim loaded?",
                      config->record)
            : write_folder(&folder, config->folder, err);
    release(&folder);
    free(record);
    return status;
}

int main(int argc, char **argv)
{
    struct disk_config config = { .seed = 0 };
    struct err err = { 0 };

    if (opt_parse(options, &config, argc, argv, &err) == 0 && config.help) {
        (void)printf("Usage: ubench_disk --record FILE --folder FOLDER "
                     "--ledger FILE [--seed N]\n"
                     "Leaves in FOLDER what a bad disk could have kept; for "
                     "scripts/crash.sh.\n");
        opt_print_help(options, stdout);
        return EXIT_SUCCESS;
    }
    if (err.text[0] == '\0' && (config.record == NULL ||
                                config.folder == NULL || config.ledger == NULL))
        (void)err_set(&err, "--record, --folder and --ledger are needed");
    if (err.text[0] == '\0' && rebuild(&config, &err) == 0)
        return EXIT_SUCCESS;
    (void)fprintf(stderr, "ubench_disk: %s\n", err.text);
    return EXIT_FAILURE;
}
