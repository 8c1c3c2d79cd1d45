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

    while (*text != '\0') {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
            text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
            text[3] <= '7') {
            *out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
                            (text[3] - '0'));
            text += 4;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
}

/* Splits a line at blanks; returns false if it is not one of mountinfo. */
static bool read_mount(char *line, struct mount *mount)
{
    enum { NUMBER = 2, POINT = 4, OPTIONS = 5, OPTIONAL = 6 };
    char *words[OPTIONAL];
    char *rest = line;

    line[strcspn(line, "\n")] = '\0';
    for (size_t i = 0; i < OPTIONAL; i++) {
        words[i] = strsep(&rest, " ");
        if (rest == NULL)
            return false;
    }
    const char *word;
    do {
        word = strsep(&rest, " ");
    } while (word != NULL && strcmp(word, "-") != 0);
    const char *const type = strsep(&rest, " ");
    char *const source = strsep(&rest, " ");
    const char *const of_all = strsep(&rest, " ");
    if (of_all == NULL)
        return false;
    unescape(words[POINT]);
    unescape(source);
    (void)snprintf(mount->number, sizeof mount->number, "%s", words[NUMBER]);
    (void)snprintf(mount->point, sizeof mount->point, "%s", words[POINT]);
    (void)snprintf(mount->options, sizeof mount->options, "%s,%s",
                   words[OPTIONS], of_all);
    (void)snprintf(mount->type, sizeof mount->type, "%s", type);
    (void)snprintf(mount->source, sizeof mount->source, "%s", source);
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
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

/* Whether an option may be told: a bare word, or one of these, which bear on
   speed or durability.  Others may hold names, paths and addresses. */
static bool is_harmless(const char *option)
{
    static const char *const keys[] = {
        "acregmax",       "acregmin",       "actimeo",
        "allocsize",      "alloc_mode",     "barrier",
        "cache",          "checkpoint",     "commit",
        "compress",       "compress-force", "data",
        "data_err",       "discard",        "errors",
        "flush_merge",    "fsync_mode",     "huge",
        "local_lock",     "logbsize",       "logbufs",
        "lookupcache",    "max_batch_time", "metacopy",
        "min_batch_time", "nconnect",       "proto",
        "redirect_dir",   "retrans",        "rsize",
        "size",           "space_cache",    "ssd",
        "stripe",         "sunit",          "swidth",
        "timeo",          "vers",           "wsize",
    };
    const size_t length = strcspn(option, "=");

    if (option[strspn(option, "abcdefghijklmnopqrstuvwxyz0123456789_-=.")] !=
        '\0')
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i]) == length && strncmp(option, keys[i], length) == 0)
            return true;
    }
    return option[0] != '\0' && option[length] == '\0';
}

/* Whether list, "rw,relatime", has the option. */
static bool has_option(const char *list, const char *option)
{
    const size_t length = strlen(option);

    for (;;) {
        if (strncmp(list, option, length) == 0 &&
            (list[length] == ',' || list[length] == '\0'))
            return true;
        list = strchr(list, ',');
        if (list == NULL)
            return false;
        list++;
    }
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
        if (!is_harmless(option) || has_option(text, option) ||
            used + strlen(option) + 1 >= TEXT_SIZE)
            continue;
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%s",
                                 used > 0 ? "," : "", option);
    }
}

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

/* Room for the path of a block device's folder in sysfs, and of one of the
   files below it. */
enum { FOLDER_SIZE = NAME_MAX + 32, FILE_SIZE = FOLDER_SIZE + 32 };

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

/* A block device's folder, and that of its disk: the same, or where a
   partition's entry is. */
struct device {
    char folder[FOLDER_SIZE];
    char disk[FOLDER_SIZE + 4];
    bool partition;
};

static void write_device(const char *root, const struct device *device,
                         char *text)
{
    char path[FILE_SIZE];
    char name[64] = "unknown";
    char disk[64] = "unknown";
    char model[64];
    int used;

    (void)real_name(root, device->folder, name, sizeof name);
    (void)real_name(root, device->disk, disk, sizeof disk);
    (void)snprintf(path, sizeof path, "%s/device/model", device->disk);
    used = snprintf(text, TEXT_SIZE, "%s%s%s", name,
                    device->partition ? " on " : "",
                    device->partition ? disk : "");
    if (kernel_line(root, path, model, sizeof model))
        (void)snprintf(text + used, TEXT_SIZE - (size_t)used, " (%s)", model);
}

/* What is told of a disk; each text is "unknown" unless known. */
struct disk_properties {
    char device[TEXT_SIZE];
    char write_cache[TEXT_SIZE];
    char rotational[TEXT_SIZE];
};

static void read_disk(const char *root, const struct mount *mount,
                      struct disk_properties *found)
{
    struct device device;
    char path[FILE_SIZE];
    uint64_t rotational;

    if (strcmp(mount->type, "tmpfs") == 0 ||
        strcmp(mount->type, "ramfs") == 0) {
        (void)snprintf(found->device, TEXT_SIZE, "none (memory)");
        return;
    }
    if (!find_device(root, mount, device.folder))
        return;
    (void)snprintf(path, sizeof path, "%s/partition", device.folder);
    device.partition = kernel_exists(root, path);
    (void)snprintf(device.disk, sizeof device.disk, "%s%s", device.folder,
                   device.partition ? "/.." : "");
    write_device(root, &device, found->device);
    (void)snprintf(path, sizeof path, "%s/queue/write_cache", device.disk);
    (void)kernel_line(root, path, found->write_cache, TEXT_SIZE);
    (void)snprintf(path, sizeof path, "%s/queue/rotational", device.disk);
    if (kernel_number(root, path, "", &rotational))
        (void)snprintf(found->rotational, TEXT_SIZE, "%s",
                       rotational != 0 ? "yes" : "no");
}

void host_describe_path(const char *root, const char *path,
                        struct properties *properties)
{
    struct disk_properties disk = { "unknown", "unknown", "unknown" };
    struct mount mount = { .type = "unknown" };
    char point[TEXT_SIZE] = "unknown";
    char options[TEXT_SIZE] = "unknown";
    char resolved[PATH_MAX];

    if (resolve(root, path, resolved) && find_mount(root, resolved, &mount)) {
        write_point(mount.point, point);
        write_options(&mount, options);
        read_disk(root, &mount, &disk);
    }
    properties_add(properties, "file_system", "%s", mount.type);
    properties_add(properties, "mount_point", "%s", point);
    properties_add(properties, "mount_options", "%s", options);
    properties_add(properties, "device", "%s", disk.device);
    properties_add(properties, "write_cache", "%s", disk.write_cache);
    properties_add(properties, "rotational", "%s", disk.rotational);
}
