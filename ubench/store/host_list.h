/* SPDX-License-Identifier: ISC */
/* The servers of --host: HOST, HOST:PORT, [ADDRESS]:PORT or a path, separated by commas. */
#ifndef UBENCH_STORE_HOST_LIST_H
#define UBENCH_STORE_HOST_LIST_H

#include <stdint.h>

#include "core/err.h"

enum { HOST_SIZE = 256 };

/* Reads the server at *rest, which points into list, and its port if it has one.  Sets *rest to the
   next server, or to NULL after the last.  Returns 0, or -1 with err. */
int host_list_read(const char *list, const char **rest, char host[static HOST_SIZE], uint64_t *port,
                   struct err *err);

#endif
