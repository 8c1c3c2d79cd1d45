/* SPDX-License-Identifier: ISC */
/*
 * replay [FILE]...: runs a fuzz target on files, or on those in corpus/NAME/
 * beside this one if the program is called fuzz_NAME.  What fails ends it.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 20 };

static void replay(const char *path)
{
    static uint8_t bytes[INPUT_MAX];
    FILE *const file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    /* A copy of its own size, so that what is read behind it is seen. */
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        exit(EXIT_FAILURE);
    memcpy(copy, bytes, size);
    (void)fprintf(stderr, "%s\n", path);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Returns how many there are. */
static int replay_folder(const char *folder)
{
    DIR *const files = opendir(folder);
    char path[PATH_MAX + NAME_MAX + 2];
    int count = 0;

    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay(path);
        count++;
    }
    if (files != NULL)
        (void)closedir(files);
    return count;
}

int main(int argc, char **argv)
{
    const char *const name = strrchr(argv[0], '/');
    char folder[PATH_MAX];
    int count = argc - 1;

    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc == 1) {
        (void)snprintf(folder, sizeof folder, "ubench/tests/fuzz/corpus/%s",
                       (name != NULL ? name + 1 : argv[0]) + strlen("fuzz_"));
        count = replay_folder(folder);
    }
    /* The output of the target is not to be the last line. */
    (void)printf("\n%d passed, %d failed, 0 skipped\n", count, count == 0);
    return count == 0;
}
