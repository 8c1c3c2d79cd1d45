/* SPDX-License-Identifier: ISC */
/* The servers that --host names: HOST, HOST:PORT, [ADDRESS]:PORT or a path, between commas. */
#ifndef UBENCH_STORE_HOST_LIST_H
#define UBENCH_STORE_HOST_LIST_H

#include <stdint.h>

#include "core/err.h"

enum { HOST_SIZE = 256 };

/* Reads the server at *rest, which is in the list, and its port if it has one.  Then *rest is the
   next, or NULL if there is none.  Returns 0, or -1 with err. */
int host_list_read(const char *list, const char **rest, char host[static HOST_SIZE], uint64_t *port,
                   struct err *err);

#endif
