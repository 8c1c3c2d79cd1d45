/* SPDX-License-Identifier: ISC */
/* Describes the mount that contains a path, and the disk below it. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "measure/host/host.h"
#include "measure/host/kernel_files.h"

enum { TEXT_SIZE = sizeof((struct property *)0)->value };

/* Writes the absolute path below root, with links resolved; if the file does
   not exist yet, that of its directory.  Returns false on failure. */
static bool resolve(const char *root, const char *path, char resolved[static PATH_MAX])
{
    char full[PATH_MAX];
    char top[PATH_MAX] = "";

    if (!kernel_path(root, path, full) || (root[0] != '\0' && realpath(root, top) == NULL) ||
        (realpath(full, resolved) == NULL &&
         (errno != ENOENT || realpath(dirname(full), resolved) == NULL)))
        return false;
    const size_t skip = strlen(top);
    if (strncmp(resolved, top, skip) != 0)
        return false;
    memmove(resolved, resolved + skip, strlen(resolved + skip) + 1);
    return true;
}

/* Adds the mount point, without the name of a person: that of a directory in
   one of homes. */
static void add_point(const char *point, struct properties *properties)
{
    static const char *const homes[] = {
        "/home/", "/media/", "/run/media/", "/run/user/", "/var/home/",
    };
    char text[TEXT_SIZE];

    (void)snprintf(text, TEXT_SIZE, "%.*s", TEXT_SIZE - 1, point);
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const size_t length = strlen(homes[i]);
        if (strncmp(point, homes[i], length) == 0)
            (void)snprintf(text, TEXT_SIZE, "%s<name>%s", homes[i],
                           point + length + strcspn(point + length, "/"));
    }
    properties_add(properties, "mount_point", "%s", text);
}

/* Returns true if an option may be published: a bare word, or one of these
   keys, which affect speed or durability.  Other options may contain names,
   paths and addresses. */
static bool is_harmless(const char *option)
{
    static const char keys[] = " barrier commit compress data discard errors fsync_mode logbsize "
                               "logbufs rsize size stripe sync vers wsize ";
    const size_t length = strcspn(option, "=");
    char key[32];

    (void)snprintf(key, sizeof key, " %.*s ", (int)length, option);
    return option[strspn(option, "abcdefghijklmnopqrstuvwxyz0123456789_-=.")] == '\0' &&
           (option[length] == '\0' || strstr(keys, key) != NULL);
}

static void add_options(char *rest, struct properties *properties)
{
    char text[TEXT_SIZE] = "";
    size_t used = 0;

    while (rest != NULL) {
        const char *const option = strsep(&rest, ",");

        if (is_harmless(option) && used + strlen(option) + 1 < TEXT_SIZE)
            used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%s", used > 0 ? "," : "",
                                     option);
    }
    properties_add(properties, "mount_options", "%s", text);
}

/* Adds the mount with the longest mount point above path, and writes the name
   of its device.  Of two mounts on the same point the later one hides the
   other.  Returns false if there is none. */
static bool add_mount(const char *root, const char *path, char source[static PATH_MAX],
                      struct properties *properties)
{
    FILE *const file = kernel_open(root, "/proc/self/mounts");
    const struct mntent *mount;
    size_t longest = 0;

    if (file == NULL)
        return false;
    while ((mount = getmntent(file)) != NULL) {
        const size_t length = strlen(mount->mnt_dir);

        if (length < longest || strncmp(path, mount->mnt_dir, length) != 0 ||
            (length > 1 && path[length] != '/' && path[length] != '\0'))
            continue;
        longest = length;
        (void)snprintf(source, PATH_MAX, "%s", mount->mnt_fsname);
        properties_add(properties, "file_system", "%s", mount->mnt_type);
        add_point(mount->mnt_dir, properties);
        add_options(mount->mnt_opts, properties);
    }
    (void)fclose(file);
    return longest > 0;
}

/* Writes the directory in sysfs of the block device below a file, with links
   resolved.  Finds it by device number or, since btrfs invents its numbers, by
   the name of the disk.  Returns false on failure. */
static bool find_device(const char *root, const char *path, const char *source,
                        char device[static PATH_MAX])
{
    char full[PATH_MAX];
    char name[NAME_MAX + 32];
    struct stat file;

    if (kernel_path(root, path, full) && stat(full, &file) == 0) {
        (void)snprintf(name, sizeof name, "/sys/dev/block/%u:%u", major(file.st_dev),
                       minor(file.st_dev));
        if (kernel_path(root, name, full) && realpath(full, device) != NULL)
            return true;
    }
    if (strncmp(source, "/dev/", 5) != 0 || !kernel_path(root, source, full) ||
        realpath(full, device) == NULL)
        return false;
    (void)snprintf(name, sizeof name, "/sys/class/block/%.*s", NAME_MAX, strrchr(device, '/') + 1);
    return kernel_path(root, name, full) && realpath(full, device) != NULL;
}

/* Adds a block device; device is its directory, including root. */
static void add_disk(char device[static PATH_MAX], struct properties *properties)
{
    char *const last = strrchr(device, '/');
    char name[NAME_MAX + 1];
    char text[64];

    (void)snprintf(name, sizeof name, "%.*s", NAME_MAX, last + 1);
    const bool partition = kernel_text(device, "/partition", "", text, sizeof text);
    if (partition) /* the directory above, of the disk, has the rest */
        *last = '\0';
    const bool model = kernel_text(device, "/device/model", "", text, sizeof text);
    properties_add(properties, "device", "%s%s%s%s%s%s", name, partition ? " on " : "",
                   partition ? strrchr(device, '/') + 1 : "", model ? " (" : "", model ? text : "",
                   model ? ")" : "");
    if (kernel_text(device, "/queue/write_cache", "", text, sizeof text))
        properties_add(properties, "write_cache", "%s", text);
    if (kernel_text(device, "/queue/rotational", "", text, sizeof text) &&
        (text[0] == '0' || text[0] == '1'))
        properties_add(properties, "rotational", text[0] == '1' ? "yes" : "no");
}

void host_describe_path(const char *root, const char *path, struct properties *properties)
{
    static const char *const keys[] = { "file_system", "mount_point", "mount_options",
                                        "device",      "write_cache", "rotational" };
    char resolved[PATH_MAX];
    char source[PATH_MAX];
    char device[PATH_MAX];

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        properties_add(properties, keys[i], "unknown");
    if (!resolve(root, path, resolved) || !add_mount(root, resolved, source, properties))
        return;
    const char *const type = properties_find(properties, "file_system");
    if (strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0)
        properties_add(properties, "device", "none (memory)");
    else if (find_device(root, resolved, source, device))
        add_disk(device, properties);
}

uint64_t host_device_written_bytes(const char *path)
{
    enum { SECTOR_BYTES = 512 };
    struct stat status;
    char file[64];
    char line[512] = "";
    uint64_t sectors;

    if (stat(path, &status) != 0)
        return HOST_UNKNOWN;
    (void)snprintf(file, sizeof file, "/sys/dev/block/%u:%u/stat", major(status.st_dev),
                   minor(status.st_dev));
    /* Documentation/block/stat.rst: the seventh field. */
    if (!kernel_text("", file, "", line, sizeof line) ||
        sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNu64, &sectors) != 1)
        return HOST_UNKNOWN;
    return sectors * SECTOR_BYTES;
}
