/* SPDX-License-Identifier: ISC */
#include "core/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFER_SIZE = LINES_LENGTH_MAX + (1 << 16) };

static int read_failed(const struct lines *lines, struct err *err)
{
    return err_set(err, "%s: %s", lines->path, strerror(errno));
}

/* Starts gzip and replaces the file by the pipe from it. */
static int start_gzip(struct lines *lines, struct err *err)
{
    char *const words[] = { (char[]){ "gzip" }, (char[]){ "-dc" }, NULL };
    char *const surroundings[] = { (char[]){ "PATH=/usr/bin:/bin" }, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (pipe(ends) != 0)
        return read_failed(lines, err);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, lines->file, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
    (void)posix_spawn_file_actions_addclose(&actions, ends[1]);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int status = posix_spawnp(&lines->gzip, words[0], &actions, NULL, words, surroundings);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    (void)close(lines->file);
    lines->file = ends[0];
    if (status != 0) {
        lines->gzip = 0;
        return err_set(err, "%s: cannot start gzip: %s", lines->path, strerror(status));
    }
    return 0;
}

int lines_open(struct lines *lines, const char *path, struct err *err)
{
    unsigned char magic[2] = { 0 };
    struct stat info;

    *lines = (struct lines){ .path = path };
    lines->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (lines->file < 0 || fstat(lines->file, &info) != 0)
        return read_failed(lines, err);
    if (!S_ISREG(info.st_mode))
        return err_set(err, "%s: not a regular file", path);
    lines->buffer = err_calloc(BUFFER_SIZE + 1, 1, err);
    if (lines->buffer == NULL)
        return -1;
    if (pread(lines->file, magic, sizeof magic, 0) < 0)
        return read_failed(lines, err);
    return magic[0] == 0x1f && magic[1] == 0x8b ? start_gzip(lines, err) : 0;
}

/* Waits for gzip after its output has ended. */
static int finish_gzip(struct lines *lines, struct err *err)
{
    int status = 0;

    if (lines->gzip == 0)
        return 0;
    const pid_t ended = waitpid(lines->gzip, &status, 0);
    lines->gzip = 0;
    return ended > 0 && status == 0
               ? 0
               : err_set(err, "%s: gzip cannot read it to the end: is it cut off?", lines->path);
}

/* Appends bytes of the file to the buffer, which must not be full. */
static int fill(struct lines *lines, struct err *err)
{
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    const ssize_t size = read(lines->file, lines->buffer + lines->end, BUFFER_SIZE - lines->end);
    if (size < 0)
        return read_failed(lines, err);
    lines->end += (size_t)size;
    lines->at_end = size == 0;
    return lines->at_end ? finish_gzip(lines, err) : 0;
}

/* Finds the end of the first line in the buffer, and reads as much as that
   takes. */
static int find_end(struct lines *lines, char **newline, struct err *err)
{
    size_t searched = 0;

    for (;;) {
        char *const from = lines->buffer + lines->begin + searched;
        const size_t size = lines->end - lines->begin;

        *newline = memchr(from, '\n', size - searched);
        if (*newline != NULL || lines->at_end || size >= LINES_LENGTH_MAX)
            return 0;
        searched = size;
        if (fill(lines, err) != 0)
            return -1;
    }
}

/* Skips the rest of a line that is too long. */
static int skip_rest(struct lines *lines, struct err *err)
{
    char *newline = NULL;

    while (newline == NULL && !(lines->at_end && lines->begin == lines->end)) {
        if (find_end(lines, &newline, err) != 0)
            return -1;
        lines->begin = newline != NULL ? (size_t)(newline - lines->buffer) + 1 : lines->end;
    }
    return 0;
}

int lines_next(struct lines *lines, struct err *err)
{
    char *newline;

    if (lines->too_long && skip_rest(lines, err) != 0)
        return -1;
    if (find_end(lines, &newline, err) != 0)
        return -1;
    const size_t size = lines->end - lines->begin;
    if (newline == NULL && size == 0)
        return 0;
    lines->line = lines->buffer + lines->begin;
    lines->too_long = newline == NULL && size >= LINES_LENGTH_MAX;
    lines->torn = newline == NULL && !lines->too_long;
    lines->length = newline != NULL ? (size_t)(newline - lines->line) : size;
    lines->begin += lines->length + (newline != NULL);
    if (lines->length > 0 && lines->line[lines->length - 1] == '\r')
        lines->length--;
    lines->line[lines->length] = '\0';
    lines->number++;
    return 1;
}

void lines_close(struct lines *lines)
{
    if (lines->path == NULL)
        return;
    if (lines->gzip > 0) {
        (void)kill(lines->gzip, SIGTERM);
        (void)waitpid(lines->gzip, NULL, 0);
    }
    if (lines->file >= 0)
        (void)close(lines->file);
    free(lines->buffer);
    *lines = (struct lines){ .path = NULL };
}
