/* SPDX-License-Identifier: ISC */
/*
 * Which of Kea's lease managers a run asks for, and with which parameters, as
 * in the lease-database of Kea's own configuration.
 */
#ifndef UBENCH_STORE_KEA_MANAGER_HH
#define UBENCH_STORE_KEA_MANAGER_HH

#include <database/database_connection.h>
#include <dhcpsrv/lease_mgr.h>

#include <string>

extern "C" {
#include "store/backend.h"
}

namespace kea
{

/* One of Kea's stores. */
struct Type {
    const char *name;      /* of the parameter type */
    const backend *server; /* the store of ours for it; NULL: a file */
};

using Parameters = isc::db::DatabaseConnection::ParameterMap;

/* The type that --set names, or memfile.  NULL with err if there is none. */
const Type *find_type(const opt_settings &settings, err &err);

/* Reads --set, the connection and --sync.  NULL with err on failure. */
const Type *choose(const store_config &config, Parameters &parameters,
                   err &err);

/*
 * Opens the manager that Kea knows by the name of the type, in place of the one
 * before, if any: a process has one.  Throws what Kea throws, and then the one
 * before may still be there.
 */
isc::dhcp::LeaseMgr &open_manager(const Parameters &parameters);
void close_manager(); /* none is fine */

/* True if persist is false, and so nothing is in a file. */
bool is_volatile(const Parameters &parameters);

} // namespace kea

#endif
