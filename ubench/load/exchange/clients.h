/* SPDX-License-Identifier: ISC */
/*
 * The clients of one worker: which lease each has, in which version.  Those
 * that have one stand in front, so that one of them can be drawn.
 */
#ifndef UBENCH_LOAD_EXCHANGE_CLIENTS_H
#define UBENCH_LOAD_EXCHANGE_CLIENTS_H

#include <stddef.h>
#include <stdint.h>

#include "lease/generator.h"

enum client_state {
    CLIENT_ACTIVE,
    CLIENT_RELEASED, /* its row is there, at its end */
    CLIENT_DECLINED, /* the row is there, of no client */
    CLIENT_GONE,     /* the row is not */
};

struct client {
    uint32_t number;  /* of the generator's lease */
    uint16_t version; /* how often it was renewed; after the last comes 0 */
    uint8_t state;    /* enum client_state */
    uint8_t unused;
};

struct clients {
    struct client *all;
    size_t active;
    size_t count; /* active ones and others */
    size_t room;
};

/* Makes room for so many; more will have to be moved.  0, or -1. */
int clients_init(struct clients *clients, size_t room);
void clients_release(struct clients *clients); /* zeroed is fine */

/* Adds an active one of version 0.  Returns 0, or -1 if there is no memory. */
int clients_add(struct clients *clients, uint32_t number);

/* Puts an active client (an index below active) behind them, in a state. */
void clients_retire(struct clients *clients, size_t index,
                    enum client_state state);

/*
 * Makes the client's lease as a correct store has it.  A renewal comes at half
 * the lifetime and grants the same one again; a release ends the lease at once;
 * a decline leaves it to no client for a time.
 */
void client_make_lease(const struct client *client,
                       const struct generator *generator, struct lease *lease);

/* True if an active client's lease is as a correct store has it. */
bool client_matches(const struct client *client,
                    const struct generator *generator,
                    const struct lease *lease);

#endif
