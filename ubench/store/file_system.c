/* SPDX-License-Identifier: ISC */
#include "store/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Numbers of linux/magic.h and of the file systems' own headers. */
static const struct kind {
    unsigned long magic;
    const char *name;
    bool in_memory;
} kinds[] = {
    { 0xef53, "ext4", false },      { 0x58465342, "xfs", false },
    { 0x9123683e, "btrfs", false }, { 0x2fc12fc1, "zfs", false },
    { 0xf2f52010, "f2fs", false },  { 0x794c7630, "overlayfs", false },
    { 0x6969, "nfs", false },       { 0xff534d42, "cifs", false },
    { 0x65735546, "fuse", false },  { 0x01021994, "tmpfs", true },
    { 0x858458f6, "ramfs", true },  { 0, "unknown", false },
};

static const struct kind *find_kind(const char *path)
{
    const struct kind *kind = kinds;
    struct statfs status = { .f_type = 0 };

    (void)statfs(path, &status);
    while (kind->magic != 0 && kind->magic != (unsigned long)status.f_type)
        kind++;
    return kind;
}

const char *file_system_name(const char *path)
{
    return find_kind(path)->name;
}

enum durability file_system_limit(const char *path, enum durability durability)
{
    return durability > DURABILITY_PROCESS_SAFE && find_kind(path)->in_memory
               ? DURABILITY_PROCESS_SAFE
               : durability;
}

int file_system_sync_folder(const char *path)
{
    char copy[PATH_MAX];

    (void)snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int status = folder >= 0 ? fsync(folder) : -1;
    const int error = errno;
    if (folder >= 0)
        (void)close(folder);
    errno = error;
    return status;
}
