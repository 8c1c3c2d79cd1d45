/* SPDX-License-Identifier: ISC */
/*
 * The differences between the versions of Kea, and which of them runs: that of
 * the libraries that were loaded, which need not be those that this program was
 * compiled for.  And all else that Kea has no interface for.
 */
#ifndef UBENCH_STORE_KEA_VERSIONS_HH
#define UBENCH_STORE_KEA_VERSIONS_HH

#include <cstdint>
#include <string>

#include "store/kea/manager.hh"

namespace kea
{

/* "2.2.0", as Kea's library says. */
std::string version();

/* The libraries of Kea that are loaded by now. */
struct Build {
    std::string library;  /* the file that has the managers' base */
    std::string build_id; /* its ELF note, in hexadecimal digits; "" if none */
    unsigned libraries;   /* how many of Kea's */
    uint64_t digest;      /* of the names and the build-ids of them all */
};
Build build();

/* For as long as it lives, in its thread: the time that Kea takes for now. */
class TimeOf
{
  public:
    explicit TimeOf(int64_t time_s);
    ~TimeOf();
};

/* Makes ready what Kea needs besides for that type, and returns the parameters
   as Kea takes them.  Throws. */
Parameters prepare(const Parameters &parameters);

} // namespace kea

#endif
