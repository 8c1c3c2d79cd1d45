/* SPDX-License-Identifier: ISC */
/* Leases as Kea's objects, and back. */
#ifndef UBENCH_STORE_KEA_LEASES_HH
#define UBENCH_STORE_KEA_LEASES_HH

#include <dhcpsrv/lease.h>
/* Kea's leases have the number of their pool since 2.5, with which came: */
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
 * A client's identifiers as Kea's objects.  The last ones are used again if the
 * bytes are the same: a server makes them once per message, searches with them
 * and puts them into the lease.  Each throws what Kea's constructor throws at
 * bytes that are too few or too many for it.
 */
class Client
{
  public:
    /* Without bytes: in IPv4 an empty one, in IPv6 no object, as in Kea's
       decline. */
    isc::dhcp::HWAddrPtr hwaddr(const uint8_t *bytes, std::size_t length,
                                bool v6);
    isc::dhcp::ClientIdPtr client_id(const uint8_t *bytes, std::size_t length);

    /* None, and a single zero, are Kea's empty DUID, which is read as that
       zero: a declined lease has it. */
    isc::dhcp::DuidPtr duid(const uint8_t *bytes, std::size_t length);

  private:
    isc::dhcp::HWAddrPtr hwaddr_;
    isc::dhcp::ClientIdPtr client_id_;
    isc::dhcp::DuidPtr duid_;
};

/* A lease as it is to be stored, with the client's objects. */
isc::dhcp::Lease4Ptr make_lease4(const lease &from, Client &client);
isc::dhcp::Lease6Ptr make_lease6(const lease &from, Client &client);

void read_lease(const isc::dhcp::Lease4 &from, lease &to);
void read_lease(const isc::dhcp::Lease6 &from, lease &to);

/* The lengths that an identifier of a client may have in both families: Kea's
   limits are its classes' and differ between its versions. */
constexpr auto client_id_least = std::max<std::size_t>(
    { isc::dhcp::ClientId::MIN_CLIENT_ID_LEN, isc::dhcp::DUID::MIN_DUID_LEN });
constexpr auto client_id_most = std::min<std::size_t>(
    { isc::dhcp::ClientId::MAX_CLIENT_ID_LEN, isc::dhcp::DUID::MAX_DUID_LEN });

} // namespace kea

#endif
