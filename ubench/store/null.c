/* SPDX-License-Identifier: ISC */
/*
 * A store that stores nothing: its rate is that of the harness alone.  It is
 * also the template for a new store; backend.h specifies each function.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/backend.h"

/* The functions below ignore their parameters; remove this line in a real
   store. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A real store has connections, settings to restore, settings read back here. */
struct store {
    int unused;
};

/* A real store has the statements and buffers of one thread here. */
struct session {
    int unused;
};

static struct store *null_open(const struct store_config *config, struct err *err)
{
    return err_calloc(1, sizeof(struct store), err);
}

static int null_close(struct store *store, struct err *err)
{
    free(store);
    return 0;
}

static void null_describe(const struct store *store, struct properties *properties)
{
    properties_add(properties, "null store", "it stores nothing");
}

static void null_durability(const struct store *store, struct promise *promise)
{
    static const struct durability_limit limit = {
        .code = "stores-nothing",
        .kill = { LOSS_UNBOUNDED, 0 },
        .power = { LOSS_UNBOUNDED, 0 },
        .text = "it stores nothing",
    };

    promise->stores_nothing = true;
    promise_limit(promise, &limit, "");
}

static struct session *null_session_open(struct store *store, struct err *err)
{
    return err_calloc(1, sizeof(struct session), err);
}

static void null_session_close(struct session *session)
{
    free(session);
}

static int null_count(struct session *session, uint64_t *count, struct err *err)
{
    *count = 0;
    return 0;
}

static enum outcome null_create(struct session *session, const struct lease *lease, struct err *err)
{
    return OUTCOME_HIT;
}

static enum outcome null_find(struct session *session, enum lookup by, const struct lease *like,
                              struct lease *found, struct err *err)
{
    found->address = like->address;
    return OUTCOME_HIT;
}

static enum outcome null_update(struct session *session, const struct lease *lease,
                                int64_t expire_s, struct err *err)
{
    return OUTCOME_HIT;
}

static enum outcome null_remove(struct session *session, struct lease_address address,
                                int64_t expire_s, struct err *err)
{
    return OUTCOME_HIT;
}

static int null_list_expired(struct session *session, int64_t now_s, size_t limit,
                             struct lease *found, size_t *count, struct err *err)
{
    *count = 0;
    return 0;
}

static int null_purge_reclaimed(struct session *session, int64_t before_s, uint64_t *purged,
                                struct err *err)
{
    *purged = 0;
    return 0;
}

static enum outcome null_add_reservation(struct session *session, const struct reservation_key *key,
                                         struct lease_address address, struct err *err)
{
    return OUTCOME_HIT;
}

static enum outcome null_find_reservation(struct session *session,
                                          const struct reservation_key *key,
                                          struct lease_address *address, struct err *err)
{
    *address = (struct lease_address){ .low = 0 };
    return OUTCOME_HIT;
}

static int null_nothing(struct session *session, struct err *err)
{
    return 0;
}

const struct backend the_backend = {
    .name = "null",
    .scope = OPT_SCOPE_SHARED,
    .sync_levels = 0,
    .keeps_leases = false,
    .open = null_open,
    .close = null_close,
    .describe = null_describe,
    .durability = null_durability,
    .session_open = null_session_open,
    .session_close = null_session_close,
    .reset = null_nothing,
    .count = null_count,
    .create = null_create,
    .find = null_find,
    .update = null_update,
    .remove = null_remove,
    .list_expired = null_list_expired,
    .purge_reclaimed = null_purge_reclaimed,
    .add_reservation = null_add_reservation,
    .find_reservation = null_find_reservation,
    .begin = null_nothing,
    .commit = null_nothing,
};
