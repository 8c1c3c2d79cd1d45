/* SPDX-License-Identifier: ISC */
/*
 * A change of a lease that is in doubt: its answer was lost, so that it may
 * have been done or not.  Over a new connection the lease is looked up, and the
 * change submitted again unless it was done, so that it is done once and
 * acknowledged once.
 */
#ifndef UBENCH_LOAD_CRASH_IN_DOUBT_H
#define UBENCH_LOAD_CRASH_IN_DOUBT_H

#include <stddef.h>
#include <stdint.h>

#include "load/crash/reconnect.h"

enum change_kind { CHANGE_CREATE, CHANGE_UPDATE, CHANGE_REMOVE };

struct change {
    enum change_kind kind;
    const struct lease *lease; /* as it is to be; NULL if it is removed */
    struct lease_address address;
    enum lease_type type;
    int64_t expire_s; /* before it; not of a create */
};

/*
 * After a change failed with err in the thread with that number.  HIT: it is
 * done.  MISS: the store neither has it nor does it.  ERROR with err: there is
 * no connection any more, or there was another reason; err is empty if the run
 * was asked to stop.  The thread's session may be another one then.  ERROR,
 * and err is untouched, if reconnect is NULL.
 */
enum outcome in_doubt_resolve(struct reconnect *reconnect, size_t worker,
                              const struct change *change, struct err *err);

#endif
