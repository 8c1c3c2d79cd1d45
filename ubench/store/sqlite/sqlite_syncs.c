/* SPDX-License-Identifier: ISC */
/*
 * Counts the syncs of a database's files, which SQLite does not tell: a VFS that is the default one
 * with a method of its own for syncing.  See https://www.sqlite.org/vfs.html, "shims".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "store/sqlite/sqlite.h"

/* What this VFS keeps of an open file, after the default VFS's own part of it. */
struct counted_file {
    sqlite3_io_methods methods; /* with our xSync */
    int (*sync)(sqlite3_file *file, int flags);
    struct sqlite_syncs *syncs;
};

static size_t own_size(void)
{
    return ((size_t)sqlite3_vfs_find(NULL)->szOsFile + _Alignof(struct counted_file) - 1) /
           _Alignof(struct counted_file) * _Alignof(struct counted_file);
}

static int count_sync(sqlite3_file *file, int flags)
{
    const struct counted_file *const counted = (const void *)((const char *)file + own_size());

    (void)atomic_fetch_add_explicit(&counted->syncs->count, 1, memory_order_relaxed);
    return counted->sync(file, flags);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    sqlite3_vfs *const own = sqlite3_vfs_find(NULL);
    struct counted_file *const counted = (void *)((char *)file + own_size());
    const int code = own->xOpen(own, name, file, flags, out_flags);

    if (file->pMethods == NULL)
        return code;
    counted->methods = *file->pMethods;
    counted->sync = file->pMethods->xSync;
    counted->syncs = vfs->pAppData;
    counted->methods.xSync = count_sync;
    file->pMethods = &counted->methods;
    return code;
}

int sqlite_syncs_init(struct sqlite_syncs *syncs, struct err *err)
{
    const sqlite3_vfs *const own = sqlite3_vfs_find(NULL);

    if (own == NULL)
        return err_set(err, "sqlite: its library has no file system");
    (void)snprintf(syncs->name, sizeof syncs->name, "ubench-%p", (void *)syncs);
    syncs->vfs = *own;
    syncs->vfs.pNext = NULL;
    syncs->vfs.zName = syncs->name;
    syncs->vfs.szOsFile = (int)(own_size() + sizeof(struct counted_file));
    syncs->vfs.pAppData = syncs;
    syncs->vfs.xOpen = open_file;
    return sqlite3_vfs_register(&syncs->vfs, 0) == SQLITE_OK
               ? 0
               : err_set(err, "sqlite: out of memory");
}

void sqlite_syncs_release(struct sqlite_syncs *syncs)
{
    if (syncs->vfs.zName != NULL)
        (void)sqlite3_vfs_unregister(&syncs->vfs);
}
