/* SPDX-License-Identifier: ISC */
/* What lies below a path: its mount, and the disk below that. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/host/host.h"
#include "measure/host/kernel_files.h"

enum { TEXT_SIZE = sizeof((struct property *)0)->value };

/* One line of /proc/self/mountinfo; proc(5) has the format. */
struct mount {
    char number[32]; /* of its device, "254:0" */
    char point[PATH_MAX];
    char options[512]; /* of this mount, and of its file system */
    char type[64];
    char source[PATH_MAX];
};

/* Undoes the escapes of blanks and backslashes, "\040", in place. */
static void unescape(char *text)
{
    char *out = text;
    unsigned code;
    int used;

    for (; *text != '\0'; out++) {
        if (sscanf(text, "\\%3o%n", &code, &used) == 1 && used == 4) {
            *out = (char)code;
            text += used;
        } else {
            *out = *text++;
        }
    }
    *out = '\0';
}

/* Returns false if it is not a line of mountinfo. */
static bool read_mount(const char *line, struct mount *mount)
{
    _Static_assert(PATH_MAX == 4096, "the width in %4095s");
    const char *const dash = strstr(line, " - ");
    char options[256];
    char of_all[256];

    if (dash == NULL ||
        sscanf(line, "%*s %*s %31s %*s %4095s %255s", mount->number,
               mount->point, options) != 3 ||
        sscanf(dash, " - %63s %4095s %255s", mount->type, mount->source,
               of_all) != 3)
        return false;
    unescape(mount->point);
    unescape(mount->source);
    (void)snprintf(mount->options, sizeof mount->options, "%s,%s", options,
                   of_all);
    return true;
}

static bool is_below(const char *path, const char *point)
{
    const size_t length = strlen(point);

    if (strcmp(point, "/") == 0)
        return true;
    return strncmp(path, point, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* The mount with the longest name above path; of two on one place, the later
   one hides the other.  st_dev would not do: btrfs makes up its own. */
static bool find_mount(const char *root, const char *path, struct mount *found)
{
    FILE *const file = kernel_open(root, "/proc/self/mountinfo");
    struct mount mount;
    char *line = NULL;
    size_t room = 0;
    bool any = false;

    if (file == NULL)
        return false;
    while (getline(&line, &room, file) > 0) {
        if (!read_mount(line, &mount) || !is_below(path, mount.point))
            continue;
        if (any && strlen(mount.point) < strlen(found->point))
            continue;
        *found = mount;
        any = true;
    }
    free(line);
    (void)fclose(file);
    return any;
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

/* Whether an option may be told: a bare word, or one of these, which bear on
   speed or durability.  Others may hold names, paths and addresses. */
static bool is_harmless(const char *option)
{
    static const char keys[] =
        "acregmax,acregmin,actimeo,allocsize,alloc_mode,barrier,cache,"
        "checkpoint,commit,compress,compress-force,data,data_err,discard,"
        "errors,flush_merge,fsync_mode,huge,local_lock,logbsize,logbufs,"
        "lookupcache,max_batch_time,metacopy,min_batch_time,nconnect,proto,"
        "redirect_dir,retrans,rsize,size,space_cache,ssd,stripe,sunit,swidth,"
        "timeo,vers,wsize";
    const size_t length = strcspn(option, "=");

    return option[0] != '\0' &&
           option[strspn(option, "abcdefghijklmnopqrstuvwxyz0123456789_-=.")] ==
               '\0' &&
           (option[length] == '\0' || kernel_list_has(keys, option, length));
}

static void write_options(const struct mount *mount, char *text)
{
    char options[sizeof mount->options];
    char *rest = options;
    size_t used = 0;

    (void)snprintf(options, sizeof options, "%s", mount->options);
    text[0] = '\0';
    while (rest != NULL) {
        const char *const option = strsep(&rest, ",");
        if (!is_harmless(option) ||
            kernel_list_has(text, option, strlen(option)) ||
            used + strlen(option) + 1 >= TEXT_SIZE)
            continue;
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

/* The folder in sysfs of the mount's block device.  btrfs has no device of
   its own, but names one of its disks. */
static bool find_device(const char *root, const struct mount *mount,
                        char folder[static FOLDER_SIZE])
{
    char name[NAME_MAX + 1];

    (void)snprintf(folder, FOLDER_SIZE, "/sys/dev/block/%s", mount->number);
    if (kernel_exists(root, folder))
        return true;
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

static void read_disk(const char *root, const struct mount *mount,
                      struct disk *found)
{
    char device[FOLDER_SIZE];
    char disk[FOLDER_SIZE + 4]; /* the device's or, above it, a partition's */
    char name[64] = "unknown";
    char disk_name[64] = "unknown";
    char text[64];

    if (!find_device(root, mount, device))
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
            read_disk(root, &mount, &disk);
    }
    properties_add(properties, "file_system", "%s", mount.type);
    properties_add(properties, "mount_point", "%s", point);
    properties_add(properties, "mount_options", "%s", options);
    properties_add(properties, "device", "%s", disk.device);
    properties_add(properties, "write_cache", "%s", disk.write_cache);
    properties_add(properties, "rotational", "%s", disk.rotational);
}
