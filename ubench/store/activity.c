/* SPDX-License-Identifier: ISC */
#include "store/activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const activity_names[ACTIVITY_FIGURES] = {
    [ACTIVITY_SYNCS] = "syncs",
    [ACTIVITY_LOG_BYTES] = "log_bytes",
    [ACTIVITY_BINLOG_BYTES] = "binlog_bytes",
    [ACTIVITY_WRITTEN_BYTES] = "written_bytes",
    [ACTIVITY_DISK_BYTES] = "disk_bytes",
    [ACTIVITY_DEVICE_BYTES] = "device_bytes",
    [ACTIVITY_PAGES_WRITTEN] = "pages_written",
    [ACTIVITY_CHECKPOINTS] = "checkpoints",
    [ACTIVITY_VACUUMS] = "vacuums",
    [ACTIVITY_CLEANUPS] = "cleanups",
    [ACTIVITY_CLEANUP_MS] = "cleanup_ms",
    [ACTIVITY_CLEANUP_BYTES] = "cleanup_bytes",
    [ACTIVITY_OLD_ROWS] = "old_rows",
    [ACTIVITY_SINCE_CHECKPOINT] = "since_checkpoint_bytes",
    [ACTIVITY_DATA_BYTES] = "data_bytes",
    [ACTIVITY_STORE_BYTES] = "store_bytes",
};

struct activity_sample *activity_add(struct activity *activity, uint64_t at_ns)
{
    if (activity->count == activity->capacity) {
        const size_t capacity = 2 * activity->capacity + 64;
        struct activity_sample *const samples =
            realloc(activity->samples, capacity * sizeof *samples);

        if (samples == NULL)
            return NULL;
        activity->samples = samples;
        activity->capacity = capacity;
    }
    struct activity_sample *const sample = &activity->samples[activity->count++];
    sample->at_ns = at_ns;
    for (size_t i = 0; i < ACTIVITY_FIGURES; i++)
        sample->figures[i] = ACTIVITY_UNKNOWN;
    return sample;
}

void activity_release(struct activity *activity)
{
    free(activity->samples);
    *activity = (struct activity){ .samples = NULL };
}

size_t activity_between(const struct activity *activity, uint64_t begun_ns, uint64_t ended_ns,
                        size_t *count)
{
    size_t first = 0;
    size_t end = 0;

    while (end < activity->count && (end == 0 || activity->samples[end - 1].at_ns < ended_ns)) {
        if (activity->samples[end].at_ns <= begun_ns)
            first = end;
        end++;
    }
    *count = end - first;
    return first;
}

uint64_t activity_file_bytes(const char *path, const char *const *suffixes)
{
    char beside[PATH_MAX];
    struct stat status;

    if (stat(path, &status) != 0)
        return ACTIVITY_UNKNOWN;
    uint64_t bytes = (uint64_t)status.st_size;
    for (; suffixes != NULL && *suffixes != NULL; suffixes++) {
        const int length = snprintf(beside, sizeof beside, "%s%s", path, *suffixes);

        if (length > 0 && (size_t)length < sizeof beside && stat(beside, &status) == 0)
            bytes += (uint64_t)status.st_size;
    }
    return bytes;
}

enum { DEPTH_MAX = 8 };

/* Adds up what the files below an open directory occupy, and closes it.  Files may vanish
   meanwhile. */
static uint64_t sum_folder(int folder, unsigned depth)
{
    DIR *const entries = fdopendir(folder);
    const struct dirent *entry;
    uint64_t bytes = 0;
    struct stat status;

    if (entries == NULL) {
        (void)close(folder);
        return 0;
    }
    while ((entry = readdir(entries)) != NULL) {
        const char *const name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            fstatat(dirfd(entries), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!S_ISDIR(status.st_mode)) {
            bytes += (uint64_t)status.st_blocks * 512; /* stat(2) */
            continue;
        }
        const int below =
            depth < DEPTH_MAX
                ? openat(dirfd(entries), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                : -1;
        bytes += below >= 0 ? sum_folder(below, depth + 1) : 0;
    }
    (void)closedir(entries);
    return bytes;
}

uint64_t activity_folder_bytes(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return folder >= 0 ? sum_folder(folder, 0) : ACTIVITY_UNKNOWN;
}
