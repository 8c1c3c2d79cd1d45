/* SPDX-License-Identifier: ISC */
/* What lies below a path: its mount, and the disk below that. */
#include <errno.h>
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

/* What lies at a mount point. */
struct mount {
    char point[PATH_MAX];
    char options[512];
    char type[64];
    char source[PATH_MAX];
};

static bool is_below(const char *path, const char *point)
{
    const size_t length = strlen(point);

    if (strcmp(point, "/") == 0)
        return true;
    return strncmp(path, point, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* The mount with the longest name above path; of two on one place, the later
   one hides the other. */
static bool find_mount(const char *root, const char *path, struct mount *found)
{
    FILE *const file = kernel_open(root, "/proc/self/mounts");
    const struct mntent *mount;
    size_t longest = 0;

    if (file == NULL)
        return false;
    while ((mount = getmntent(file)) != NULL) {
        const size_t length = strlen(mount->mnt_dir);

        if (length < longest || !is_below(path, mount->mnt_dir))
            continue;
        longest = length;
        (void)snprintf(found->point, PATH_MAX, "%s", mount->mnt_dir);
        (void)snprintf(found->options, sizeof found->options, "%s",
                       mount->mnt_opts);
        (void)snprintf(found->type, sizeof found->type, "%s", mount->mnt_type);
        (void)snprintf(found->source, PATH_MAX, "%s", mount->mnt_fsname);
    }
    (void)fclose(file);
    return longest > 0;
}

/* The absolute path below root, without links; of a file that is not there
   yet, that of its folder. */
static bool resolve(const char *root, const char *path,
                    char resolved[static PATH_MAX])
{
    char full[PATH_MAX];
    char top[PATH_MAX] = "";

    if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full ||
        (root[0] != '\0' && realpath(root, top) == NULL))
        return false;
    if (realpath(full, resolved) == NULL &&
        (errno != ENOENT || realpath(dirname(full), resolved) == NULL))
        return false;
    const size_t skip = strlen(top);
    if (strncmp(resolved, top, skip) != 0)
        return false;
    memmove(resolved, resolved + skip, strlen(resolved + skip) + 1);
    return true;
}

/* Hides the name of a person in a path: that of a folder in these. */
static void write_point(const char *point, char *text)
{
    static const char *const homes[] = {
        "/home/", "/media/", "/run/media/", "/run/user/", "/var/home/",
    };

    (void)snprintf(text, TEXT_SIZE, "%.*s", TEXT_SIZE - 1, point);
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const size_t length = strlen(homes[i]);
        if (strncmp(point, homes[i], length) == 0)
            (void)snprintf(text, TEXT_SIZE, "%s<name>%s", homes[i],
                           point + length + strcspn(point + length, "/"));
    }
    for (; *text != '\0'; text++)
        *text = *text < ' ' || *text > '~' ? '?' : *text;
}

/* Whether an option may be published: a bare word, or one of these, which bear
   on speed or durability.  Others may hold names, paths and addresses. */
static bool is_harmless(const char *option)
{
    static const char keys[] =
        " barrier commit compress data discard errors fsync_mode logbsize "
        "logbufs rsize size stripe sync vers wsize ";
    const size_t length = strcspn(option, "=");
    char key[32];

    (void)snprintf(key, sizeof key, " %.*s ", (int)length, option);
    return option[strspn(option, "abcdefghijklmnopqrstuvwxyz0123456789_-=.")] ==
               '\0' &&
           (option[length] == '\0' || strstr(keys, key) != NULL);
}

static void write_options(struct mount *mount, char *text)
{
    char *rest = mount->options;
    size_t used = 0;

    text[0] = '\0';
    while (rest != NULL) {
        const char *const option = strsep(&rest, ",");

        if (is_harmless(option) && used + strlen(option) + 1 < TEXT_SIZE)
            used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%s",
                                     used > 0 ? "," : "", option);
    }
}

/* Room for the path of a block device's folder in sysfs. */
enum { FOLDER_SIZE = NAME_MAX + 32 };

/* The last word of the path of a folder or of a link to one. */
static bool real_name(const char *root, const char *path, char *name,
                      size_t size)
{
    char full[PATH_MAX];
    char resolved[PATH_MAX];

    if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full ||
        realpath(full, resolved) == NULL)
        return false;
    return snprintf(name, size, "%s", strrchr(resolved, '/') + 1) < (int)size;
}

/* The folder in sysfs of the block device below a file: that of its number, or,
   as btrfs makes up its own numbers, that of the disk that it names. */
static bool find_device(const char *root, const char *path,
                        const struct mount *mount,
                        char folder[static FOLDER_SIZE])
{
    char full[PATH_MAX];
    char name[NAME_MAX + 1];
    struct stat file;

    if (snprintf(full, sizeof full, "%s%s", root, path) < (int)sizeof full &&
        stat(full, &file) == 0) {
        (void)snprintf(folder, FOLDER_SIZE, "/sys/dev/block/%u:%u",
                       major(file.st_dev), minor(file.st_dev));
        if (kernel_exists(root, folder))
            return true;
    }
    if (strncmp(mount->source, "/dev/", 5) != 0 ||
        !real_name(root, mount->source, name, sizeof name))
        return false;
    (void)snprintf(folder, FOLDER_SIZE, "/sys/class/block/%s", name);
    return kernel_exists(root, folder);
}

/* Reads a file of a block device. */
static bool read_file(const char *root, const char *folder, const char *name,
                      char *text, size_t size)
{
    char path[FOLDER_SIZE + 32];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return kernel_text(root, path, "", text, size);
}

/* What a file system is on; each text is "unknown" unless known. */
struct disk {
    char device[TEXT_SIZE];
    char write_cache[TEXT_SIZE];
    char rotational[TEXT_SIZE];
};

static void read_disk(const char *root, const char *path,
                      const struct mount *mount, struct disk *found)
{
    char device[FOLDER_SIZE];
    char disk[FOLDER_SIZE + 4]; /* the device's or, above it, a partition's */
    char name[64] = "unknown";
    char disk_name[64] = "unknown";
    char text[64];

    if (!find_device(root, path, mount, device))
        return;
    const bool partition =
        read_file(root, device, "partition", text, sizeof text);
    (void)snprintf(disk, sizeof disk, "%s%s", device, partition ? "/.." : "");
    (void)real_name(root, device, name, sizeof name);
    (void)real_name(root, disk, disk_name, sizeof disk_name);
    const int used =
        snprintf(found->device, TEXT_SIZE, "%s%s%s", name,
                 partition ? " on " : "", partition ? disk_name : "");
    if (read_file(root, disk, "device/model", text, sizeof text))
        (void)snprintf(found->device + used, TEXT_SIZE - (size_t)used, " (%s)",
                       text);
    (void)read_file(root, disk, "queue/write_cache", found->write_cache,
                    TEXT_SIZE);
    if (read_file(root, disk, "queue/rotational", text, sizeof text) &&
        (text[0] == '0' || text[0] == '1'))
        (void)snprintf(found->rotational, TEXT_SIZE, "%s",
                       text[0] == '1' ? "yes" : "no");
}

void host_describe_path(const char *root, const char *path,
                        struct properties *properties)
{
    struct disk disk = { "unknown", "unknown", "unknown" };
    struct mount mount = { .type = "unknown" };
    char point[TEXT_SIZE] = "unknown";
    char options[TEXT_SIZE] = "unknown";
    char resolved[PATH_MAX];

    if (resolve(root, path, resolved) && find_mount(root, resolved, &mount)) {
        write_point(mount.point, point);
        write_options(&mount, options);
        if (strcmp(mount.type, "tmpfs") == 0 ||
            strcmp(mount.type, "ramfs") == 0)
            (void)snprintf(disk.device, TEXT_SIZE, "none (memory)");
        else
            read_disk(root, resolved, &mount, &disk);
    }
    properties_add(properties, "file_system", "%s", mount.type);
    properties_add(properties, "mount_point", "%s", point);
    properties_add(properties, "mount_options", "%s", options);
    properties_add(properties, "device", "%s", disk.device);
    properties_add(properties, "write_cache", "%s", disk.write_cache);
    properties_add(properties, "rotational", "%s", disk.rotational);
}
