/* SPDX-License-Identifier: ISC */
/* Converts leases to Kea's objects and back. */
#ifndef UBENCH_STORE_KEA_LEASES_HH
#define UBENCH_STORE_KEA_LEASES_HH

#include <dhcpsrv/lease.h>
/* Kea's leases have a pool id since 2.5, which also introduced this header: */
#if __has_include(<dhcpsrv/flq_allocator.h>)
#define KEA_HAS_POOLS 1
#else
#define KEA_HAS_POOLS 0
#endif

#include <algorithm>
#include <cstddef>

extern "C" {
#include "lease/lease.h"
}

namespace kea
{

isc::asiolink::IOAddress make_address(lease_address address, lease_type type);

/*
 * A client's identifiers as Kea's objects.  Reuses the last objects if the
 * bytes are the same: a server creates them once per message, searches with
 * them and puts them into the lease.  Each function throws what Kea's
 * constructor throws for too few or too many bytes.
 */
class Client
{
  public:
    /* Without bytes, returns an empty object in IPv4 and no object in IPv6, as
       in Kea's decline. */
    isc::dhcp::HWAddrPtr hwaddr(const uint8_t *bytes, std::size_t length,
                                bool v6);
    isc::dhcp::ClientIdPtr client_id(const uint8_t *bytes, std::size_t length);

    /* No bytes, and a single zero byte, are Kea's empty DUID, which is read as
       one zero byte: a declined lease has it. */
    isc::dhcp::DuidPtr duid(const uint8_t *bytes, std::size_t length);

  private:
    isc::dhcp::HWAddrPtr hwaddr_;
    isc::dhcp::ClientIdPtr client_id_;
    isc::dhcp::DuidPtr duid_;
};

/* Return the lease to store, with the client's objects. */
isc::dhcp::Lease4Ptr make_lease4(const lease &from, Client &client);
isc::dhcp::Lease6Ptr make_lease6(const lease &from, Client &client);

void read_lease(const isc::dhcp::Lease4 &from, lease &to);
void read_lease(const isc::dhcp::Lease6 &from, lease &to);

/* The limits of a client identifier's length that hold in both families.  Kea's
   limits belong to its classes and differ between its versions. */
constexpr auto client_id_least = std::max<std::size_t>(
    { isc::dhcp::ClientId::MIN_CLIENT_ID_LEN, isc::dhcp::DUID::MIN_DUID_LEN });
constexpr auto client_id_most = std::min<std::size_t>(
    { isc::dhcp::ClientId::MAX_CLIENT_ID_LEN, isc::dhcp::DUID::MAX_DUID_LEN });

} // namespace kea

#endif
