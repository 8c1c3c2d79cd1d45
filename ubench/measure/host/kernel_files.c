/* SPDX-License-Identifier: ISC */
#include "measure/host/kernel_files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

FILE *kernel_open(const char *root, const char *path)
{
    char full[PATH_MAX];

    if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full)
        return NULL;
    return fopen(full, "re");
}

bool kernel_exists(const char *root, const char *path)
{
    char full[PATH_MAX];

    return snprintf(full, sizeof full, "%s%s", root, path) < (int)sizeof full &&
           access(full, F_OK) == 0;
}

/* Copies a line as one of printable ASCII with single blanks. */
static void clean(const char *line, char *text, size_t size)
{
    text_one_line(text, size, line);
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

/* What follows label on a line, or NULL if it begins otherwise. */
static const char *skip_label(const char *line, const char *label)
{
    const size_t length = strlen(label);

    if (strncmp(line, label, length) != 0 ||
        (length > 0 && strchr(" \t:\n", line[length]) == NULL))
        return NULL;
    return line + length + strspn(line + length, " \t:");
}

bool kernel_text(const char *root, const char *path, const char *label,
                 char *text, size_t size)
{
    FILE *const file = kernel_open(root, path);
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    if (file == NULL)
        return false;
    while (!found && getline(&line, &room, file) > 0) {
        const char *const value = skip_label(line, label);
        found = value != NULL && value[strspn(value, " \t\n\v\f\r")] != '\0';
        if (found)
            clean(value, text, size);
    }
    free(line);
    (void)fclose(file);
    return found;
}

bool kernel_scan(const char **text, uint64_t *number)
{
    const char *const digits = *text + strspn(*text, " ");
    char *end;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    *number = strtoull(digits, &end, 10);
    *text = end;
    return errno == 0;
}

bool kernel_number(const char *root, const char *path, const char *label,
                   uint64_t *number)
{
    char text[64];
    const char *scan = text;

    return kernel_text(root, path, label, text, sizeof text) &&
           kernel_scan(&scan, number);
}

uint64_t kernel_cores(const char *root, const char *path, const char *label)
{
    char text[256] = "";
    const char *list = text;
    uint64_t count = 0;
    uint64_t first;

    (void)kernel_text(root, path, label, text, sizeof text);
    while (kernel_scan(&list, &first)) {
        uint64_t last = first;

        if (*list == '-') {
            list++;
            if (!kernel_scan(&list, &last) || last < first)
                return 0;
        }
        count += last - first + 1;
        if (*list == '\0')
            return count;
        if (*list++ != ',')
            return 0;
    }
    return 0;
}

bool kernel_list_has(const char *list, const char *word, size_t length)
{
    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
            return true;
    }
    return false;
}

/* A control group: where its version is mounted, and its path below that, no
   slash at its end. */
struct group {
    bool v1;
    char path[PATH_MAX];
};

/* Reads a line like "3:cpu,cpuacct:/path" (version 1) or "0::/path". */
static bool read_group(char *line, struct group *group)
{
    char *rest = line;

    line[strcspn(line, "\n")] = '\0';
    (void)strsep(&rest, ":");
    const char *const controllers = strsep(&rest, ":");
    if (rest == NULL || *rest != '/')
        return false;
    const bool v1 = kernel_list_has(controllers, "cpu", 3);
    if (!v1 && *controllers != '\0')
        return false;
    group->v1 = v1;
    /* A path that leads out of what we can see, or "/", is the root. */
    (void)snprintf(group->path, sizeof group->path, "%s",
                   rest[1] == '\0' || strncmp(rest, "/..", 3) == 0 ? "" : rest);
    return true;
}

/* Where both versions are mounted, that which has the controller counts. */
static bool find_group(const char *root, struct group *group)
{
    FILE *const file = kernel_open(root, "/proc/self/cgroup");
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    if (file == NULL)
        return false;
    while (!(found && group->v1) && getline(&line, &room, file) > 0)
        found = read_group(line, group) || found;
    free(line);
    (void)fclose(file);
    return found;
}

/* The path of a file of the group, in text. */
static const char *group_file(const struct group *group, const char *name,
                              char text[static PATH_MAX])
{
    const int length = snprintf(text, PATH_MAX, "/sys/fs/cgroup%s%s/%s",
                                group->v1 ? "/cpu" : "", group->path, name);

    return length < PATH_MAX ? text : "";
}

/* Cores that one group allows; 0: no limit, which version 1 writes as a quota
   of -1 and version 2 as "max 100000". */
static double group_cores(const char *root, const struct group *group)
{
    char path[PATH_MAX];
    char text[64];
    const char *scan = text;
    uint64_t quota_us;
    uint64_t period_us;
    bool limited;

    if (group->v1)
        limited =
            kernel_number(root, group_file(group, "cpu.cfs_quota_us", path), "",
                          &quota_us) &&
            kernel_number(root, group_file(group, "cpu.cfs_period_us", path),
                          "", &period_us);
    else
        limited = kernel_text(root, group_file(group, "cpu.max", path), "",
                              text, sizeof text) &&
                  kernel_scan(&scan, &quota_us) &&
                  kernel_scan(&scan, &period_us);
    return limited && period_us > 0 ? (double)quota_us / (double)period_us : 0;
}

bool kernel_cpu_limit(const char *root, struct kernel_cpu_limit *limit)
{
    struct group group = { 0 };
    char path[PATH_MAX];

    *limit = (struct kernel_cpu_limit){ 0 };
    if (!find_group(root, &group))
        return false;
    /* In a container, the path may be that of the machine outside. */
    if (!kernel_exists(root, group_file(&group, "", path)))
        group.path[0] = '\0';
    for (;;) {
        const double cores = group_cores(root, &group);
        uint64_t throttled;
        if (cores > 0 && (limit->cores <= 0 || cores < limit->cores))
            limit->cores = cores;
        if (kernel_number(root, group_file(&group, "cpu.stat", path),
                          "nr_throttled", &throttled))
            limit->throttled += throttled;
        char *const last = strrchr(group.path, '/');
        if (last == NULL)
            return true;
        *last = '\0';
    }
}
