/* SPDX-License-Identifier: ISC */
/*
 * The servers of a run, and what the connections to them share.  --host is one server, or a list
 * of nodes of a cluster, which sessions are opened on in turn: HOST, HOST:PORT, [ADDRESS]:PORT or a
 * path, between commas; without a port it is that of --port.
 */
#ifndef UBENCH_STORE_SQL_ENDPOINTS_H
#define UBENCH_STORE_SQL_ENDPOINTS_H

#include <stdatomic.h>
#include <stddef.h>

#include "store/backend.h"
#include "store/sql/watchdog.h"

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
    struct watchdog *watchdog; /* over all connections to them */
};

/* Returns 0, or -1 with err.  It must stay where it is, and no longer than the texts of config. */
int endpoints_init(struct endpoints *endpoints, const struct store_config *config,
                   struct err *err);

/* Adds which there are, and how many sessions each has, if they are several. */
void endpoints_describe(const struct endpoints *endpoints, struct properties *properties);

/* The first member of a store's connection. */
struct sql_link {
    struct watched watched;
    struct endpoints *endpoints;
    struct endpoint *endpoint;
    const char *store; /* its name, with which its errors begin */
    const char *at;    /* the endpoint's, once it is connected to */
    bool lost;         /* the server, at least once */
};

/* Connects to link->endpoint within limit_s; on failure nothing is left open.  0, or -1 with err.
 */
typedef int sql_link_connect(struct sql_link *link, uint64_t limit_s, struct err *err);

/* Connects: to the first endpoint, or in turn to that of the next session; if that is lost, to the
   one behind it.  The link must stay where it is.  0, or -1 with err. */
int sql_link_open(struct sql_link *link, struct endpoints *endpoints, bool in_turn,
                  uint64_t limit_s, sql_link_connect *connect, struct err *err);

/* Writes the sentence and its class: what was done, and what the server or its library says to it
   with its code; or that it was we who gave the connection up.  Always returns -1. */
int sql_link_fail(struct sql_link *link, const char *action, enum err_class class,
                  const char *text, const char *code, struct err *err);

#endif
