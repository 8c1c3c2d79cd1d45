/* SPDX-License-Identifier: ISC */
#include "store/kea/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/memfile/lease_log.h"

/* The log is never appended to: it is how memfile opens a file. */
struct kea_file {
    struct lease_log log;
};

static enum lease_file_format format_of(enum lease_family family)
{
    return family == LEASE_FAMILY_V6 ? LEASE_FILE_KEA6 : LEASE_FILE_KEA;
}

int kea_file_empty(struct kea_file *file, struct err *err)
{
    return ftruncate(file->log.file, 0) == 0
               ? 0
               : err_set(err, "kea: emptying %s: %s", file->log.path,
                         strerror(errno));
}

struct kea_file *kea_file_open(const char *path, enum lease_family family,
                               struct err *err)
{
    struct kea_file *const file = calloc(1, sizeof *file);

    if (file == NULL) {
        (void)err_set(err, "kea: out of memory");
        return NULL;
    }
    if (lease_log_open(&file->log, path, format_of(family), LEASE_LOG_WRITE, 1,
                       err) == 0 &&
        kea_file_empty(file, err) == 0)
        return file;
    kea_file_undo(file);
    return NULL;
}

void kea_file_close(struct kea_file *file)
{
    struct err ignored;

    if (file != NULL)
        (void)lease_log_close(&file->log, &ignored);
    free(file);
}

void kea_file_undo(struct kea_file *file)
{
    if (file != NULL && file->log.made)
        (void)unlink(file->log.path);
    kea_file_close(file);
}

int kea_file_check(const char *path, enum lease_family family, struct err *err)
{
    char start[LEASE_FILE_HEADER_MAX];
    enum lease_file_format format;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t length = file < 0 ? -1 : read(file, start, sizeof start);
    const int error = errno;

    if (file >= 0)
        (void)close(file);
    if (length < 0)
        return err_set(err, "kea: reading %s: %s", path, strerror(error));
    if (!lease_file_is_ours(start, (size_t)length, &format))
        return err_set(err, "kea: %s: was not written by ubench", path);
    if (format != format_of(family))
        return err_set(err, "kea: %s: has other leases than IPv%c ones", path,
                       family == LEASE_FAMILY_V6 ? '6' : '4');
    return 0;
}
