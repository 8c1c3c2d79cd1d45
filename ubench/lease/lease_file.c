/* SPDX-License-Identifier: ISC */
#include "lease/lease_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lease/lease_text.h"

static const char headers[][LEASE_FILE_HEADER_MAX] = {
    [LEASE_FILE_ISC] = "# The format of this file is documented in the dhcpd.leases(5) manual "
                       "page.\n"
                       "# Written by ubench, which may empty it at its next run.\n",

    /* The second line removes a lease that never existed: Kea ignores it, and
       ubench recognises its file by the host name "ubench".  The lease belongs
       to no subnet, nor does its address. */
    [LEASE_FILE_KEA] = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
                       "fqdn_rev,hostname,state,user_context,pool_id\n"
                       "0.0.0.0,00:00:00:00:00:00,,0,0,0,0,0,ubench,0,,0\n",

    /* Likewise.  Kea 2.6 and later would read three zeros as the empty DUID,
       which only a declined lease has. */
    [LEASE_FILE_KEA6] = "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,"
                        "iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,"
                        "hwtype,hwaddr_source,pool_id\n"
                        "::,00:00:00:00:00:00,0,0,0,0,0,0,128,0,0,ubench,,0,,,,0\n",
};

void lease_writer_init(struct lease_writer *writer, enum lease_file_format format)
{
    *writer = (struct lease_writer){ .format = format, .day = -1 };
    for (unsigned byte = 0; byte < 256; byte++) {
        char *const quoted = writer->quoted[byte];
        char *const dot = lease_put_number(writer->octet[byte], byte);

        *dot = '.';
        writer->octet_length[byte] = (uint8_t)(dot + 1 - writer->octet[byte]);
        (void)snprintf(writer->hex[byte], sizeof writer->hex[byte], "%02x:", byte);
        const char *const end = format == LEASE_FILE_ISC
                                    ? lease_isc_quote(quoted, (uint8_t)byte)
                                    : lease_kea_quote(quoted, writer, (uint8_t)byte);
        writer->quoted_length[byte] = (uint8_t)(end - quoted);
    }
}

size_t lease_writer_header(const struct lease_writer *writer,
                           char out[static LEASE_FILE_HEADER_MAX])
{
    return (size_t)(stpcpy(out, headers[writer->format]) - out);
}

/* Returns the format by the first line. */
static enum lease_file_format format_of(const char *line)
{
    if (strncmp(line, "address,duid,", 13) == 0)
        return LEASE_FILE_KEA6;
    return strncmp(line, "address,", 8) == 0 ? LEASE_FILE_KEA : LEASE_FILE_ISC;
}

bool lease_file_is_ours(const char *start, size_t length, enum lease_file_format *format)
{
    const size_t most = LEASE_FILE_HEADER_MAX;
    char text[LEASE_FILE_HEADER_MAX + 2] = ""; /* NUL-terminated */

    memcpy(text, start, length < most ? length : most);
    *format = format_of(text);
    if (*format == LEASE_FILE_ISC)
        return strncmp(text, headers[LEASE_FILE_ISC], strlen(headers[LEASE_FILE_ISC])) == 0;
    /* Other versions of Kea have other columns around the mark. */
    const char *const address = *format == LEASE_FILE_KEA ? "0.0.0.0," : "::,";
    char *const row = text + strcspn(text, "\n") + 1;
    row[strcspn(row, "\n")] = '\0';
    return strncmp(row, address, strlen(address)) == 0 && strstr(row, ",ubench,") != NULL;
}

size_t lease_writer_record(struct lease_writer *writer, const struct lease *lease, bool removed,
                           char out[static LEASE_FILE_RECORD_MAX])
{
    const char *const end = writer->format == LEASE_FILE_ISC
                                ? lease_isc_put(out, writer, lease, removed)
                                : lease_kea_put(out, writer, lease, removed);

    return (size_t)(end - out);
}

/* Reads a line of length bytes, without its newline.  Returns NULL, or what is
   wrong with it. */
static const char *take_line(struct lease_file_stats *stats, struct lease_record *record,
                             const char *line, size_t length)
{
    /* A disk that lost data returns zeros. */
    if (strlen(line) != length)
        return "a line with a NUL";
    if (length > LEASE_FILE_RECORD_MAX)
        return "a line longer than 4096 bytes";
    if (stats->bad_line == 1)
        stats->format = format_of(line);
    if (stats->format == LEASE_FILE_ISC)
        return lease_isc_take(record, line);
    return stats->bad_line == 1 ? NULL
                                : lease_kea_take(record, stats->format == LEASE_FILE_KEA6, line);
}

/* Reads all lines up to the end of the file, a torn line or a bad one. */
static int read_lines(FILE *file, lease_file_visit *visit, void *context,
                      struct lease_file_stats *stats, struct err *err)
{
    struct lease_record record = { .begun = false };
    uint64_t offset = 0;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int status = 0;

    while (status == 0 && (length = getline(&line, &size, file)) > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        stats->bad_line++;
        stats->complaint = take_line(stats, &record, line, (size_t)length - 1);
        if (stats->complaint != NULL)
            break;
        offset += (uint64_t)length;
        if (record.whole) {
            stats->records++;
            status = visit(context, &record.lease, record.removed, err);
        }
        if (!record.begun)
            stats->good_bytes = offset;
    }
    free(line);
    return status;
}

int lease_file_recover(const char *path, lease_file_visit *visit, void *context,
                       struct lease_file_stats *stats, struct err *err)
{
    FILE *const stream = fopen(path, "re");
    struct stat file = { 0 };
    int status = 0;

    *stats = (struct lease_file_stats){ .complaint = NULL };
    if (stream == NULL)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (fstat(fileno(stream), &file) == 0 && !S_ISREG(file.st_mode))
        status = err_set(err, "%s: is not a regular file", path);
    else
        status = read_lines(stream, visit, context, stats, err);
    if (status == 0 && stats->complaint == NULL && !feof(stream))
        status = err_set(err, "%s: %s", path, strerror(errno));
    (void)fclose(stream);
    if (status != 0)
        return status;
    const uint64_t behind = (uint64_t)file.st_size - stats->good_bytes;
    if (stats->complaint != NULL)
        stats->dropped_bytes = behind;
    else
        stats->torn_bytes = behind;
    return 0;
}
