/* SPDX-License-Identifier: ISC */
/* The mount that a path is on, and the disk below that. */
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

    if (!kernel_path(root, path, full) ||
        (root[0] != '\0' && realpath(root, top) == NULL) ||
        (realpath(full, resolved) == NULL &&
         (errno != ENOENT || realpath(dirname(full), resolved) == NULL)))
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

/* The folder in sysfs of the block device below a file, without links: that of
   its number, or, as btrfs makes up its own numbers, that of the disk that it
   names. */
static bool find_device(const char *root, const char *path,
                        const struct mount *mount, char device[static PATH_MAX])
{
    char full[PATH_MAX];
    char name[NAME_MAX + 32];
    struct stat file;

    if (kernel_path(root, path, full) && stat(full, &file) == 0) {
        (void)snprintf(name, sizeof name, "/sys/dev/block/%u:%u",
                       major(file.st_dev), minor(file.st_dev));
        if (kernel_path(root, name, full) && realpath(full, device) != NULL)
            return true;
    }
    if (strncmp(mount->source, "/dev/", 5) != 0 ||
        !kernel_path(root, mount->source, full) ||
        realpath(full, device) == NULL)
        return false;
    (void)snprintf(name, sizeof name, "/sys/class/block/%.*s", NAME_MAX,
                   strrchr(device, '/') + 1);
    return kernel_path(root, name, full) && realpath(full, device) != NULL;
}

/* Reads a file of a block device, whose folder is given with its root. */
static bool read_file(const char *device, const char *name, char *text,
                      size_t size)
{
    char path[PATH_MAX + 32];

    (void)snprintf(path, sizeof path, "%s/%s", device, name);
    return kernel_text("", path, "", text, size);
}

static void add_disk(char device[static PATH_MAX],
                     struct properties *properties)
{
    char *const last = strrchr(device, '/');
    char name[NAME_MAX + 1];
    char text[64];

    (void)snprintf(name, sizeof name, "%.*s", NAME_MAX, last + 1);
    const bool partition = read_file(device, "partition", text, sizeof text);
    if (partition) /* the rest is known of the disk, whose folder is above */
        *last = '\0';
    const bool model = read_file(device, "device/model", text, sizeof text);
    properties_add(properties, "device", "%s%s%s%s%s%s", name,
                   partition ? " on " : "",
                   partition ? strrchr(device, '/') + 1 : "", model ? " (" : "",
                   model ? text : "", model ? ")" : "");
    const bool cache =
        read_file(device, "queue/write_cache", text, sizeof text);
    properties_add(properties, "write_cache", "%s", cache ? text : "unknown");
    (void)snprintf(text, sizeof text, "unknown");
    (void)read_file(device, "queue/rotational", text, sizeof text);
    properties_add(properties, "rotational", "%s",
                   text[0] == '1'   ? "yes"
                   : text[0] == '0' ? "no"
                                    : "unknown");
}

void host_describe_path(const char *root, const char *path,
                        struct properties *properties)
{
    struct mount mount = { .type = "unknown" };
    char point[TEXT_SIZE] = "unknown";
    char options[TEXT_SIZE] = "unknown";
    char resolved[PATH_MAX];
    char device[PATH_MAX];
    const bool known =
        resolve(root, path, resolved) && find_mount(root, resolved, &mount);
    const bool memory =
        strcmp(mount.type, "tmpfs") == 0 || strcmp(mount.type, "ramfs") == 0;

    if (known) {
        write_point(mount.point, point);
        write_options(&mount, options);
    }
    properties_add(properties, "file_system", "%s", mount.type);
    properties_add(properties, "mount_point", "%s", point);
    properties_add(properties, "mount_options", "%s", options);
    if (known && !memory && find_device(root, resolved, &mount, device)) {
        add_disk(device, properties);
        return;
    }
    properties_add(properties, "device", memory ? "none (memory)" : "unknown");
    properties_add(properties, "write_cache", "unknown");
    properties_add(properties, "rotational", "unknown");
}
