/* SPDX-License-Identifier: ISC */
#include "runner/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, FORMAT_SIZE = 41 };

static int failed(const char *path, struct err *err)
{
    return err_set(err, "--output: %s: %s", path, strerror(errno));
}

/* Writes the format that the first line of a text names, or "".  Searches for
   the member only, since the line may be truncated, or longer than the text. */
static void find_format(char *text, char format[static FORMAT_SIZE])
{
    format[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    for (const char *at = text; text[0] == '{' && format[0] == '\0'; at++) {
        at = strstr(at, "\"format\"");
        if (at == NULL)
            return;
        (void)sscanf(at, "\"format\" : \"%40[^\"]", format);
    }
}

static bool is_known(const char *format)
{
    return strcmp(format, "ubench-result/2") == 0 || strcmp(format, "ubench-result/1") == 0 ||
           strcmp(format, "ubench-crash/1") == 0 || strcmp(format, "ubench-kea/1") == 0 ||
           strcmp(format, "ubench-duel/1") == 0;
}

/* Returns 0 if the file is one of ubench results or cannot be read, for example
   a pipe; otherwise -1 with err. */
static int check_ours(int file, const char *path, struct err *err)
{
    struct stat status;
    char text[CHUNK + 1] = "";
    char format[FORMAT_SIZE];

    if (fstat(file, &status) != 0)
        return failed(path, err);
    const ssize_t got = S_ISREG(status.st_mode) ? pread(file, text, CHUNK, 0) : 0;
    if (got < 0)
        return failed(path, err);
    find_format(text, format);
    if (got == 0 || is_known(format))
        return 0;
    return strncmp(format, "ubench-", 7) != 0
               ? err_set(err, "--output: '%s' is not a file of ubench results; name another file",
                         path)
               : err_set(err,
                         "--output: '%s' has lines in the format '%s', which this version of "
                         "ubench does not support",
                         path, format);
}

static bool is_pipe(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Opens a pipe for writing, without waiting for its reader. */
static int open_pipe(const char *path, struct err *err)
{
    const int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

    if (file < 0 && errno == ENXIO)
        return err_set(
            err,
            "--output: '%s' is a pipe without a reader; name a file, or print the line with --json",
            path);
    if (file < 0)
        return failed(path, err);
    (void)fcntl(file, F_SETFL, 0); /* writes wait for space */
    return file;
}

/* Returns 0 if a file that does not exist can be created, otherwise -1 with err. */
static int check_new(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    struct stat status;
    const size_t length = strlen(path);

    if (lstat(path, &status) == 0)
        return err_set(err, "--output: '%s' is a symbolic link to nothing; name a file", path);
    if (length > 0 && path[length - 1] == '/')
        errno = EISDIR;
    (void)snprintf(folder, sizeof folder, "%s", path);
    return errno == ENOENT && length > 0 && access(dirname(folder), W_OK | X_OK) == 0
               ? 0
               : failed(path, err);
}

int output_check(const char *path, struct err *err)
{
    if (is_pipe(path)) {
        /* Stays open until the program ends: at the first close, a reader
           considers the file complete. */
        return open_pipe(path, err) >= 0 ? 0 : -1;
    }
    /* Some files (chattr +a) can only be appended to. */
    const int file = open(path, O_RDWR | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? check_new(path, err) : failed(path, err);
    const int status = check_ours(file, path, err);
    (void)close(file);
    return status;
}

/* Appends a line, or nothing at all in a regular file, after ending a last line
   that has no newline.  The caller has locked the file if that is possible; a
   pipe, which cannot be locked, is not shared. */
static int append_to(int file, const char *path, const char *line, struct err *err)
{
    struct stat before;
    char last = '\n';

    if (check_ours(file, path, err) != 0)
        return -1;
    if (fstat(file, &before) != 0)
        return failed(path, err);
    const bool regular = S_ISREG(before.st_mode);
    if (regular && before.st_size > 0)
        (void)pread(file, &last, 1, before.st_size - 1);
    if (dprintf(file, "%s%s\n", last != '\n' ? "\n" : "", line) < 0) {
        const int why = errno;
        const bool whole = !regular || ftruncate(file, before.st_size) == 0;

        return err_set(err, "--output: %s: %s%s", path, strerror(why),
                       whole ? "" : "; its last line is incomplete");
    }
    return regular && fdatasync(file) != 0 ? failed(path, err) : 0;
}

int output_append(const char *line, const char *path, struct err *err)
{
    struct stat before;
    /* A device can only be written to. */
    const bool readable = stat(path, &before) != 0 || S_ISREG(before.st_mode);
    const int flags = (readable ? O_RDWR : O_WRONLY) | O_APPEND | O_CREAT | O_CLOEXEC;
    const bool pipe = is_pipe(path);
    const int file = pipe ? open_pipe(path, err) : open(path, flags, 0666);

    if (file < 0)
        return pipe ? -1 : failed(path, err);
    (void)flock(file, LOCK_EX);
    const int status = append_to(file, path, line, err);
    return close(file) != 0 && status == 0 ? failed(path, err) : status;
}

static bool same_inode(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;

    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

bool output_is_same_file(const char *a, const char *b)
{
    char copy_of_a[PATH_MAX];
    char copy_of_b[PATH_MAX];

    if (access(a, F_OK) == 0 || access(b, F_OK) == 0)
        return same_inode(a, b);
    (void)snprintf(copy_of_a, sizeof copy_of_a, "%s", a);
    (void)snprintf(copy_of_b, sizeof copy_of_b, "%s", b);
    return strcmp(basename(copy_of_a), basename(copy_of_b)) == 0 &&
           same_inode(dirname(copy_of_a), dirname(copy_of_b));
}
