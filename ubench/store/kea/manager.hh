/* SPDX-License-Identifier: ISC */
/*
 * Chooses the lease manager of Kea that a run requests, and its parameters, as
 * in lease-database of Kea's own configuration.
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

/* A type of lease database in Kea. */
struct Type {
    const char *name;      /* value of the parameter type */
    const backend *server; /* ubench's store for it; NULL: a file */
};

using Parameters = isc::db::DatabaseConnection::ParameterMap;

/* Returns the type that --set names; memfile by default.  NULL with err if it
   is unknown. */
const Type *find_type(const opt_settings &settings, err &err);

/* Reads --set, the options of the connection and --sync.  NULL with err on
   failure. */
const Type *choose(const store_config &config, Parameters &parameters,
                   err &err);

/*
 * Opens Kea's manager of that type.  It replaces the former one, if any: a
 * process has one manager.  Throws what Kea throws; then the former one may
 * still exist.
 */
isc::dhcp::LeaseMgr &open_manager(const Parameters &parameters);
void close_manager(); /* fine without a manager */

/* Returns true if persist is false, so that no lease is in a file. */
bool is_volatile(const Parameters &parameters);

/* Returns true if the manager cleans up its lease file from time to time. */
bool cleans_up(const Parameters &parameters);

} // namespace kea

#endif
