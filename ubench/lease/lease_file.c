/* SPDX-License-Identifier: ISC */
/* The reading half of lease_file.h: lines, and what a crash has left of them.
 */
#include "lease/lease_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lease/lease_loader.h"

int lease_loader_complain(struct lease_loader *loader, const char *what)
{
    loader->stats->complaint = what;
    loader->stats->bad_line = loader->line_number;
    return err_set_class(loader->err, ERR_CORRUPT,
                         "%s: line %" PRIu64 ": %s: '%.60s'", loader->path,
                         loader->line_number, what, loader->line);
}

int lease_loader_line(struct lease_loader *loader)
{
    errno = 0;
    const ssize_t length =
        getline(&loader->line, &loader->line_room, loader->file);
    if (length < 0) {
        if (feof(loader->file))
            return 0;
        return err_set(loader->err, "%s: %s", loader->path, strerror(errno));
    }
    loader->line_number++;
    loader->offset += (uint64_t)length;
    loader->torn = loader->line[length - 1] != '\n';
    if (loader->torn)
        return 1;
    loader->line[length - 1] = '\0';
    /* What a disk has not kept reads as zeros, and ends no string early. */
    return strlen(loader->line) == (size_t)length - 1
               ? 1
               : lease_loader_complain(loader, "a line with a NUL");
}

int lease_loader_record(struct lease_loader *loader)
{
    loader->stats->records++;
    loader->good = loader->offset;
    return loader->visit(loader->context, &loader->lease, loader->removed,
                         loader->err);
}

/* By its first line. */
static enum lease_file_format format_of(const char *line)
{
    if (strncmp(line, "address,duid,", 13) == 0)
        return LEASE_FILE_KEA6;
    return strncmp(line, "address,", 8) == 0 ? LEASE_FILE_KEA : LEASE_FILE_ISC;
}

static int load(struct lease_loader *loader)
{
    struct lease_file_stats *const stats = loader->stats;

    *stats = (struct lease_file_stats){ 0 };
    loader->file = fopen(loader->path, "re");
    if (loader->file == NULL)
        return err_set(loader->err, "%s: %s", loader->path, strerror(errno));
    int status = lease_loader_line(loader);
    if (status == 1) {
        stats->format = format_of(loader->line);
        status = stats->format == LEASE_FILE_ISC   ? lease_loader_isc(loader)
                 : stats->format == LEASE_FILE_KEA ? lease_loader_kea(loader)
                                                   : lease_loader_kea6(loader);
    }
    return status;
}

static void release(struct lease_loader *loader)
{
    if (loader->file != NULL)
        (void)fclose(loader->file);
    free(loader->line);
}

int lease_file_load(const char *path, lease_file_visit *visit, void *context,
                    struct lease_file_stats *stats, struct err *err)
{
    struct lease_loader loader = { .path = path,
                                   .visit = visit,
                                   .context = context,
                                   .stats = stats,
                                   .err = err };
    const int status = load(&loader);

    stats->torn_bytes = loader.offset - loader.good;
    release(&loader);
    return status;
}

/* Says what is left out from the complaint on. */
static int drop_rest(struct lease_loader *loader, struct err *err)
{
    struct lease_file_stats *const stats = loader->stats;

    if (fseeko(loader->file, 0, SEEK_END) != 0)
        return err_set(err, "%s: %s", loader->path, strerror(errno));
    stats->good_bytes = loader->good;
    stats->dropped_bytes = (uint64_t)ftello(loader->file) - loader->good;
    return 0;
}

int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err)
{
    struct err why = { 0 };
    struct lease_loader loader = { .path = path,
                                   .strict = true,
                                   .visit = visit,
                                   .context = context,
                                   .stats = stats,
                                   .err = &why };
    int status = load(&loader);

    if (status != 0 && stats->complaint != NULL)
        status = drop_rest(&loader, err);
    else if (status != 0)
        *err = why;
    else
        stats->torn_bytes = loader.offset - loader.good;
    release(&loader);
    return status;
}
