/* SPDX-License-Identifier: ISC */
#include "store/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* From linux/magic.h and from the file systems' own headers. */
static const struct kind {
    unsigned long magic;
    const char *name;
} kinds[] = {
    { 0xef53, "ext4" },      { 0x58465342, "xfs" },   { 0x9123683e, "btrfs" },
    { 0x2fc12fc1, "zfs" },   { 0xf2f52010, "f2fs" },  { 0x794c7630, "overlayfs" },
    { 0x6969, "nfs" },       { 0xff534d42, "cifs" },  { 0x65735546, "fuse" },
    { 0x01021994, "tmpfs" }, { 0x858458f6, "ramfs" }, { 0, "unknown" },
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

const struct durability_limit file_system_limits[] = {
    { NULL,
      "file system",
      true,
      " tmpfs ramfs ",
      "file-system-in-memory",
      { LOSS_NOTHING, 0 },
      { LOSS_UNBOUNDED, 0 },
      NULL,
      "" },
    { .code = NULL },
};

void file_system_promise(const char *path, struct promise *promise)
{
    const char *const name = file_system_name(path);
    struct properties values = { .count = 0 };
    struct promise_setting *const setting =
        promise_set(promise, file_system_limits[0].setting, name, NULL);

    (void)snprintf(setting->text, sizeof setting->text, "on %s", name);
    properties_add(&values, setting->name, "%s", name);
    promise_limits(promise, file_system_limits, "", &values, 0);
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
