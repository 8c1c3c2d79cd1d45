/* SPDX-License-Identifier: ISC */
/* The store and its sessions, for the files of this directory. */
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

namespace kea
{

/* A variable of the environment for as long as this lives: client libraries
   read there what Kea has no parameter for. */
class Variable
{
  public:
    ~Variable()
    {
        if (name_ != nullptr && before_.empty())
            (void)unsetenv(name_);
        else if (name_ != nullptr)
            (void)setenv(name_, before_.c_str(), 1);
    }

    void set(const char *name, const std::string &value)
    {
        const char *const before = std::getenv(name);

        name_ = name;
        before_ = before != nullptr ? before : "";
        (void)setenv(name, value.c_str(), 1);
    }

  private:
    const char *name_ = nullptr;
    std::string before_;
};

} // namespace kea

struct store {
    store_config config;
    kea::Parameters parameters;
    const kea::Type *type;
    kea::Variable variable;
    int file = -1;                /* of memfile: holds its lock */
    bool made = false;            /* the file was not there before */
    struct store *ours = nullptr; /* of a server: type->server's */
    struct session *our_session = nullptr;
    std::mutex lock; /* for all below */
    std::atomic<isc::dhcp::LeaseMgr *> manager{ nullptr };
    std::atomic<bool> lost{ false }; /* its connection, and so the manager */
    std::vector<struct session *> sessions;

    bool v6() const
    {
        return config.family == LEASE_FAMILY_V6;
    }
};

struct session {
    explicit session(struct store *of)
        : store(of), keeps_found(kea::is_volatile(of->parameters))
    {
    }

    struct store *const store;
    std::mutex inside;         /* held while a server's manager works for it */
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
