/* SPDX-License-Identifier: ISC */
#include "tests/lib/store_model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

enum { LEASES = STORE_MODEL_LEASES, CLIENTS = 4, LIST_MAX = 8 };

/* Bytes, and behind their end zeros. */
struct source {
    const uint8_t *at;
    const uint8_t *end;
};

static unsigned take(struct source *source, unsigned below)
{
    return source->at < source->end ? *source->at++ % below : 0;
}

static size_t take_bytes(struct source *source, void *to, size_t max)
{
    size_t length = take(source, (unsigned)max + 1);
    const size_t left = (size_t)(source->end - source->at);

    length = length < left ? length : left;
    memcpy(to, source->at, length);
    source->at += length;
    return length;
}

static bool differ(struct store_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes a difference; always false. */
static bool differ(struct store_model *model, const char *format, ...)
{
    const size_t room = sizeof model->complaint;
    va_list arguments;

    const int length = snprintf(model->complaint, room, "operation %u, ", model->operations);
    va_start(arguments, format);
    (void)vsnprintf(model->complaint + length, room - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Leases */

/* An identifier: of one of few clients, none, as many bytes as can be, a single
   one or any. */
static uint8_t make_id(struct source *source, uint8_t *to, size_t max, const uint8_t *ordinary,
                       size_t length)
{
    const unsigned kind = take(source, 8);

    if (kind < CLIENTS) {
        memcpy(to, ordinary, length);
        to[length - 1] = (uint8_t)kind;
        return (uint8_t)length;
    }
    if (kind == CLIENTS)
        return 0;
    if (kind == CLIENTS + 1) {
        memset(to, 0xfe, max);
        return (uint8_t)max;
    }
    if (kind == CLIENTS + 2) {
        to[0] = (uint8_t)take(source, CLIENTS);
        return 1;
    }
    return (uint8_t)take_bytes(source, to, max);
}

static void make_client(const struct store_model *model, struct source *source, struct lease *lease)
{
    const struct lease of = ordinary_lease(model->family, 0);
    const size_t max = model->family == LEASE_FAMILY_V4 ? LEASE_CLIENT_ID_MAX : LEASE_DUID_MAX;

    lease->hwaddr_length =
        make_id(source, lease->hwaddr, LEASE_HWADDR_MAX, of.hwaddr, of.hwaddr_length);
    lease->client_id_length =
        make_id(source, lease->client_id, max, of.client_id, of.client_id_length);
    if (model->family == LEASE_FAMILY_V4)
        return;
    lease->type = take(source, 2) == 0 ? LEASE_TYPE_NA : LEASE_TYPE_PD;
    lease->iaid = take(source, 4) == 0 ? UINT32_MAX : take(source, 2);
}

static void make_hostname(const struct store_model *model, struct source *source,
                          struct lease *lease)
{
    char text[LEASE_HOSTNAME_MAX + 1] = "";
    size_t length = take_bytes(source, text, LEASE_HOSTNAME_MAX);

    if (!model->limits.raw_hostnames) {
        text_clean(text);
        length = strlen(text);
    }
    memcpy(lease->hostname, text, length);
    lease->hostname_length = (uint8_t)length;
}

static void make_times(const struct store_model *model, struct source *source, struct lease *lease)
{
    static const uint32_t valid_s[] = { 3600, 1, 86400, LEASE_VALID_FOREVER,
                                        LEASE_VALID_FOREVER - 1 };

    lease->cltt_s = ordinary_lease(model->family, take(source, 16)).cltt_s;
    lease->valid_s = valid_s[take(source, sizeof valid_s / sizeof *valid_s)];
    if (lease->valid_s == LEASE_VALID_FOREVER - 1 &&
        lease_expire_s(lease) > model->limits.expire_most_s)
        lease->valid_s = 7;
    lease->state = (uint8_t)take(source, 3);
    /* When Kea would purge what never ends is told by nothing. */
    if (lease->valid_s == LEASE_VALID_FOREVER && lease->state == LEASE_STATE_RECLAIMED)
        lease->state = LEASE_STATE_DEFAULT;
}

static struct lease make_lease(const struct store_model *model, unsigned i, struct source *source)
{
    static const uint32_t ids[] = { 1, 2, UINT32_MAX };
    struct lease lease = {
        .type = LEASE_TYPE_V4,
        .address = ordinary_lease(model->family, i).address,
    };

    make_client(model, source, &lease);
    make_hostname(model, source, &lease);
    make_times(model, source, &lease);
    lease.subnet_id = ids[take(source, 3)];
    lease.pool_id = ids[take(source, 3)] - 1;
    lease.fqdn_fwd = take(source, 2) != 0;
    lease.fqdn_rev = take(source, 2) != 0;
    if (model->family == LEASE_FAMILY_V6) {
        lease.preferred_s = take(source, 256);
        lease.prefix_length = (uint8_t)take(source, 129);
    }
    return lease;
}

/* Comparing */

static bool same_outcome(struct store_model *model, const char *what, enum outcome got,
                         enum outcome wanted, const struct err *err)
{
    static const char *const names[] = { "ERROR", "MISS", "HIT" };

    return got == wanted ? true
                         : differ(model, "%s: %s, not %s: %s", what, names[got + 1],
                                  names[wanted + 1], got == OUTCOME_ERROR ? err->text : "");
}

static bool same_lease(struct store_model *model, const char *what, const struct lease *got,
                       const struct lease *wanted)
{
    const char *const field = lease_difference(got, wanted);

    return field == NULL ? true
                         : differ(model, "%s: another %s of address %u", what, field,
                                  (unsigned)(wanted->address.low & 255));
}

static bool same_count(struct store_model *model, const char *what, uint64_t got, uint64_t wanted)
{
    return got == wanted ? true : differ(model, "%s: %" PRIu64 ", not %" PRIu64, what, got, wanted);
}

static bool same_find(struct store_model *model, const char *what, enum outcome outcome,
                      const struct lease *found, size_t matches, const struct lease *wanted,
                      const struct err *err)
{
    const enum outcome right = matches == 0   ? OUTCOME_MISS
                               : matches == 1 ? OUTCOME_HIT
                                              : OUTCOME_ERROR;

    return same_outcome(model, what, outcome, right, err) &&
           (outcome != OUTCOME_HIT || same_lease(model, what, found, wanted));
}

/* Operations; i is the number of an address. */

static int64_t right_or_wrong(const struct store_model *model, unsigned i, struct source *source)
{
    return lease_expire_s(&model->now.leases[i]) + (take(source, 4) == 0);
}

static bool is_right(const struct store_model *model, unsigned i, int64_t expire_s)
{
    return model->now.is_there[i] && lease_expire_s(&model->now.leases[i]) == expire_s;
}

static bool create(struct store_model *model, unsigned i, struct source *source)
{
    const struct lease lease = make_lease(model, i, source);
    struct err err = { 0 };
    const enum outcome outcome = model->backend->create(model->session, &lease, &err);
    const bool taken = model->now.is_there[i];

    if (!taken) {
        model->now.is_there[i] = true;
        model->now.leases[i] = lease;
    }
    return same_outcome(model, "create", outcome, taken ? OUTCOME_MISS : OUTCOME_HIT, &err);
}

static bool update(struct store_model *model, unsigned i, struct source *source)
{
    const int64_t expire_s = right_or_wrong(model, i, source);
    const struct lease lease = make_lease(model, i, source);
    struct err err = { 0 };
    const enum outcome outcome = model->backend->update(model->session, &lease, expire_s, &err);
    const bool right = is_right(model, i, expire_s);

    if (right)
        model->now.leases[i] = lease;
    return same_outcome(model, "update", outcome, right ? OUTCOME_HIT : OUTCOME_MISS, &err);
}

static bool remove_one(struct store_model *model, unsigned i, struct source *source)
{
    const int64_t expire_s = right_or_wrong(model, i, source);
    const struct lease_address address = ordinary_lease(model->family, i).address;
    struct err err = { 0 };
    const enum outcome outcome = model->backend->remove(model->session, address, expire_s, &err);
    const bool right = is_right(model, i, expire_s);

    if (right)
        model->now.is_there[i] = false;
    return same_outcome(model, "remove", outcome, right ? OUTCOME_HIT : OUTCOME_MISS, &err);
}

static bool find_address(struct store_model *model, unsigned i, enum lease_type type,
                         const char *what)
{
    const struct lease key = { .address = ordinary_lease(model->family, i).address,
                               .type = (uint8_t)type };
    struct lease found;
    struct err err = { 0 };
    const enum outcome outcome =
        model->backend->find(model->session, LOOKUP_ADDRESS, &key, &found, &err);
    const struct lease *const wanted = &model->now.leases[i];

    return same_find(model, what, outcome, &found, model->now.is_there[i] && wanted->type == type,
                     wanted, &err);
}

static bool same_bytes(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length)
{
    return a_length > 0 && a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool is_client(const struct lease *lease, enum lookup by, const struct lease *key)
{
    if (by == LOOKUP_HWADDR)
        return same_bytes(lease->hwaddr, lease->hwaddr_length, key->hwaddr, key->hwaddr_length);
    return same_bytes(lease->client_id, lease->client_id_length, key->client_id,
                      key->client_id_length) &&
           lease->type == key->type && (key->type == LEASE_TYPE_V4 || lease->iaid == key->iaid) &&
           (by == LOOKUP_CLIENT_ID || lease->subnet_id == key->subnet_id);
}

static bool find_client(struct store_model *model, enum lookup by, struct source *source)
{
    struct lease key = { .type = LEASE_TYPE_V4 };
    const struct lease *wanted = NULL;
    struct lease found;
    struct err err = { 0 };
    size_t matches = 0;

    make_client(model, source, &key);
    if (by == LOOKUP_CLIENT_ID && model->family == LEASE_FAMILY_V6) {
        key.subnet_id = take(source, 3);
        by = key.subnet_id == 0 ? LOOKUP_CLIENT_ID : LOOKUP_IN_SUBNET;
    }
    for (unsigned i = 0; i < LEASES; i++) {
        if (!model->now.is_there[i] || !is_client(&model->now.leases[i], by, &key))
            continue;
        wanted = &model->now.leases[i];
        matches++;
    }
    const enum outcome outcome = model->backend->find(model->session, by, &key, &found, &err);
    return same_find(model, by == LOOKUP_HWADDR ? "find by hwaddr" : "find by client", outcome,
                     &found, matches, wanted, &err);
}

/* Around when lease i expires. */
static int64_t choose_time(const struct store_model *model, unsigned i, struct source *source)
{
    const struct lease *const lease = &model->now.leases[i];
    const bool usable = model->now.is_there[i] && lease->valid_s != LEASE_VALID_FOREVER;

    return (usable ? lease_expire_s(lease) : ordinary_lease(model->family, i).cltt_s + 3600) +
           take(source, 3) - 1;
}

static bool is_expired(const struct store_model *model, unsigned i, int64_t now_s)
{
    const struct lease *const lease = &model->now.leases[i];

    return model->now.is_there[i] && lease->state != LEASE_STATE_RECLAIMED &&
           lease->valid_s != LEASE_VALID_FOREVER && lease_expire_s(lease) < now_s;
}

/* One that was listed: how many expired before it, at least, and not after it.
   The order among equals is open. */
static bool check_listed(struct store_model *model, const struct lease *found, size_t place,
                         int64_t now_s)
{
    const uint64_t i = found->address.low - ordinary_lease(model->family, 0).address.low;
    size_t earlier = 0;
    size_t equal = 0;

    if (i >= LEASES || !is_expired(model, (unsigned)i, now_s))
        return differ(model, "list_expired: what did not expire");
    for (unsigned k = 0; k < LEASES; k++) {
        const int64_t expire_s = lease_expire_s(&model->now.leases[k]);

        if (!is_expired(model, k, now_s))
            continue;
        earlier += expire_s < lease_expire_s(found);
        equal += expire_s == lease_expire_s(found);
    }
    if (place < earlier || place >= earlier + equal)
        return differ(model, "list_expired: another order");
    return same_lease(model, "list_expired", found, &model->now.leases[i]);
}

static bool list_expired(struct store_model *model, unsigned i, struct source *source)
{
    const int64_t now_s = choose_time(model, i, source);
    const size_t limit = take(source, LIST_MAX + 1);
    struct lease found[LIST_MAX + 1];
    size_t count = 999;
    size_t wanted = 0;
    struct err err = { 0 };

    if (model->backend->list_expired(model->session, now_s, limit, found, &count, &err) != 0)
        return differ(model, "list_expired: %s", err.text);
    for (unsigned k = 0; k < LEASES; k++)
        wanted += is_expired(model, k, now_s);
    if (!same_count(model, "list_expired", count, wanted < limit ? wanted : limit))
        return false;
    for (size_t k = 0; k < count; k++) {
        if (!check_listed(model, &found[k], k, now_s))
            return false;
    }
    return true;
}

static bool purge(struct store_model *model, unsigned i, struct source *source)
{
    const int64_t before_s = choose_time(model, i, source);
    uint64_t purged = 999;
    uint64_t wanted = 0;
    struct err err = { 0 };

    for (unsigned k = 0; k < LEASES; k++) {
        const struct lease *const lease = &model->now.leases[k];

        if (!model->now.is_there[k] || lease->state != LEASE_STATE_RECLAIMED ||
            lease_expire_s(lease) >= before_s)
            continue;
        model->now.is_there[k] = false;
        wanted++;
    }
    if (model->backend->purge_reclaimed(model->session, before_s, &purged, &err) != 0)
        return differ(model, "purge_reclaimed: %s", err.text);
    return same_count(model, "purge_reclaimed", purged, wanted);
}

/* Groups and sessions */

static bool commit(struct store_model *model)
{
    struct err err = { 0 };

    if (!model->grouped)
        return true;
    model->grouped = false;
    return model->backend->commit(model->session, &err) == 0
               ? true
               : differ(model, "commit: %s", err.text);
}

static bool begin_or_commit(struct store_model *model)
{
    struct err err = { 0 };

    if (model->grouped)
        return commit(model);
    model->grouped = true;
    model->before = model->now;
    return model->backend->begin(model->session, &err) == 0 ? true
                                                            : differ(model, "begin: %s", err.text);
}

/* In a group: without its commit. */
static bool change_sessions(struct store_model *model)
{
    const struct store_leases kept = model->now;
    const bool abandoned = model->grouped;
    struct err err = { 0 };

    model->grouped = false;
    model->backend->session_close(model->session);
    model->session = model->backend->session_open(model->store, &err);
    if (model->session == NULL)
        return differ(model, "session_open: %s", err.text);
    if (!abandoned || store_model_compare(model, false))
        return true;
    model->now = model->before;
    if (store_model_compare(model, false)) {
        model->complaint[0] = '\0';
        return true;
    }
    model->now = kept;
    return differ(model, "an abandoned group is neither there nor away");
}

bool store_model_compare(struct store_model *model, bool without_pools)
{
    uint64_t count = 999;
    uint64_t wanted = 0;
    struct err err = { 0 };

    for (unsigned i = 0; i < LEASES; i++) {
        struct lease *const lease = &model->now.leases[i];

        if (without_pools)
            lease->subnet_id = lease->pool_id = 0;
        wanted += model->now.is_there[i];
        if (!find_address(model, i,
                          model->now.is_there[i]
                              ? (enum lease_type)lease->type
                              : (enum lease_type)ordinary_lease(model->family, 0).type,
                          "all that is there"))
            return false;
    }
    if (model->backend->count(model->session, &count, &err) != 0)
        return differ(model, "count: %s", err.text);
    return same_count(model, "count", count, wanted);
}

static bool play_one(struct store_model *model, struct source *source)
{
    const unsigned kind = take(source, 24);
    const unsigned i = take(source, LEASES);

    if (kind < 6)
        return create(model, i, source);
    if (kind < 10)
        return update(model, i, source);
    if (kind < 13)
        return remove_one(model, i, source);
    if (kind < 15)
        return find_client(model, LOOKUP_HWADDR, source);
    if (kind < 17)
        return find_client(model, LOOKUP_CLIENT_ID, source);
    if (kind < 19)
        return list_expired(model, i, source);
    if (kind < 20)
        return purge(model, i, source);
    if (kind < 22)
        return begin_or_commit(model);
    if (kind < 23)
        return change_sessions(model);
    return find_address(model, i,
                        model->family == LEASE_FAMILY_V4 ? LEASE_TYPE_V4
                        : take(source, 2) == 0           ? LEASE_TYPE_NA
                                                         : LEASE_TYPE_PD,
                        "find by address");
}

bool store_model_play(struct store_model *model, const uint8_t *bytes, size_t length)
{
    struct source source = { bytes, bytes + length };

    model->now = (struct store_leases){ .is_there = { false } };
    model->complaint[0] = '\0';
    for (model->operations = 1; source.at < source.end; model->operations++) {
        if (!play_one(model, &source))
            return false;
    }
    return commit(model) && store_model_compare(model, false);
}
