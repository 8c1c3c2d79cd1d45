/* SPDX-License-Identifier: ISC */
#include "store/kea/operations.hh"

#include <boost/make_shared.hpp>
#include <dhcpsrv/dhcpsrv_exceptions.h>

#include "store/kea/leases.hh"
#include "store/kea/store.hh"
#include "store/kea/versions.hh"

using namespace isc::dhcp;
using isc::asiolink::IOAddress;

/* Calls what Kea may throw in. */
template <class Work>
static outcome attempt(struct session *session, const char *action, err *err,
                       Work work)
{
    std::unique_lock<std::mutex> inside(session->inside, std::defer_lock);

    if (session->store->type->server != nullptr)
        inside.lock();
    try {
        return work();
    } catch (const NoSuchLease &) {
        return OUTCOME_MISS;
    } catch (...) {
        kea::fail(session->store, action, err);
    }
    return OUTCOME_ERROR;
}

/* The same for work that has no outcome.  Returns 0, or -1 with err. */
template <class Work>
static int try_to(struct session *session, const char *action, err *err,
                  Work work)
{
    const outcome outcome = attempt(session, action, err, [&] {
        work();
        return OUTCOME_HIT;
    });

    return outcome == OUTCOME_HIT ? 0 : -1;
}

static outcome hit(bool is_hit)
{
    return is_hit ? OUTCOME_HIT : OUTCOME_MISS;
}

/* --- Changes --- */

enum outcome kea_create(struct session *session, const struct lease *lease,
                        struct err *err)
{
    return attempt(session, "create", err, [&] {
        LeaseMgr &manager = kea::manager_of(session);

        return hit(
            lease->type == LEASE_TYPE_V4
                ? manager.addLease(kea::make_lease4(*lease, session->client))
                : manager.addLease(kea::make_lease6(*lease, session->client)));
    });
}

/* The stored lease at an address, as its last search left it or by another. */
static LeasePtr stored_lease(struct session *session, const Lease &lease)
{
    LeaseMgr &manager = kea::manager_of(session);

    if (session->found && session->found->addr_ == lease.addr_)
        return session->found;
    if (!session->store->v6())
        return manager.getLease4(lease.addr_);
    const Lease6Ptr found = manager.getLease6(Lease::TYPE_NA, lease.addr_);
    return found ? found : manager.getLease6(Lease::TYPE_PD, lease.addr_);
}

/*
 * Tells Kea by what a lease is known not to have changed.  Its databases
 * compare the sum of both numbers, memfile each of them if it has no file (and
 * a server has read the lease before), else none.  False: no lease can be
 * so old or new.
 */
static bool set_old_expire(struct session *session, Lease &lease,
                           int64_t expire_s)
{
    const struct store &store = *session->store;

    lease.current_valid_lft_ = 0;
    if (store.type->server == nullptr) {
        if (!session->keeps_found)
            return true;
        const LeasePtr stored = stored_lease(session, lease);
        session->found.reset();
        if (!stored || stored->cltt_ + stored->valid_lft_ != expire_s)
            return false;
        lease.current_cltt_ = stored->cltt_;
        lease.current_valid_lft_ = stored->valid_lft_;
        return true;
    }
    /* A lease that is valid for ever is stored with the time it began. */
    if (expire_s > INT32_MAX)
        expire_s -= LEASE_VALID_FOREVER;
    lease.current_cltt_ = expire_s;
    return expire_s >= 1 && expire_s <= INT32_MAX;
}

enum outcome kea_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err)
{
    return attempt(session, "update", err, [&] {
        LeaseMgr &manager = kea::manager_of(session);

        if (lease->type == LEASE_TYPE_V4) {
            const Lease4Ptr changed = kea::make_lease4(*lease, session->client);
            if (!set_old_expire(session, *changed, expire_s))
                return OUTCOME_MISS;
            manager.updateLease4(changed);
        } else {
            const Lease6Ptr changed = kea::make_lease6(*lease, session->client);
            if (!set_old_expire(session, *changed, expire_s))
                return OUTCOME_MISS;
            manager.updateLease6(changed);
        }
        return OUTCOME_HIT;
    });
}

template <class Lease>
static enum outcome remove_lease(struct session *session,
                                 const IOAddress &address, int64_t expire_s)
{
    const boost::shared_ptr<Lease> removed = boost::make_shared<Lease>();

    removed->addr_ = address;
    return hit(set_old_expire(session, *removed, expire_s) &&
               kea::manager_of(session).deleteLease(removed));
}

enum outcome kea_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err)
{
    return attempt(session, "remove", err, [&] {
        return session->store->v6()
                   ? remove_lease<Lease6>(
                         session, kea::make_address(address, LEASE_TYPE_NA),
                         expire_s)
                   : remove_lease<Lease4>(
                         session, kea::make_address(address, LEASE_TYPE_V4),
                         expire_s);
    });
}

/* The time that Kea is to take for now: its databases look for what expired
   before, memfile also for what expires in that second. */
static int64_t now_for(const struct store &store, int64_t now_s)
{
    return store.type->server != nullptr ? now_s : now_s - 1;
}

int kea_purge_reclaimed(struct session *session, int64_t before_s,
                        uint64_t *purged, struct err *err)
{
    const struct store &store = *session->store;

    return try_to(session, "purge_reclaimed", err, [&] {
        const kea::TimeOf time(now_for(store, before_s));
        LeaseMgr &manager = kea::manager_of(session);

        *purged = store.v6() ? manager.deleteExpiredReclaimedLeases6(0)
                             : manager.deleteExpiredReclaimedLeases4(0);
    });
}

/* Kea commits each change. */
int kea_group(struct session *, struct err *)
{
    return 0;
}

/* --- Searches --- */

template <class Pointer>
static enum outcome take(struct session *session, const Pointer &lease,
                         struct lease *found)
{
    if (!lease)
        return OUTCOME_MISS;
    kea::read_lease(*lease, *found);
    if (session->keeps_found)
        session->found = lease;
    return OUTCOME_HIT;
}

template <class Collection>
static enum outcome take_one(struct session *session, const Collection &leases,
                             const char *key, struct lease *found,
                             struct err *err)
{
    if (leases.size() < 2)
        return leases.empty() ? OUTCOME_MISS
                              : take(session, leases.front(), found);
    (void)err_set(err, "kea: %s: more than one lease has that %s",
                  session->store->config.target, key);
    return OUTCOME_ERROR;
}

enum outcome kea_find_by_address(struct session *session,
                                 struct lease_address address,
                                 enum lease_type type, struct lease *found,
                                 struct err *err)
{
    return attempt(session, "find_by_address", err, [&] {
        LeaseMgr &manager = kea::manager_of(session);
        const IOAddress at = kea::make_address(address, type);

        if (type == LEASE_TYPE_V4)
            return take(session, manager.getLease4(at), found);
        return take(session,
                    manager.getLease6(static_cast<Lease::Type>(type), at),
                    found);
    });
}

enum outcome kea_find_by_hwaddr(struct session *session, const uint8_t *hwaddr,
                                size_t length, struct lease *found,
                                struct err *err)
{
    if (session->store->v6()) {
        (void)err_set_class(err, ERR_USAGE,
                            "kea: Kea does not search for IPv6 leases by "
                            "hardware address");
        return OUTCOME_ERROR;
    }
    if (length == 0 || length > LEASE_HWADDR_MAX)
        return OUTCOME_MISS;
    return attempt(session, "find_by_hwaddr", err, [&] {
        return take_one(session,
                        kea::manager_of(session).getLease4(
                            *session->client.hwaddr(hwaddr, length, false)),
                        "hwaddr", found, err);
    });
}

enum outcome kea_find_by_client_id(struct session *session,
                                   const uint8_t *client_id, size_t length,
                                   struct lease *found, struct err *err)
{
    if (length < ClientId::MIN_CLIENT_ID_LEN ||
        length > ClientId::MAX_CLIENT_ID_LEN)
        return OUTCOME_MISS;
    return attempt(session, "find_by_client_id", err, [&] {
        return take_one(session,
                        kea::manager_of(session).getLease4(
                            *session->client.client_id(client_id, length)),
                        "client-id", found, err);
    });
}

enum outcome kea_find_by_duid(struct session *session, const uint8_t *duid,
                              size_t length, uint32_t iaid,
                              enum lease_type type, uint32_t subnet_id,
                              struct lease *found, struct err *err)
{
    const auto asked = static_cast<Lease::Type>(type);

    if (length == 0 || length > DUID::MAX_DUID_LEN)
        return OUTCOME_MISS;
    return attempt(session, "find_by_duid", err, [&] {
        LeaseMgr &manager = kea::manager_of(session);
        const DuidPtr key = session->client.duid(duid, length);

        return take_one(session,
                        subnet_id == LEASE_SUBNET_ANY
                            ? manager.getLeases6(asked, *key, iaid)
                            : manager.getLeases6(asked, *key, iaid, subnet_id),
                        "DUID and IAID", found, err);
    });
}

template <class Collection>
static size_t copy_leases(const Collection &leases, struct lease *found)
{
    for (const auto &lease : leases)
        kea::read_lease(*lease, *found++);
    return leases.size();
}

int kea_list_expired(struct session *session, int64_t now_s, size_t limit,
                     struct lease *found, size_t *count, struct err *err)
{
    const struct store &store = *session->store;

    *count = 0;
    if (limit == 0) /* all, to Kea */
        return 0;
    return try_to(session, "list_expired", err, [&] {
        const kea::TimeOf time(now_for(store, now_s));
        LeaseMgr &manager = kea::manager_of(session);
        Lease4Collection leases4;
        Lease6Collection leases6;

        if (store.v6())
            manager.getExpiredLeases6(leases6, limit);
        else
            manager.getExpiredLeases4(leases4, limit);
        *count = copy_leases(leases4, found) + copy_leases(leases6, found);
    });
}

/* Page by page, from the lowest address up, which is not in the first page if
   it is zero. */
static uint64_t count_leases(struct session *session)
{
    LeaseMgr &manager = kea::manager_of(session);
    const bool v6 = session->store->v6();
    const LeasePageSize page(1000);
    IOAddress last =
        v6 ? IOAddress::IPV6_ZERO_ADDRESS() : IOAddress::IPV4_ZERO_ADDRESS();
    uint64_t count = 0;

    if (v6 ? manager.getLease6(Lease::TYPE_NA, last) ||
                 manager.getLease6(Lease::TYPE_PD, last)
           : static_cast<bool>(manager.getLease4(last)))
        count = 1;
    for (std::size_t got = page.page_size_; got == page.page_size_;
         count += got) {
        if (v6) {
            const Lease6Collection leases = manager.getLeases6(last, page);
            got = leases.size();
            if (got > 0)
                last = leases.back()->addr_;
        } else {
            const Lease4Collection leases = manager.getLeases4(last, page);
            got = leases.size();
            if (got > 0)
                last = leases.back()->addr_;
        }
    }
    return count;
}

int kea_count(struct session *session, uint64_t *count, struct err *err)
{
    const struct store &store = *session->store;

    return store.type->server != nullptr
               ? store.type->server->count(store.our_session, count, err)
               : try_to(session, "count", err,
                        [&] { *count = count_leases(session); });
}
