/* SPDX-License-Identifier: ISC */
/*
 * The differences between Kea's versions, and the version that is running: that
 * of the loaded libraries, which may differ from those that this program was
 * compiled for.  Also everything that Kea has no interface for.
 */
#ifndef UBENCH_STORE_KEA_VERSIONS_HH
#define UBENCH_STORE_KEA_VERSIONS_HH

#include <asiolink/io_service.h>

#include <cstdint>
#include <string>

#include "store/kea/manager.hh"

namespace kea
{

/* Returns the version that Kea's library reports: "2.2.0". */
std::string version();

/* The libraries of Kea that are loaded at the time of the call. */
struct Build {
    std::string library;  /* file with the base class of the managers */
    std::string build_id; /* its ELF note in hexadecimal digits, or "" */
    unsigned libraries;   /* number of Kea's libraries */
    uint64_t digest;      /* digest of the names and build-ids of all of them */
};
Build build();

/* Sets the present time for Kea in this thread, during the object's life. */
class TimeOf
{
  public:
    explicit TimeOf(int64_t time_s);
    ~TimeOf();
};

/* Sets where the timers of Kea's managers work, and where Kea notices that a
   process which it has started has ended. */
void set_io_service(const isc::asiolink::IOServicePtr &service);

/* Prepares what else Kea needs for the type, and returns the parameters in
   Kea's form.  Throws. */
Parameters prepare(const Parameters &parameters);

} // namespace kea

#endif
