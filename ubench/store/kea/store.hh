/* SPDX-License-Identifier: ISC */
/* The store and its sessions, used by the files of this directory. */
#ifndef UBENCH_STORE_KEA_STORE_HH
#define UBENCH_STORE_KEA_STORE_HH

#include <dhcpsrv/lease_mgr.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/kea/clean_up.hh"
#include "store/kea/leases.hh"
#include "store/kea/manager.hh"

struct store {
    store_config config;
    kea::Parameters parameters;
    const char *type;               /* Kea's name of the type */
    const backend *server;          /* ubench's store for it; NULL: a file */
    const char *variable = nullptr; /* environment variable that is set while
                                       the store is open; and its former value,
                                       if any */
    std::string variable_before;
    int file = -1;                /* memfile: descriptor that holds the lock */
    bool made = false;            /* the file did not exist before */
    struct store *ours = nullptr; /* ubench's store for the server */
    struct session *our_session = nullptr;
    std::mutex lock; /* protects the members below */
    std::atomic<isc::dhcp::LeaseMgr *> manager{ nullptr };
    std::atomic<bool> lost{ false }; /* the manager has lost its connection */
    std::vector<struct session *> sessions;
    std::unique_ptr<kea::CleanUp> clean_up; /* of the lease file, if requested */

    bool v6() const
    {
        return config.family == LEASE_FAMILY_V6;
    }

    void open_manager()
    {
        manager = &kea::open_manager(parameters);
        lost = false;
    }
};

struct session {
    struct store *const store;
    const bool keeps_found;    /* keeps the lease found, which an update needs:
                                  kea::is_volatile */
    std::mutex inside;         /* held while the manager works for the session,
                                  unless it is a file without clean-up */
    kea::Client client;        /* of the last operation */
    isc::dhcp::LeasePtr found; /* result of the last search */
};

namespace kea
{

inline isc::dhcp::LeaseMgr &manager_of(struct session *session)
{
    return *session->store->manager.load(std::memory_order_acquire);
}

/* Sets err to the exception in flight; call it in a catch block.  Records a
   lost connection in the store. */
void fail(struct store *store, const char *action, err *err);

/* Marks a file that the manager has begun as ubench's, by the removal of a
   lease that never existed.  Throws. */
void mark_new_file(struct store &store);

} // namespace kea

/* The functions of backend.h on the store as a whole (kea.cc). */
const char *kea_server(const opt_settings *settings);
void kea_library(char *text, size_t size);
struct store *kea_open(const struct store_config *config, struct err *err);
int kea_close(struct store *store, struct err *err);
void kea_describe(const struct store *store, struct properties *properties);
void kea_durability(const struct store *store, struct promise *promise);
extern const struct durability_limit kea_limits[];
int kea_reset(struct session *session, struct err *err);

#endif
