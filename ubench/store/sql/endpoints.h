/* SPDX-License-Identifier: ISC */
/*
 * The servers of a run: --host is one, or a list of nodes of a cluster, which
 * sessions are opened on in turn.  HOST, HOST:PORT, [ADDRESS]:PORT or a path,
 * between commas; without a port it is that of --port.
 */
#ifndef UBENCH_STORE_SQL_ENDPOINTS_H
#define UBENCH_STORE_SQL_ENDPOINTS_H

#include <stdatomic.h>
#include <stddef.h>

#include "store/backend.h"

enum { ENDPOINTS_MAX = 16, ENDPOINT_SIZE = 256 };

struct endpoint {
    struct store_config config; /* the run's, with the host and port of this */
    char host[ENDPOINT_SIZE];
    bool one_of_several;
    char at[ENDPOINT_SIZE + 16]; /* " at HOST:PORT", for messages; "" if it is
                                    the only one */
    atomic_uint sessions;        /* that were opened on it */
};

struct endpoints {
    struct endpoint items[ENDPOINTS_MAX];
    size_t count;
    atomic_uint turn; /* sessions that were to be opened */
};

/* Returns 0, or -1 with err.  It must stay where it is, and no longer than the
   texts of config. */
int endpoints_init(struct endpoints *endpoints,
                   const struct store_config *config, struct err *err);

/* The one whose turn it is to take a session. */
struct endpoint *endpoints_next(struct endpoints *endpoints);

/* After one that could not be connected to, with err: the one that is tried
   next.  NULL if all were, from first on, or if it was not lost. */
struct endpoint *endpoints_instead(struct endpoints *endpoints,
                                   const struct endpoint *first,
                                   const struct endpoint *failed,
                                   const struct err *err);

/* Adds which there are, and how many sessions each has, if they are several. */
void endpoints_describe(const struct endpoints *endpoints,
                        struct properties *properties);

#endif
