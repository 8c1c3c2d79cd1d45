/* SPDX-License-Identifier: ISC */
/*
 * What memfile_ubench is measured against: the barest loop that writes records
 * of the same size to a file, and syncs them if it is to.
 *
 *     bare_log FILE N BYTES yes|no|volatile [GROUP]
 *
 * makes FILE, which must not be there, writes N records of BYTES in groups of
 * GROUP (one write and, with yes, one fdatasync for each; volatile: in pieces
 * of 256 KiB), prints the rate per second and removes it.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"

enum { PIECE = 256 << 10 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        (void)fprintf(stderr, "usage: %s FILE N BYTES yes|no|volatile [GROUP]\n", argv[0]);
        return 2;
    }
    const unsigned long n = strtoul(argv[2], NULL, 10);
    const size_t bytes = strtoul(argv[3], NULL, 10);
    const bool sync = strcmp(argv[4], "yes") == 0;
    unsigned long group = argc > 5 ? strtoul(argv[5], NULL, 10) : 1;

    if (strcmp(argv[4], "volatile") == 0)
        group = PIECE / bytes;
    char *const records = malloc(bytes * group);
    const int file = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (records == NULL || file < 0)
        die(argv[1]);
    memset(records, 'x', bytes * group);
    const uint64_t begun_ns = clock_now_ns();
    for (unsigned long i = 0; i < n; i += group) {
        if (write(file, records, bytes * group) != (ssize_t)(bytes * group))
            die("write");
        if (sync && fdatasync(file) != 0)
            die("fdatasync");
    }
    const double elapsed_s = (double)(clock_now_ns() - begun_ns) / NS_PER_S;
    (void)printf("%.0f\n", (double)n / elapsed_s);
    free(records);
    return close(file) != 0 || unlink(argv[1]) != 0;
}
