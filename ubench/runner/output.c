/* SPDX-License-Identifier: ISC */
#include "runner/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, PARTS = 3 };

static int failed(const char *path, struct err *err)
{
    return err_set(err, "--output: %s: %s", path, strerror(errno));
}

/* The format that the first line of a text names, or NULL.  Only the member
   itself is looked for: a line may be cut off, or longer than the text. */
static char *find_format(char *text)
{
    char *at = text;

    text[strcspn(text, "\n")] = '\0';
    while (text[0] == '{' && (at = strstr(at, "\"format\"")) != NULL) {
        at += strlen("\"format\"");
        at += strspn(at, " ");
        if (*at != ':')
            continue;
        at += 1 + strspn(at + 1, " ");
        if (*at++ != '"')
            continue;
        at[strcspn(at, "\"")] = '\0';
        return at;
    }
    return NULL;
}

static bool is_known(const char *format)
{
    static const char *const known[] = { "ubench-result/1", "ubench-crash/1",
                                         "ubench-kea/1" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i], format) == 0)
            return true;
    }
    return false;
}

/* 0 if the file is ours or none that can be looked into. */
static int check_ours(int file, const char *path, struct err *err)
{
    struct stat status;
    char *const text = calloc(1, CHUNK + 1);
    const char *format = NULL;
    ssize_t got = -1;

    if (text != NULL && fstat(file, &status) == 0)
        got = S_ISREG(status.st_mode) ? pread(file, text, CHUNK, 0) : 0;
    if (got > 0)
        format = find_format(text);
    int result = got < 0 ? failed(path, err) : 0;
    if (got > 0 && (format == NULL || strncmp(format, "ubench-", 7) != 0))
        result =
            err_set(err, "--output: %s: is not a file of ubench results", path);
    else if (got > 0 && !is_known(format))
        result = err_set(err,
                         "--output: %s: has lines of the format '%.40s', which "
                         "this version of ubench does not know",
                         path, format);
    free(text);
    return result;
}

/* A file that is not there yet: can it be made? */
static int check_folder(const char *path, struct err *err)
{
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%s", path);
    return path[0] != '\0' && access(dirname(folder), W_OK | X_OK) == 0
               ? 0
               : failed(path, err);
}

int output_check(const char *path, struct err *err)
{
    /* Not to wait for the reader of a pipe. */
    const int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (file < 0)
        return errno == ENOENT ? check_folder(path, err) : failed(path, err);
    const int status = check_ours(file, path, err);
    (void)close(file);
    return status;
}

/* Whether the last line of a file of so many bytes has no end. */
static bool is_cut(int file, off_t size)
{
    char last;

    return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

/* Writes what is left of the parts; of a file all of it or nothing. */
static int write_parts(int file, const char *path, struct iovec *parts,
                       const struct stat *before, struct err *err)
{
    while (parts[0].iov_len + parts[1].iov_len + parts[2].iov_len > 0) {
        ssize_t written = writev(file, parts, PARTS);

        if (written < 0) {
            const int why = errno;
            const bool whole = !S_ISREG(before->st_mode) ||
                               ftruncate(file, before->st_size) == 0;

            return err_set(err, "--output: %s: %s%s", path, strerror(why),
                           whole ? "" : "; its last line is cut");
        }
        for (size_t i = 0; i < PARTS; i++) {
            const size_t gone = (size_t)written < parts[i].iov_len
                                    ? (size_t)written
                                    : parts[i].iov_len;

            parts[i].iov_base = (char *)parts[i].iov_base + gone;
            parts[i].iov_len -= gone;
            written -= (ssize_t)gone;
        }
    }
    return 0;
}

/* The file is locked, if it can be: what cannot, a pipe, is not shared. */
static int append_to(int file, const char *path, const char *line, bool *ended,
                     struct err *err)
{
    struct stat before;

    if (check_ours(file, path, err) != 0)
        return -1;
    if (fstat(file, &before) != 0)
        return failed(path, err);
    const bool regular = S_ISREG(before.st_mode);
    const bool cut = regular && is_cut(file, before.st_size);
    char newline[] = "\n";
    struct iovec parts[PARTS] = {
        { newline, cut ? 1 : 0 },
        { (char *)(uintptr_t)line, strlen(line) },
        { newline, 1 },
    };

    if (write_parts(file, path, parts, &before, err) != 0)
        return -1;
    if (ended != NULL)
        *ended = cut;
    return regular && fdatasync(file) != 0 ? failed(path, err) : 0;
}

/* A pipe or a device can only be written to. */
static int open_to_append(const char *path)
{
    const int flags = O_APPEND | O_CREAT | O_CLOEXEC;
    struct stat status;
    const bool readable = stat(path, &status) != 0 || S_ISREG(status.st_mode);

    return open(path, flags | (readable ? O_RDWR : O_WRONLY), 0666);
}

int output_append(const char *line, const char *path, bool *ended,
                  struct err *err)
{
    if (ended != NULL)
        *ended = false;
    const int file = open_to_append(path);
    if (file < 0)
        (void)failed(path, err);
    if (file >= 0)
        (void)flock(file, LOCK_EX);
    int status = file < 0 ? -1 : append_to(file, path, line, ended, err);
    if (file >= 0 && close(file) != 0 && status == 0)
        status = failed(path, err);
    return status;
}

/* The folder of a path, without links and dots; the caller frees it.  NULL if
   there is none. */
static char *real_folder(const char *path)
{
    char copy[PATH_MAX];

    (void)snprintf(copy, sizeof copy, "%s", path);
    return realpath(dirname(copy), NULL);
}

static bool same_name(const char *a, const char *b)
{
    const char *const slash_a = strrchr(a, '/');
    const char *const slash_b = strrchr(b, '/');

    return strcmp(slash_a != NULL ? slash_a + 1 : a,
                  slash_b != NULL ? slash_b + 1 : b) == 0;
}

bool output_is_same_file(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    const bool a_is_there = stat(a, &of_a) == 0;
    const bool b_is_there = stat(b, &of_b) == 0;

    if (a_is_there || b_is_there)
        return a_is_there && b_is_there && of_a.st_dev == of_b.st_dev &&
               of_a.st_ino == of_b.st_ino;
    char *const folder_a = real_folder(a);
    char *const folder_b = real_folder(b);
    const bool same = folder_a != NULL && folder_b != NULL &&
                      strcmp(folder_a, folder_b) == 0 && same_name(a, b);
    free(folder_a);
    free(folder_b);
    return same;
}
