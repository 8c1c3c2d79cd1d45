/* SPDX-License-Identifier: ISC */
/* The operations on leases, performed by Kea's manager, and the sessions;
   backend.h specifies each function. */
#include <boost/make_shared.hpp>
#include <dhcpsrv/dhcpsrv_exceptions.h>
#include <util/multi_threading_mgr.h>

#include <algorithm>

#include "store/kea/leases.hh"
#include "store/kea/store.hh"
#include "store/kea/versions.hh"

using namespace isc::dhcp;
using isc::asiolink::IOAddress;
using isc::util::MultiThreadingMgr;

namespace
{

/* Runs work and converts Kea's exceptions to err. */
template <class Work>
outcome attempt(struct session *session, const char *action, err *err,
                Work work)
{
    std::unique_lock<std::mutex> inside(session->inside, std::defer_lock);

    if (session->store->server != nullptr || session->store->clean_up)
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

/* Like attempt, for work without an outcome.  Returns 0, or -1 with err. */
template <class Work>
int try_to(struct session *session, const char *action, err *err, Work work)
{
    const outcome outcome = attempt(session, action, err, [&] {
        work();
        return OUTCOME_HIT;
    });

    return outcome == OUTCOME_HIT ? 0 : -1;
}

outcome hit(bool is_hit)
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

/* Returns the stored lease at an address. */
LeasePtr stored_lease(struct session *session, const IOAddress &address)
{
    LeaseMgr &manager = kea::manager_of(session);

    if (!session->store->v6())
        return manager.getLease4(address);
    const Lease6Ptr found = manager.getLease6(Lease::TYPE_NA, address);
    return found ? found : manager.getLease6(Lease::TYPE_PD, address);
}

/*
 * Sets the numbers by which Kea recognises that a stored lease has not changed.
 * Kea's databases compare the sum of both.  Memfile without a file compares
 * each (a server has read the lease before); with a file it compares none.
 * Returns false if no lease can have that expiry.
 */
bool set_old_expire(struct session *session, Lease &lease, int64_t expire_s)
{
    const struct store &store = *session->store;

    lease.current_valid_lft_ = 0;
    if (store.server == nullptr) {
        if (!session->keeps_found)
            return true;
        LeasePtr stored;
        stored.swap(session->found); /* result of the last search */
        if (!stored || stored->addr_ != lease.addr_)
            stored = stored_lease(session, lease.addr_);
        if (!stored || stored->cltt_ + stored->valid_lft_ != expire_s)
            return false;
        lease.current_cltt_ = stored->cltt_;
        lease.current_valid_lft_ = stored->valid_lft_;
        return true;
    }
    /* An infinite lease is stored with its start time. */
    if (expire_s > INT32_MAX)
        expire_s -= LEASE_VALID_FOREVER;
    lease.current_cltt_ = expire_s;
    return expire_s >= 1 && expire_s <= INT32_MAX;
}

enum outcome kea_update(struct session *session, const struct lease *lease,
                        int64_t expire_s, struct err *err)
{
    return attempt(session, "update", err, [&] {
        const auto change = [&](const auto &changed, auto update) {
            if (!set_old_expire(session, *changed, expire_s))
                return OUTCOME_MISS;
            (kea::manager_of(session).*update)(changed);
            return OUTCOME_HIT;
        };

        return lease->type == LEASE_TYPE_V4
                   ? change(kea::make_lease4(*lease, session->client),
                            &LeaseMgr::updateLease4)
                   : change(kea::make_lease6(*lease, session->client),
                            &LeaseMgr::updateLease6);
    });
}

enum outcome kea_remove(struct session *session, struct lease_address address,
                        int64_t expire_s, struct err *err)
{
    return attempt(session, "remove", err, [&] {
        const auto remove = [&](const auto &removed, lease_type type) {
            removed->addr_ = kea::make_address(address, type);
            return hit(set_old_expire(session, *removed, expire_s) &&
                       kea::manager_of(session).deleteLease(removed));
        };

        return session->store->v6()
                   ? remove(boost::make_shared<Lease6>(), LEASE_TYPE_NA)
                   : remove(boost::make_shared<Lease4>(), LEASE_TYPE_V4);
    });
}

/* Returns the present time to set for Kea: its databases search for leases that
   expired before it, memfile also for those that expire in that second. */
int64_t now_for(const struct store &store, int64_t now_s)
{
    return store.server != nullptr ? now_s : now_s - 1;
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

/* Begin and commit do nothing: Kea commits each change. */
int kea_group(struct session *, struct err *)
{
    return 0;
}

/* --- Searches --- */

template <class Pointer>
enum outcome take(struct session *session, const Pointer &lease,
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
enum outcome take_one(struct session *session, const Collection &leases,
                      const char *key, struct lease *found, struct err *err)
{
    if (leases.size() < 2)
        return leases.empty() ? OUTCOME_MISS
                              : take(session, leases.front(), found);
    (void)err_set(err, "kea: %s: more than one lease has that %s",
                  session->store->config.target, key);
    return OUTCOME_ERROR;
}

enum outcome find_address(struct session *session, const struct lease *like,
                          struct lease *found)
{
    const auto type = static_cast<lease_type>(like->type);
    const IOAddress at = kea::make_address(like->address, type);
    LeaseMgr &manager = kea::manager_of(session);

    if (type == LEASE_TYPE_V4)
        return take(session, manager.getLease4(at), found);
    return take(session,
                manager.getLease6(static_cast<Lease::Type>(type), at), found);
}

/* Returns false if no lease can have the identifier; Kea would throw. */
bool is_possible(enum lookup by, const struct lease *like)
{
    const size_t length = like->client_id_length;

    if (by == LOOKUP_HWADDR)
        return like->hwaddr_length > 0 &&
               like->hwaddr_length <= LEASE_HWADDR_MAX;
    if (like->type == LEASE_TYPE_V4)
        return length >= ClientId::MIN_CLIENT_ID_LEN &&
               length <= ClientId::MAX_CLIENT_ID_LEN;
    return length > 0 && length <= DUID::MAX_DUID_LEN;
}

enum outcome find_client(struct session *session, enum lookup by,
                         const struct lease *like, struct lease *found,
                         struct err *err)
{
    LeaseMgr &manager = kea::manager_of(session);
    kea::Client &client = session->client;
    const size_t length = like->client_id_length;

    if (by == LOOKUP_HWADDR)
        return take_one(session,
                        manager.getLease4(*client.hwaddr(
                            like->hwaddr, like->hwaddr_length, false)),
                        "hwaddr", found, err);
    if (like->type == LEASE_TYPE_V4)
        return take_one(
            session,
            manager.getLease4(*client.client_id(like->client_id, length)),
            "client-id", found, err);
    const auto type = static_cast<Lease::Type>(like->type);
    const DuidPtr duid = client.duid(like->client_id, length);
    return take_one(session,
                    by == LOOKUP_CLIENT_ID
                        ? manager.getLeases6(type, *duid, like->iaid)
                        : manager.getLeases6(type, *duid, like->iaid,
                                             like->subnet_id),
                    "DUID and IAID", found, err);
}

enum outcome kea_find(struct session *session, enum lookup by,
                      const struct lease *like, struct lease *found,
                      struct err *err)
{
    static const char *const actions[] = { "find_by_address", "find_by_hwaddr",
                                           "find_by_client", "find_in_subnet" };

    if (by == LOOKUP_HWADDR && session->store->v6()) {
        (void)err_usage(err, "kea: Kea does not search for hwaddr in IPv6");
        return OUTCOME_ERROR;
    }
    if (by != LOOKUP_ADDRESS && !is_possible(by, like))
        return OUTCOME_MISS;
    return attempt(session, actions[by], err, [&] {
        return by == LOOKUP_ADDRESS
                   ? find_address(session, like, found)
                   : find_client(session, by, like, found, err);
    });
}

template <class Collection>
size_t copy_leases(const Collection &leases, struct lease *found)
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
    if (limit == 0) /* 0 means all to Kea */
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

/* Counts leases page by page, in the order of addresses.  The first page does
   not include address zero. */
uint64_t count_leases(struct session *session)
{
    LeaseMgr &manager = kea::manager_of(session);
    const bool v6 = session->store->v6();
    const LeasePageSize page(1000);
    IOAddress last =
        v6 ? IOAddress::IPV6_ZERO_ADDRESS() : IOAddress::IPV4_ZERO_ADDRESS();
    const auto count_page = [&last](const auto &leases) {
        if (!leases.empty())
            last = leases.back()->addr_;
        return leases.size();
    };
    uint64_t count = stored_lease(session, last) ? 1 : 0;
    std::size_t got;

    do {
        got = v6 ? count_page(manager.getLeases6(last, page))
                 : count_page(manager.getLeases4(last, page));
        count += got;
    } while (got == page.page_size_);
    return count;
}

int kea_count(struct session *session, uint64_t *count, struct err *err)
{
    const struct store &store = *session->store;

    return store.server != nullptr
               ? store.server->count(store.our_session, count, err)
               : try_to(session, "count", err,
                        [&] { *count = count_leases(session); });
}

/* --- Sessions --- */

/* Replaces a manager that lost its connection, when no thread is using it. */
int renew_manager(struct store &store, struct err *err)
{
    const backend &server = *store.server;
    std::vector<std::unique_lock<std::mutex>> outside;

    server.session_close(store.our_session);
    store.our_session = server.session_open(store.ours, err);
    if (store.our_session == nullptr)
        return -1;
    for (struct session *const session : store.sessions)
        outside.emplace_back(session->inside);
    store.open_manager();
    return 0;
}

struct session *kea_session_open(struct store *store, struct err *err)
{
    try {
        const std::lock_guard<std::mutex> guard(store->lock);

        if (store->lost && renew_manager(*store, err) != 0)
            return nullptr;
        /* Before a second thread uses the manager. */
        if (!store->sessions.empty())
            MultiThreadingMgr::instance().setMode(true);
        store->sessions.push_back(
            new ::session{ store, kea::is_volatile(store->parameters) });
        return store->sessions.back();
    } catch (...) {
        kea::fail(store, "opening a session", err);
        if (err->kind == ERR_OTHER && store->lost)
            err->kind = ERR_LOST;
    }
    return nullptr;
}

void kea_session_close(struct session *session)
{
    if (session == nullptr)
        return;
    struct store &store = *session->store;
    const std::lock_guard<std::mutex> guard(store.lock);
    store.sessions.erase(
        std::find(store.sessions.begin(), store.sessions.end(), session));
    delete session;
}

int kea_analyze(struct session *session, struct err *err)
{
    struct store &store = *session->store;
    const backend *const server = store.server;

    if (server == nullptr || server->analyze == nullptr ||
        server->analyze(store.our_session, err) == 0)
        return 0;
    store.lost = true; /* ubench's connection is reopened with Kea's */
    return -1;
}

/* PostgreSQL publishes the counts of Kea's connection only after a second. */
void kea_used(struct session *const *sessions, size_t, store_use *use)
{
    const struct store &store = *sessions[0]->store;

    if (store.server != nullptr)
        store.server->used(&store.our_session, 1, use);
}

int kea_ping(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    return store->server != nullptr
               ? store->server->ping(store->our_session, err)
               : 1;
}

int kea_check_class(struct store *store, struct err *err)
{
    if (store->server != nullptr)
        return store->server->check_class(store->ours, err);
    const char *const failure =
        store->clean_up ? store->clean_up->failure() : nullptr;
    return failure == nullptr ? 0
                              : err_set(err, "kea: %s: %s",
                                        store->config.target, failure);
}

void kea_sample(struct store *store, activity_sample *sample)
{
    if (store->server != nullptr) {
        store->server->sample(store->ours, sample);
        return;
    }
    sample->figures[ACTIVITY_DATA_BYTES] =
        activity_file_bytes(store->config.target, nullptr);
    sample->figures[ACTIVITY_STORE_BYTES] =
        activity_file_bytes(store->config.target, kea::beside_file);
    if (store->clean_up)
        store->clean_up->sample(*sample);
}

enum node_loss kea_node_loss(struct store *store)
{
    return store->server != nullptr ? store->server->node_loss(store->ours)
                                    : NODE_LOSS_NO_SERVER;
}

void kea_data_path(const struct store *store, char *path, size_t size)
{
    if (store->server != nullptr)
        store->server->data_path(store->ours, path, size);
    else
        (void)snprintf(path, size, "%s", store->config.target);
}

unsigned kea_lacks(const struct store *store)
{
    const bool file = store->server == nullptr;
    unsigned lacks =
        STORE_LACKS_HOSTNAMES | STORE_LACKS_V6_HWADDR | STORE_LACKS_V6_NO_DUID;

    if (KEA_HAS_POOLS == 0)
        lacks |= STORE_LACKS_POOLS;
    if (file && !kea::is_volatile(store->parameters))
        lacks |= STORE_LACKS_OLD_EXPIRE;
    if (file)
        lacks |= STORE_LACKS_V6_TAKEN;
    return lacks;
}

/* Only ubench's connection can be canceled; Kea's wait for their answers. */
void kea_cancel(struct store *store)
{
    if (store->ours != nullptr)
        store->server->cancel(store->ours);
}

} // namespace

const struct backend the_backend = {
    .name = "kea",
    .default_target = "kea-leases4.csv",
    .default_v6_target = "kea-leases6.csv",
    .beside = kea::beside_file,
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_SERVER | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_PROCESS_SAFE) | SYNC_BIT(SYNC_BOUNDED) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .one_schema = true,
    .no_batch = true,
    .expire_least_s = 1,
    .expire_most_s = INT32_MAX,
    .utf8_hostnames = true,
    .client_id_least = kea::client_id_least,
    .client_id_most = kea::client_id_most,
    .server_processes = " mariadbd mysqld postgres ",
    .set_says_where = true,
    .server = kea_server,
    .settings_help =
        "type=memfile|mysql|postgresql; for memfile also lfc-interval [0],\n"
        "for mysql Kea's trust-anchor, cert-file, key-file and cipher-list",
    .sync_help = "yes needs type=mysql|postgresql; memfile: no",
    .library = kea_library,
    .open = kea_open,
    .close = kea_close,
    .describe = kea_describe,
    .durability = kea_durability,
    .limits = kea_limits,
    .check_class = kea_check_class,
    .lacks = kea_lacks,
    .node_loss = kea_node_loss,
    .session_open = kea_session_open,
    .session_close = kea_session_close,
    .reset = kea_reset,
    .count = kea_count,
    .analyze = kea_analyze,
    .create = kea_create,
    .find = kea_find,
    .update = kea_update,
    .remove = kea_remove,
    .list_expired = kea_list_expired,
    .purge_reclaimed = kea_purge_reclaimed,
    .begin = kea_group,
    .commit = kea_group,
    .ping = kea_ping,
    .data_path = kea_data_path,
    .used = kea_used,
    .sample = kea_sample,
    .cancel = kea_cancel,
};
