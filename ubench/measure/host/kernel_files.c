/* SPDX-License-Identifier: ISC */
#include "measure/host/kernel_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

bool kernel_path(const char *root, const char *path, char full[PATH_MAX])
{
    return snprintf(full, PATH_MAX, "%s%s", root, path) < PATH_MAX;
}

FILE *kernel_open(const char *root, const char *path)
{
    char full[PATH_MAX];

    return kernel_path(root, path, full) ? fopen(full, "re") : NULL;
}

bool kernel_exists(const char *root, const char *path)
{
    char full[PATH_MAX];

    return kernel_path(root, path, full) && access(full, F_OK) == 0;
}

/* Returns the value after the label of a line, or NULL if the line begins
   differently. */
static const char *skip_label(const char *line, const char *label)
{
    const size_t length = strlen(label);

    if (strncmp(line, label, length) != 0 ||
        (length > 0 && label[length - 1] != ':' && strchr(" \t:\n", line[length]) == NULL))
        return NULL;
    return line + length + strspn(line + length, " \t:");
}

bool kernel_text(const char *root, const char *path, const char *label, char *text, size_t size)
{
    FILE *const file = kernel_open(root, path);
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    if (file == NULL)
        return false;
    while (!found && getline(&line, &capacity, file) > 0) {
        const char *const value = skip_label(line, label);
        found = value != NULL && value[strspn(value, " \t\n\v\f\r")] != '\0';
        if (found)
            text_one_line(text, size, value);
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

bool kernel_number(const char *root, const char *path, const char *label, uint64_t *number)
{
    char text[64];
    const char *scan = text;

    return kernel_text(root, path, label, text, sizeof text) && kernel_scan(&scan, number);
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
        list += *list == ',';
    }
    return *list == '\0' ? count : 0;
}

/* Lowers the limit to that of one group, and adds how often it was
   throttled. */
static void read_group(const char *root, const char *group, struct kernel_cpu_limit *limit)
{
    char path[PATH_MAX];
    char text[64];
    const char *scan = text;
    uint64_t quota_us;
    uint64_t period_us;
    uint64_t throttled;

    (void)snprintf(path, sizeof path, "%s/cpu.max", group);
    /* "150000 100000"; without a limit: "max 100000". */
    if (kernel_text(root, path, "", text, sizeof text) && kernel_scan(&scan, &quota_us) &&
        kernel_scan(&scan, &period_us) && period_us > 0) {
        const double cores = (double)quota_us / (double)period_us;

        if (limit->cores <= 0 || cores < limit->cores)
            limit->cores = cores;
    }
    (void)snprintf(path, sizeof path, "%s/cpu.stat", group);
    if (kernel_number(root, path, "nr_throttled", &throttled))
        limit->throttled += throttled;
}

bool kernel_cpu_limit(const char *root, struct kernel_cpu_limit *limit)
{
    static const char top[] = "/sys/fs/cgroup";
    char name[PATH_MAX - 64];
    char group[PATH_MAX - 32];

    *limit = (struct kernel_cpu_limit){ 0 };
    if (!kernel_text(root, "/proc/self/cgroup", "0::", name, sizeof name) || name[0] != '/')
        return false;
    (void)snprintf(group, sizeof group, "%s%s", top, name);
    /* In a container, the path may be that on the machine outside. */
    if (name[1] == '\0' || strncmp(name, "/..", 3) == 0 || !kernel_exists(root, group))
        group[strlen(top)] = '\0';
    for (;;) {
        read_group(root, group, limit);
        if (strlen(group) <= strlen(top))
            return true;
        *strrchr(group, '/') = '\0';
    }
}
