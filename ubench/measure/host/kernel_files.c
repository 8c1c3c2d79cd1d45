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
        (length > 0 && label[length - 1] != ':' &&
         strchr(" \t:\n", line[length]) == NULL))
        return NULL;
    return line + length + strspn(line + length, " \t:");
}

bool kernel_text(const char *root, const char *path, const char *label,
                 char *text, size_t size)
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

/* The path of this process' control group (version 2) below where they are
   mounted, no slash at its end.  A path that leads out of what we can see, or
   "/", is the root. */
static bool find_group(const char *root, char group[static PATH_MAX])
{
    char path[PATH_MAX];

    if (!kernel_text(root, "/proc/self/cgroup", "0::", group, PATH_MAX) ||
        group[0] != '/')
        return false;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%.*s", PATH_MAX - 32,
                   group);
    /* In a container, the path may be that of the machine outside. */
    if (group[1] == '\0' || strncmp(group, "/..", 3) == 0 ||
        !kernel_exists(root, path))
        group[0] = '\0';
    return true;
}

/* The first line of a group's file that begins with label. */
static bool group_text(const char *root, const char *group, const char *name,
                       const char *label, char *text, size_t size)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/%s", PATH_MAX - 64,
                   group, name);
    return kernel_text(root, path, label, text, size);
}

bool kernel_cpu_limit(const char *root, struct kernel_cpu_limit *limit)
{
    char group[PATH_MAX];
    char text[64];
    uint64_t quota_us;
    uint64_t period_us;
    uint64_t throttled;

    *limit = (struct kernel_cpu_limit){ 0 };
    if (!find_group(root, group))
        return false;
    for (;;) {
        const char *scan = text;

        /* "150000 100000"; without a limit "max 100000" */
        if (group_text(root, group, "cpu.max", "", text, sizeof text) &&
            kernel_scan(&scan, &quota_us) && kernel_scan(&scan, &period_us) &&
            period_us > 0) {
            const double cores = (double)quota_us / (double)period_us;

            if (limit->cores <= 0 || cores < limit->cores)
                limit->cores = cores;
        }
        scan = text;
        if (group_text(root, group, "cpu.stat", "nr_throttled", text,
                       sizeof text) &&
            kernel_scan(&scan, &throttled))
            limit->throttled += throttled;
        char *const last = strrchr(group, '/');
        if (last == NULL)
            return true;
        *last = '\0';
    }
}
