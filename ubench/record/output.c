/* SPDX-License-Identifier: ISC */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/record.h"

enum { CHUNK = 1 << 16 };

static int failed(const char *path, struct err *err)
{
    return err_set(err, "--output: %s: %s", path, strerror(errno));
}

/* What is a line of ours, or, cut off and ended since, the beginning of one. */
static bool is_ours(const char *text, size_t length)
{
    static const char beginning[] = "{\"format\":\"ubench-";
    json_t *const line = json_loadb(text, length, 0, NULL);
    const char *const format =
        json_string_value(json_object_get(line, "format"));
    const bool ours =
        format != NULL ? strncmp(format, "ubench-", 7) == 0
                       : length >= sizeof beginning - 1 &&
                             memcmp(text, beginning, sizeof beginning - 1) == 0;

    json_decref(line);
    return ours;
}

/* Reads the first line of a file, without its end; the caller frees it.  NULL
   if it cannot be read. */
static char *read_first_line(int file, size_t *length)
{
    char *text = NULL;
    bool cut = true;

    *length = 0;
    while (cut && *length < RECORD_LINE_MAX) {
        char *const more = realloc(text, *length + CHUNK);
        const ssize_t got =
            more == NULL ? -1
                         : pread(file, more + *length, CHUNK, (off_t)*length);

        if (got < 0)
            free(more != NULL ? more : text);
        if (got < 0)
            return NULL;
        text = more;
        if (got == 0)
            break;
        const char *const end = memchr(text + *length, '\n', (size_t)got);
        cut = end == NULL;
        *length = end == NULL ? *length + (size_t)got : (size_t)(end - text);
    }
    return text;
}

/* 0 if the file is ours or none that can be looked into. */
static int check_ours(int file, const char *path, struct err *err)
{
    struct stat status;
    size_t length;

    if (fstat(file, &status) != 0)
        return failed(path, err);
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return 0;
    char *const line = read_first_line(file, &length);
    if (line == NULL)
        return failed(path, err);
    errno = 0;
    const bool ours = is_ours(line, length);
    const bool unread = !ours && errno == ENOMEM;
    free(line);
    if (unread) {
        errno = ENOMEM;
        return failed(path, err);
    }
    return ours ? 0
                : err_set(err,
                          "--output: %s: has something else than results in it",
                          path);
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
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t written = writev(file, parts, 2);

        if (written < 0) {
            const int why = errno;
            const bool whole = !S_ISREG(before->st_mode) ||
                               ftruncate(file, before->st_size) == 0;

            return err_set(err, "--output: %s: %s%s", path, strerror(why),
                           whole ? "" : "; its last line is cut");
        }
        for (size_t i = 0; i < 2; i++) {
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
static int append_to(int file, const char *path, char *line, bool *ended,
                     struct err *err)
{
    struct stat before;

    if (check_ours(file, path, err) != 0)
        return -1;
    if (fstat(file, &before) != 0)
        return failed(path, err);
    const bool regular = S_ISREG(before.st_mode);
    const bool cut = regular && is_cut(file, before.st_size);
    const size_t length = strlen(line);
    char newline[] = "\n";
    struct iovec parts[2] = { { newline, cut ? 1 : 0 }, { line, length + 1 } };

    line[length] = '\n'; /* in the place of the NUL */
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

int output_append(char *line, const char *path, bool *ended, struct err *err)
{
    if (ended != NULL)
        *ended = false;
    if (line == NULL)
        return err_set(err, "--output: %s: out of memory", path);
    const int file = open_to_append(path);
    if (file < 0)
        (void)failed(path, err);
    if (file >= 0)
        (void)flock(file, LOCK_EX);
    int status = file < 0 ? -1 : append_to(file, path, line, ended, err);
    if (file >= 0 && close(file) != 0 && status == 0)
        status = failed(path, err);
    free(line);
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
