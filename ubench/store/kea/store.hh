/* SPDX-License-Identifier: ISC */
/* The store and its sessions, for the files of this room. */
#ifndef UBENCH_STORE_KEA_STORE_HH
#define UBENCH_STORE_KEA_STORE_HH

#include <dhcpsrv/lease_mgr.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/kea/leases.hh"
#include "store/kea/manager.hh"

extern "C" {
#include "store/kea/file.h"
}

namespace kea
{

/* A variable of the environment for as long as this lives: client libraries
   read there what Kea has no parameter for. */
class Variable
{
  public:
    ~Variable()
    {
        if (name_ == nullptr)
            return;
        if (was_set_)
            (void)setenv(name_, before_.c_str(), 1);
        else
            (void)unsetenv(name_);
    }

    void set(const char *name, const std::string &value)
    {
        const char *const before = std::getenv(name);

        name_ = name;
        was_set_ = before != nullptr;
        before_ = was_set_ ? before : "";
        (void)setenv(name, value.c_str(), 1);
    }

  private:
    const char *name_ = nullptr;
    bool was_set_ = false;
    std::string before_;
};

} // namespace kea

struct store {
    store_config config;
    kea::Parameters parameters;
    const kea::Type *type;
    kea::Variable variable;
    kea_file *file = nullptr;     /* of memfile, unless it is kept */
    struct store *ours = nullptr; /* of a server: type->server's */
    struct session *our_session = nullptr;
    std::mutex lock; /* for all below */
    std::vector<std::unique_ptr<isc::dhcp::LeaseMgr>>
        managers; /* the last one works */
    std::atomic<isc::dhcp::LeaseMgr *> manager{ nullptr }; /* that one */
    std::atomic<bool> lost{ false }; /* its connection, and so the manager */
    unsigned sessions = 0;

    bool v6() const
    {
        return config.family == LEASE_FAMILY_V6;
    }
};

struct session {
    struct store *store;
    kea::Client client;        /* of the last operation */
    bool keeps_found;          /* an update needs it: kea::is_volatile */
    isc::dhcp::LeasePtr found; /* by the last search */
};

namespace kea
{

inline isc::dhcp::LeaseMgr &manager_of(struct session *session)
{
    return *session->store->manager.load(std::memory_order_acquire);
}

/* In a catch block: the sentence for what was caught.  A connection that is
   lost is noted in the store. */
void fail(struct store *store, const char *action, err *err);

} // namespace kea

#endif
