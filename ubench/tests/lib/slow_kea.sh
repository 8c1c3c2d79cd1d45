#!/bin/sh
# SPDX-License-Identifier: ISC
# slow_kea.sh: two prefixes with copies of Debian's Kea, /opt/kea-a and /opt/kea-b, to try what
# tells two builds apart (docs/measuring.md), and a kea_ubench of each.  In the second one a small library takes the place
# of libkea-dhcpsrv, and loads the real one.  Needs root and the packages kea, kea-dev, patchelf.
set -eu

for prefix in /opt/kea-a /opt/kea-b; do
    mkdir -p $prefix/lib $prefix/include $prefix/sbin $prefix/share
    cp -a /usr/lib/*-linux-gnu/libkea-* /usr/lib/*-linux-gnu/kea $prefix/lib
    cp -a /usr/include/kea $prefix/include
    cp -a /usr/sbin/kea-* $prefix/sbin
    cp -a /usr/share/kea $prefix/share
    make -C "$(dirname "$0")/../../.." kea_ubench KEA_PREFIX=$prefix BIN=build/${prefix#/opt/}
done
cat >/opt/kea-b/slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#define LEASE "ERKN5boost10shared_ptrINS0_6Lease4EEE"
#define SLOWER(name, symbol, turns)                                    \
    long name(void *, const void *) __asm__(symbol);                   \
    long name(void *manager, const void *lease)                        \
    {                                                                  \
        long (*real)(void *, const void *) = dlsym(RTLD_NEXT, symbol); \
        for (volatile int i = 0; i < (turns); i++)                     \
            ;                                                          \
        return real(manager, lease);                                   \
    }
/* Some hundreds of ns; and some 15 us, where a server takes 300 us at 1,000 leases a second. */
SLOWER(update, "_ZN3isc4dhcp16Memfile_LeaseMgr12updateLease4" LEASE, 100)
SLOWER(add, "_ZN3isc4dhcp16Memfile_LeaseMgr8addLease" LEASE, 10000)
END
library=$(readlink -f /opt/kea-b/lib/libkea-dhcpsrv.so)
soname=$(patchelf --print-soname "$library")
mv "$library" /opt/kea-b/lib/libreal.so
patchelf --set-soname libreal.so /opt/kea-b/lib/libreal.so
gcc -O2 -shared -fPIC -Wl,-soname,"$soname",--no-as-needed,--build-id,-rpath,/opt/kea-b/lib \
    -o "$library" /opt/kea-b/slow.c -L/opt/kea-b/lib -l:libreal.so
