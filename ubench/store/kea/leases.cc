/* SPDX-License-Identifier: ISC */
#include "store/kea/leases.hh"

#include <boost/make_shared.hpp>

#include <endian.h>

#include <cstring>
#include <vector>

using namespace isc::dhcp;
using isc::asiolink::IOAddress;

namespace
{

bool is_same(const std::vector<uint8_t> &has, const uint8_t *bytes,
             std::size_t length)
{
    return has.size() == length && std::equal(has.begin(), has.end(), bytes);
}

void set_common(Lease &to, const lease &from, kea::Client &client)
{
    to.addr_ =
        kea::make_address(from.address, static_cast<lease_type>(from.type));
    to.cltt_ = from.cltt_s;
    to.valid_lft_ = from.valid_s;
    to.subnet_id_ = from.subnet_id;
#if KEA_HAS_POOLS
    to.pool_id_ = from.pool_id;
#endif
    to.hostname_.assign(from.hostname, from.hostname_length);
    to.fqdn_fwd_ = from.fqdn_fwd;
    to.fqdn_rev_ = from.fqdn_rev;
    to.hwaddr_ = client.hwaddr(from.hwaddr, from.hwaddr_length,
                               from.type != LEASE_TYPE_V4);
    to.state_ = from.state;
    to.updateCurrentExpirationTime();
}

template <class Bytes>
uint8_t copy_bytes(void *to, std::size_t size, const Bytes &from)
{
    const std::size_t length = std::min(size, from.size());

    std::copy_n(from.begin(), length, static_cast<uint8_t *>(to));
    return static_cast<uint8_t>(length);
}

void read_common(const Lease &from, lease &to)
{
    to.cltt_s = from.cltt_;
    to.valid_s = from.valid_lft_;
    to.subnet_id = from.subnet_id_;
#if KEA_HAS_POOLS
    to.pool_id = from.pool_id_;
#else
    to.pool_id = 0;
#endif
    to.state = static_cast<uint8_t>(from.state_);
    to.fqdn_fwd = from.fqdn_fwd_;
    to.fqdn_rev = from.fqdn_rev_;
    to.hwaddr_length =
        copy_bytes(to.hwaddr, LEASE_HWADDR_MAX, from.getHWAddrVector());
    to.hostname_length =
        copy_bytes(to.hostname, LEASE_HOSTNAME_MAX, from.hostname_);
}

} // namespace

namespace kea
{

IOAddress make_address(lease_address address, lease_type type)
{
    const uint64_t halves[] = { htobe64(address.high), htobe64(address.low) };
    boost::asio::ip::address_v6::bytes_type bytes;

    if (type == LEASE_TYPE_V4)
        return IOAddress(static_cast<uint32_t>(address.low));
    std::memcpy(bytes.data(), halves, sizeof halves);
    return IOAddress(boost::asio::ip::address_v6(bytes));
}

HWAddrPtr Client::hwaddr(const uint8_t *bytes, std::size_t length, bool v6)
{
    if (length == 0)
        return v6 ? HWAddrPtr() : boost::make_shared<HWAddr>();
    if (!hwaddr_ || !is_same(hwaddr_->hwaddr_, bytes, length)) {
        hwaddr_ = boost::make_shared<HWAddr>(bytes, length, LEASE_V6_HWTYPE);
        if (v6)
            hwaddr_->source_ = LEASE_V6_HWADDR_SOURCE;
    }
    return hwaddr_;
}

ClientIdPtr Client::client_id(const uint8_t *bytes, std::size_t length)
{
    if (!client_id_ || !is_same(client_id_->getClientId(), bytes, length))
        client_id_ = boost::make_shared<ClientId>(bytes, length);
    return client_id_;
}

DuidPtr Client::duid(const uint8_t *bytes, std::size_t length)
{
    if (length == 0 || (length == 1 && bytes[0] == 0))
        return boost::make_shared<DUID>(DUID::EMPTY());
    if (!duid_ || !is_same(duid_->getDuid(), bytes, length))
        duid_ = boost::make_shared<DUID>(bytes, length);
    return duid_;
}

Lease4Ptr make_lease4(const lease &from, Client &client)
{
    const Lease4Ptr to = boost::make_shared<Lease4>();

    set_common(*to, from, client);
    if (from.client_id_length > 0)
        to->client_id_ =
            client.client_id(from.client_id, from.client_id_length);
    return to;
}

Lease6Ptr make_lease6(const lease &from, Client &client)
{
    const Lease6Ptr to = boost::make_shared<Lease6>();

    set_common(*to, from, client);
    to->type_ = static_cast<Lease::Type>(from.type);
    to->prefixlen_ = from.prefix_length;
    to->iaid_ = from.iaid;
    to->preferred_lft_ = from.preferred_s;
    to->duid_ = client.duid(from.client_id, from.client_id_length);
    return to;
}

void read_lease(const Lease4 &from, lease &to)
{
    read_common(from, to);
    to.type = LEASE_TYPE_V4;
    to.address = { from.addr_.toUint32(), 0 };
    to.client_id_length =
        copy_bytes(to.client_id, LEASE_CLIENT_ID_MAX, from.getClientIdVector());
}

void read_lease(const Lease6 &from, lease &to)
{
    uint64_t halves[2];

    std::memcpy(halves, from.addr_.toBytes().data(), sizeof halves);
    read_common(from, to);
    to.type = static_cast<uint8_t>(from.type_);
    to.address = { be64toh(halves[1]), be64toh(halves[0]) };
    to.prefix_length = from.prefixlen_;
    to.iaid = from.iaid_;
    to.preferred_s = from.preferred_lft_;
    to.client_id_length =
        copy_bytes(to.client_id, LEASE_CLIENT_ID_MAX, from.getDuidVector());
    if (from.duid_ && *from.duid_ == DUID::EMPTY())
        to.client_id_length = 1;
}

} // namespace kea
