/* SPDX-License-Identifier: ISC */
/*
 * Replaces dhcpsrv/cfg_globals.h, which Debian's kea-dev 2.2 omits and other
 * headers of Kea include.  Nothing that ubench calls reads a global parameter,
 * so the numbers of the parameters do not matter here.
 */
#ifndef CFG_GLOBALS_H
#define CFG_GLOBALS_H

#include <boost/shared_ptr.hpp>
#include <cc/data.h>

namespace isc
{
namespace dhcp
{

class CfgGlobals
{
  public:
    enum {
        AUTHORITATIVE, BOOT_FILE_NAME, CACHE_MAX_AGE, CACHE_THRESHOLD,
        CALCULATE_TEE_TIMES, DDNS_GENERATED_PREFIX, DDNS_OVERRIDE_CLIENT_UPDATE,
        DDNS_OVERRIDE_NO_UPDATE, DDNS_QUALIFYING_SUFFIX,
        DDNS_REPLACE_CLIENT_NAME, DDNS_SEND_UPDATES, DDNS_UPDATE_ON_RENEW,
        DDNS_USE_CONFLICT_RESOLUTION, HOSTNAME_CHAR_REPLACEMENT,
        HOSTNAME_CHAR_SET, MATCH_CLIENT_ID, MAX_PREFERRED_LIFETIME,
        MAX_VALID_LIFETIME, MIN_PREFERRED_LIFETIME, MIN_VALID_LIFETIME,
        NEXT_SERVER, PREFERRED_LIFETIME, REBIND_TIMER, RENEW_TIMER,
        RESERVATIONS_GLOBAL, RESERVATIONS_IN_SUBNET, RESERVATIONS_OUT_OF_POOL,
        SERVER_HOSTNAME, STORE_EXTENDED_INFO, T1_PERCENT, T2_PERCENT,
        VALID_LIFETIME,
    };
    isc::data::ConstElementPtr get(int index) const;
};

typedef boost::shared_ptr<CfgGlobals> CfgGlobalsPtr;
typedef boost::shared_ptr<const CfgGlobals> ConstCfgGlobalsPtr;

} // namespace dhcp
} // namespace isc

#endif
