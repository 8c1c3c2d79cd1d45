/* SPDX-License-Identifier: ISC */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A fuzz target has no state of its own: these are made once. */
static char path[64];
static char made[64];

static void demand(int so, const char *what)
{
    if (!so) {
        perror(what);
        abort();
    }
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int file = -1;

    if (file < 0) {
        file = (int)syscall(SYS_memfd_create, "fuzz", 1U); /* MFD_CLOEXEC */
        demand(file >= 0, "memfd_create");
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    demand(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, path);
    return path;
}

static void remove_folder(void)
{
    fuzz_empty(made);
    (void)rmdir(made);
}

const char *fuzz_folder(void)
{
    if (made[0] != '\0')
        return made;
    (void)snprintf(made, sizeof made, "%s/ubench-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    demand(mkdtemp(made) != NULL, made);
    demand(atexit(remove_folder) == 0, "atexit");
    return made;
}

void fuzz_empty(const char *folder)
{
    DIR *const files = opendir(folder);

    demand(files != NULL, folder);
    for (struct dirent *entry; (entry = readdir(files)) != NULL;)
        (void)unlinkat(dirfd(files), entry->d_name, 0);
    (void)closedir(files);
}
