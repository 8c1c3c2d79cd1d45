/* SPDX-License-Identifier: ISC */
/*
 * The servers of a run, and what the connections to them share.  --host is one server, or a list
 * of nodes of a cluster, which sessions are opened on in turn: HOST, HOST:PORT, [ADDRESS]:PORT or a
 * path, between commas; without a port it is that of --port.
 */
#ifndef UBENCH_STORE_SERVER_ENDPOINTS_H
#define UBENCH_STORE_SERVER_ENDPOINTS_H

#include "store/backend.h"
#include "store/server/watchdog.h"

enum { ENDPOINTS_MAX = 16, ENDPOINT_SIZE = 256 };

/* The timeout when a run is over, or while others wait, s: enough for servers that are alive, and
   short for a person who has pressed ^C. */
enum { CLOSE_TIMEOUT_S = 3 };

struct endpoint {
    struct store_config config; /* the run's, with the host and port of this */
    char host[ENDPOINT_SIZE];
    bool one_of_several;
    char at[ENDPOINT_SIZE + 16]; /* " at HOST:PORT", for messages; "" if it is the only one */
    atomic_uint sessions;        /* that were opened on it */
};

struct endpoints {
    struct endpoint items[ENDPOINTS_MAX];
    size_t count;
    atomic_uint turn;          /* sessions that were to be opened */
    atomic_uint cancels;       /* how often the store was told to cancel */
    struct watchdog watchdog; /* over all connections to them */
};

/* Returns 0, or -1 with err.  It must stay where it is, and no longer than the texts of config. */
int endpoints_init(struct endpoints *endpoints, const struct store_config *config,
                   struct err *err);

/* Adds which there are, and how many sessions each has, if they are several. */
void endpoints_describe(const struct endpoints *endpoints, struct properties *properties);

#endif
