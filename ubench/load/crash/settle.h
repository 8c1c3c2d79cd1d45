/* SPDX-License-Identifier: ISC */
/*
 * A change of a lease whose answer was lost, so that nobody knows whether it
 * was done: over a new connection it is looked up, and submitted again unless
 * it was, so that it is done once and acknowledged once.
 */
#ifndef UBENCH_LOAD_CRASH_SETTLE_H
#define UBENCH_LOAD_CRASH_SETTLE_H

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
 * no connection any more, or there was another reason; err is empty if somebody
 * wants an early end.  The thread's session may be another one then.  ERROR,
 * and err is untouched, if reconnect is NULL.
 */
enum outcome settle_change(struct reconnect *reconnect, size_t lane,
                           const struct change *change, struct err *err);

#endif
