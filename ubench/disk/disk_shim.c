/* SPDX-License-Identifier: ISC */
/*
 * ubench_disk.so, for LD_PRELOAD: writes down in UBENCH_DISK_RECORD what a
 * process does to the files in UBENCH_DISK_FOLDER.  It changes nothing.  What
 * is mapped into memory is not seen; of the stores that are tried with it only
 * SQLite does so, with the index of its write-ahead log (-shm), which is made
 * anew after a crash and left out here.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/clock.h"

/* The record of what was done to files, for campaigns/crash_disk.py: these
   headers, each followed by the file's name in the folder and, for a write, by
   its bytes. */
enum disk_kind {
    DISK_CREATE = 1, /* a file of that name, of its own number */
    DISK_REMOVE,
    DISK_WRITE,    /* length bytes at offset */
    DISK_TRUNCATE, /* to offset */
    DISK_SYNC,     /* begins; offset has a number of its own */
    DISK_SYNCED,   /* that one has ended well: what was done to the file before
                      it began is safe.  An empty name: the folder */
};

struct disk_header {
    uint32_t kind;
    uint32_t name_length;
    uint64_t at_ns; /* by the clock of core/clock.h */
    uint64_t offset;
    uint64_t length; /* of the bytes that follow the name */
};

enum { DISK_NAME_MAX = 255, FILES_MAX = 1024 };

/* By descriptor: the file's name in the folder; "" for the folder itself and
   NULL for what is none of ours.  A descriptor belongs to one thread at a time
   while it is opened and closed. */
static char *_Atomic names[FILES_MAX];
static _Atomic(uint64_t) syncs;

static int record;

__attribute__((constructor)) static void open_record(void)
{
    const char *const path = getenv("UBENCH_DISK_RECORD");

    record = path == NULL ? -1
                          : (int)syscall(SYS_openat, AT_FDCWD, path,
                                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

/* The name in the folder of a path, or NULL if it is not in there. */
static const char *name_in_folder(const char *path)
{
    const char *const folder = getenv("UBENCH_DISK_FOLDER");
    const size_t length = folder != NULL ? strlen(folder) : 0;

    if (length == 0 || strncmp(path, folder, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return "";
    if (path[length] != '/')
        return NULL;
    const char *const name = path + length + 1;
    const size_t name_length = strlen(name);
    if (name_length >= 4 && strcmp(name + name_length - 4, "-shm") == 0)
        return NULL;
    return name_length <= DISK_NAME_MAX ? name : NULL;
}

/* Records a change of a file; a name of NULL is a file of others, which is not
   recorded.  One call of writev: threads do not mix their records. */
static void note(enum disk_kind kind, const char *name, uint64_t offset, const void *bytes,
                 size_t length)
{
    if (name == NULL)
        return;
    struct disk_header header = {
        .kind = kind,
        .name_length = (uint32_t)strlen(name),
        .at_ns = clock_now_ns(),
        .offset = offset,
        .length = length,
    };
    const struct iovec parts[] = {
        { .iov_base = &header, .iov_len = sizeof header },
        { .iov_base = (void *)(uintptr_t)name, .iov_len = header.name_length },
        { .iov_base = (void *)(uintptr_t)bytes, .iov_len = length },
    };
    const ssize_t whole = (ssize_t)(sizeof header + header.name_length + length);

    /* Half a record would be taken for a lie of the store. */
    if (writev(record, parts, 3) != whole)
        abort();
}

static const char *name_of(int file)
{
    return file >= 0 && file < FILES_MAX ? atomic_load(&names[file]) : NULL;
}

/* The functions that take the place of glibc's, which they may not call; off_t
   has 64 bits. */

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...) __attribute__((alias("open"), nonnull(1)));
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset)
    __attribute__((alias("pwrite")));
int ftruncate64(int file, off_t length) __attribute__((alias("ftruncate"), nothrow, leaf));

int open(const char *path, int flags, ...)
{
    const char *const name = name_in_folder(path);
    struct stat status;
    const bool there = name == NULL || stat(path, &status) == 0;
    mode_t mode = 0;
    va_list rest;

    va_start(rest, flags);
    if ((flags & O_CREAT) != 0)
        mode = va_arg(rest, mode_t);
    va_end(rest);
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (name == NULL || file < 0 || file >= FILES_MAX)
        return file;
    atomic_store(&names[file], strdup(name));
    if (!there)
        note(DISK_CREATE, name, 0, NULL, 0);
    if ((flags & O_TRUNC) != 0)
        note(DISK_TRUNCATE, name, 0, NULL, 0);
    return file;
}

int close(int file)
{
    if (file >= 0 && file < FILES_MAX)
        free(atomic_exchange(&names[file], NULL));
    return (int)syscall(SYS_close, file);
}

ssize_t write(int file, const void *bytes, size_t length)
{
    const char *const name = name_of(file);

    if (name != NULL)
        note(DISK_WRITE, name, (uint64_t)lseek(file, 0, SEEK_CUR), bytes, length);
    return syscall(SYS_write, file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset)
{
    note(DISK_WRITE, name_of(file), (uint64_t)offset, bytes, length);
    return syscall(SYS_pwrite64, file, bytes, length, offset);
}

int ftruncate(int file, off_t length)
{
    note(DISK_TRUNCATE, name_of(file), (uint64_t)length, NULL, 0);
    return (int)syscall(SYS_ftruncate, file, length);
}

static int sync_noted(int file, long call)
{
    const char *const name = name_of(file);
    const uint64_t number = atomic_fetch_add(&syncs, 1);

    note(DISK_SYNC, name, number, NULL, 0);
    const int status = (int)syscall(call, file);
    if (status == 0)
        note(DISK_SYNCED, name, number, NULL, 0);
    return status;
}

int fsync(int file)
{
    return sync_noted(file, SYS_fsync);
}

int fdatasync(int file)
{
    return sync_noted(file, SYS_fdatasync);
}

int unlink(const char *path)
{
    note(DISK_REMOVE, name_in_folder(path), 0, NULL, 0);
    return (int)syscall(SYS_unlink, path);
}
