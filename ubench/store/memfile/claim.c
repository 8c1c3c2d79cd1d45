/* SPDX-License-Identifier: ISC */
#include "store/memfile/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lease/lease_file.h"

static int refuse(const char *path, const char *found, struct err *err)
{
    return err_set(err,
                   "memfile: '%s' %s; ubench writes only to files that it created: name another "
                   "one with --file",
                   path, found);
}

/* Refuses an open file that ubench did not write, and an empty one unless
   may_be_empty. */
static int check_ours(int file, const char *path, bool v6, bool may_be_empty, struct err *err)
{
    char start[LEASE_FILE_HEADER_MAX];
    enum lease_file_format format = v6 ? LEASE_FILE_KEA6 : LEASE_FILE_KEA;
    struct stat status;

    if (fstat(file, &status) != 0)
        return err_set(err, "memfile: %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return refuse(path, "is not a regular file", err);
    const ssize_t length = pread(file, start, sizeof start, 0);
    if (length < 0)
        return err_set(err, "memfile: reading %s: %s", path, strerror(errno));
    if ((length > 0 || !may_be_empty) && !lease_file_is_ours(start, (size_t)length, &format))
        return refuse(path, "was not written by ubench", err);
    if ((format == LEASE_FILE_KEA6) != v6)
        return err_set(err,
                       "memfile: '%s' has %s leases, but this run is with%s --ipv6; name another "
                       "file with --file",
                       path, v6 ? "IPv4" : "IPv6", v6 ? "" : "out");
    return 0;
}

int claim_file(const char *path, enum lease_family family, bool *made, struct err *err)
{
    /* O_NONBLOCK: opening a device or a pipe may block. */
    const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;
    int file = made != NULL ? open(path, flags | O_CREAT | O_EXCL, 0644) : -1;
    bool is_new = file >= 0;

    if (file < 0 && (made == NULL || errno == EEXIST))
        file = open(path, flags);
    if (file < 0 && errno == EISDIR)
        return refuse(path, "is a directory", err);
    if (file < 0)
        return err_set(err, "memfile: opening %s: %s", path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        (void)err_set_class(err, ERR_BUSY, "memfile: '%s' is in use by another process", path);
    } else if (is_new ||
               check_ours(file, path, family == LEASE_FAMILY_V6, made != NULL, err) == 0) {
        if (made != NULL)
            *made = is_new;
        return file;
    }
    (void)close(file);
    return -1;
}
