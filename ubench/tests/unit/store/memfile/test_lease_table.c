/* SPDX-License-Identifier: ISC */
#include "store/memfile/lease_table.h"

#include "core/random.h"
#include "tests/lib/check.h"

/* Few addresses, clients and times, so that everything meets everything. */
enum { ADDRESSES = 300, CLIENTS = 200, TIMES = 50, STEPS = 60000 };

/* What should be in the table: an array that is searched from end to end. */
struct model {
    enum lease_family family;
    bool present[ADDRESSES];
    struct lease leases[ADDRESSES];
};

static const struct {
    enum lease_family family;
    bool indexed;
} kinds[] = { { LEASE_FAMILY_V4, false },
              { LEASE_FAMILY_V4, true },
              { LEASE_FAMILY_V6, false },
              { LEASE_FAMILY_V6, true } };

static struct lease_address address_of(enum lease_family family, size_t slot)
{
    if (family == LEASE_FAMILY_V6)
        return (struct lease_address){ .low = slot % 2 ? slot << 40 : slot,
                                       .high = slot % 7 };
    /* Over several /24s, and both ends of the address space. */
    return lease_address_v4(slot == 0 ? 0
                            : slot == ADDRESSES - 1
                                ? UINT32_MAX
                                : 0x0afffff0 + (uint32_t)slot * 5);
}

/* A lease made of random parts, some of them empty, some as long as can be. */
static void make_lease(enum lease_family family, struct lease *lease,
                       size_t slot, uint64_t draw)
{
    const uint64_t client = random_below((uint32_t)draw, CLIENTS);
    const uint64_t more = random_mix(draw);

    memset(lease, 0, sizeof *lease);
    lease->address = address_of(family, slot);
    lease->type = LEASE_TYPE_V4;
    if (family == LEASE_FAMILY_V6) {
        lease->type = more % 3 == 0 ? LEASE_TYPE_PD : LEASE_TYPE_NA;
        lease->iaid = (uint32_t)(more >> 40) % 2;
        lease->preferred_s = (uint32_t)(more >> 5);
        lease->prefix_length = (uint8_t)(more >> 48);
    }
    lease->cltt_s = (int64_t)((draw >> 32) % TIMES * 1000) - 20000;
    lease->valid_s = more % 10 == 0 ? UINT32_MAX : (uint32_t)(more >> 8) % 5000;
    lease->subnet_id = (uint32_t)more;
    lease->pool_id = (uint32_t)(more >> 32);
    lease->state = (uint8_t)((more >> 16) % 3);
    lease->fqdn_fwd = (more & 64) != 0;
    lease->fqdn_rev = (more & 128) != 0;
    lease->hwaddr_length = (uint8_t)(client % (LEASE_HWADDR_MAX + 1));
    lease->client_id_length = (uint8_t)(client * 37 % 256);
    lease->hostname_length = (uint8_t)(more >> 24);
    memset(lease->hwaddr, (int)client, lease->hwaddr_length);
    memset(lease->client_id, (int)client + 1, lease->client_id_length);
    memset(lease->hostname, 'a' + (int)(more % 26), lease->hostname_length);
}

static unsigned find_hwaddr(const struct lease_table *table,
                            const struct lease *wanted, struct lease *found)
{
    const struct lease_table_key key = { .bytes = wanted->hwaddr,
                                         .length = wanted->hwaddr_length };

    return lease_table_find_client(table, &key, found);
}

static unsigned find_client_id(const struct lease_table *table,
                               const struct lease *wanted, struct lease *found)
{
    const struct lease_table_key key = {
        .bytes = wanted->client_id,
        .length = wanted->client_id_length,
        .client_id = true,
        .iaid = wanted->iaid,
        .type = (enum lease_type)wanted->type,
    };

    return lease_table_find_client(table, &key, found);
}

static void check_client_searches(const struct lease_table *table,
                                  const struct model *model,
                                  const struct lease *wanted)
{
    unsigned hwaddrs = 0;
    unsigned client_ids = 0;
    struct lease found;

    for (size_t i = 0; i < ADDRESSES; i++) {
        const struct lease *const lease = &model->leases[i];

        if (!model->present[i])
            continue;
        hwaddrs +=
            wanted->hwaddr_length > 0 &&
            lease->hwaddr_length == wanted->hwaddr_length &&
            memcmp(lease->hwaddr, wanted->hwaddr, lease->hwaddr_length) == 0;
        client_ids += lease->iaid == wanted->iaid &&
                      lease->type == wanted->type &&
                      wanted->client_id_length > 0 &&
                      lease->client_id_length == wanted->client_id_length &&
                      memcmp(lease->client_id, wanted->client_id,
                             lease->client_id_length) == 0;
    }
    check_number("hwaddr", find_hwaddr(table, wanted, &found),
                 hwaddrs > 2 ? 2 : hwaddrs);
    check_number("client-id", find_client_id(table, wanted, &found),
                 client_ids > 2 ? 2 : client_ids);
}

static bool is_expired(const struct lease *lease, int64_t now_s)
{
    return lease->state != LEASE_STATE_RECLAIMED &&
           lease->valid_s != UINT32_MAX && lease_expire_s(lease) < now_s;
}

static void check_expired(const struct lease_table *table,
                          const struct model *model, int64_t now_s,
                          size_t limit)
{
    static struct lease found[ADDRESSES];
    const size_t count = lease_table_expired(table, now_s, limit, found);
    size_t expired = 0;
    size_t earlier = 0;

    for (size_t i = 0; i < ADDRESSES; i++) {
        if (!model->present[i] || !is_expired(&model->leases[i], now_s))
            continue;
        expired++;
        earlier += count > 0 && lease_expire_s(&model->leases[i]) <
                                    lease_expire_s(&found[count - 1]);
    }
    check_number("expired", count, expired < limit ? expired : limit);
    check("expired", earlier < limit || limit == 0, "the earliest are listed");
    for (size_t i = 0; i < count; i++) {
        check("expired", is_expired(&found[i], now_s), "it has expired");
        check("expired",
              i == 0 ||
                  lease_expire_s(&found[i - 1]) <= lease_expire_s(&found[i]),
              "the first to expire comes first");
    }
}

static void check_model(const struct lease_table *table,
                        const struct model *model, uint64_t draw)
{
    uint64_t count = 0;
    struct lease found;

    for (size_t i = 0; i < ADDRESSES; i++) {
        const bool matched = lease_table_find_address(
            table, address_of(model->family, i),
            (enum lease_type)model->leases[i].type, &found);

        count += model->present[i];
        check_number("address", matched, model->present[i]);
        if (model->family == LEASE_FAMILY_V6)
            check_number(
                "another type",
                lease_table_find_address(table, address_of(model->family, i),
                                         model->leases[i].type == LEASE_TYPE_NA
                                             ? LEASE_TYPE_PD
                                             : LEASE_TYPE_NA,
                                         &(struct lease){ .cltt_s = 0 }),
                0);
        if (matched && !lease_equal(&found, &model->leases[i]))
            fail_msg("address %zu: another %s", i,
                     lease_difference(&found, &model->leases[i]));
    }
    check_number("count", lease_table_count(table), count);
    check_client_searches(table, model, &model->leases[draw % ADDRESSES]);
    check_expired(table, model, (int64_t)(draw % 60000) - 25000, draw % 40);
    check_expired(table, model, INT64_MAX, ADDRESSES);
}

static void play_one(struct lease_table *table, struct model *model,
                     uint64_t draw)
{
    const size_t slot = random_below((uint32_t)(draw >> 7), ADDRESSES);
    struct lease *const old = &model->leases[slot];
    const bool present = model->present[slot];
    const int64_t expire_s = lease_expire_s(old) + (draw % 8 == 0);
    const bool meant = present && draw % 8 != 0;
    struct lease lease;

    make_lease(model->family, &lease, slot, random_mix(draw));
    if (draw % 3 == 0) {
        check_number("add", (uint64_t)lease_table_add(table, &lease), !present);
        model->present[slot] = true;
        if (!present)
            *old = lease;
    } else if (draw % 3 == 1) {
        check_number("update",
                     (uint64_t)lease_table_update(table, &lease, expire_s),
                     meant);
        if (meant)
            *old = lease;
    } else {
        check_number(
            "remove",
            (uint64_t)lease_table_remove(table, address_of(model->family, slot),
                                         expire_s, &lease),
            meant);
        if (meant)
            check("remove", lease_equal(&lease, old), "it was the lease");
        model->present[slot] = present && !meant;
    }
}

TEST(it_agrees_with_a_model)
{
    static struct model model;

    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        struct lease_table table;

        memset(&model, 0, sizeof model);
        model.family = kinds[k].family;
        for (size_t i = 0; i < ADDRESSES; i++)
            make_lease(kinds[k].family, &model.leases[i], i, i);
        assert_int_equal(lease_table_init(&table, kinds[k].indexed), 0);
        for (uint64_t step = 0; step < STEPS; step++) {
            play_one(&table, &model, random_at(11, step));
            if (step % 500 == 0)
                check_model(&table, &model, random_at(12, step));
        }
        lease_table_clear(&table);
        memset(model.present, 0, sizeof model.present);
        check_model(&table, &model, 5);
        lease_table_release(&table);
    }
}

TEST(reclaimed_leases_are_found_while_they_are_removed)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        struct lease_table table;
        struct lease lease;
        uint64_t cursor = 0;
        unsigned removed = 0;

        assert_int_equal(lease_table_init(&table, kinds[k].indexed), 0);
        for (size_t i = 0; i < ADDRESSES; i++) {
            make_lease(kinds[k].family, &lease, i, i);
            lease.state = i % 2 ? LEASE_STATE_RECLAIMED : LEASE_STATE_DEFAULT;
            lease.cltt_s = (int64_t)i;
            lease.valid_s = 1000;
            (void)lease_table_add(&table, &lease);
        }
        while (lease_table_reclaimed(&table, 1100, &cursor, &lease)) {
            check_number("state", lease.state, LEASE_STATE_RECLAIMED);
            check("time", lease_expire_s(&lease) < 1100, "it is before");
            check_number("remove",
                         (uint64_t)lease_table_remove(&table, lease.address,
                                                      lease_expire_s(&lease),
                                                      NULL),
                         1);
            removed++;
        }
        check_number("removed", removed, 50);
        check_number("left", lease_table_count(&table), ADDRESSES - 50);
        lease_table_release(&table);
    }
}

TEST(a_table_grows)
{
    enum { MANY = 300000 };
    struct lease_table table;
    struct lease lease = { .hwaddr_length = 6, .client_id_length = 7 };
    struct lease found;

    assert_int_equal(lease_table_init(&table, true), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        lease.address = lease_address_v4(i * 3);
        memcpy(lease.hwaddr, &i, sizeof i);
        memcpy(lease.client_id, &i, sizeof i);
        check_number("add", (uint64_t)lease_table_add(&table, &lease), 1);
    }
    check_number("count", lease_table_count(&table), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        memcpy(lease.hwaddr, &i, sizeof i);
        check_number("find", find_hwaddr(&table, &lease, &found), 1);
        check_number("address", found.address.low, i * UINT64_C(3));
    }
    lease_table_release(&table);
}

/* Declined leases have no client.  In the indexes they would all stand at one
   place, and each change of one would pass by all others. */
TEST(leases_without_a_client_are_not_indexed)
{
    enum { MANY = 1000 };
    struct lease_table table;
    struct lease found;

    assert_int_equal(lease_table_init(&table, true), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        struct lease lease = { .address = lease_address_v4(i),
                               .hwaddr_length = 6,
                               .client_id_length = 7 };

        memcpy(lease.hwaddr, &i, sizeof i);
        memcpy(lease.client_id, &i, sizeof i);
        check_number("add", (uint64_t)lease_table_add(&table, &lease), 1);
        lease.hwaddr_length = 0;
        lease.client_id_length = 0;
        check_number("decline", (uint64_t)lease_table_update(&table, &lease, 0),
                     1);
    }
    check_number("by hwaddr", table.by_hwaddr.count, 0);
    check_number("by client-id", table.by_client_id.count, 0);
    const struct lease nobody = { .type = LEASE_TYPE_V4 };
    check_number("an empty hwaddr", find_hwaddr(&table, &nobody, &found), 0);
    check_number("an empty client-id", find_client_id(&table, &nobody, &found),
                 0);
    lease_table_release(&table);
}
