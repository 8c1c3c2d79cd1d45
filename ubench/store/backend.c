/* SPDX-License-Identifier: ISC */
#include "store/backend.h"

/* A store that keeps leases needs a default target and sync levels; a store
   that waits for a server needs cancel. */
const char *backend_missing(const struct backend *backend)
{
    const bool server = (backend->scope & OPT_SCOPE_SERVER) != 0;
    const bool file = (backend->scope & OPT_SCOPE_FILE) != 0;
#define MEMBER(member) #member, backend->member != NULL
    const struct {
        const char *name;
        bool there;
    } members[] = {
        { MEMBER(name) },
        { MEMBER(default_target) || (!server && !file) },
        { MEMBER(open) },
        { MEMBER(close) },
        { MEMBER(describe) },
        { MEMBER(durability) },
        { MEMBER(session_open) },
        { MEMBER(session_close) },
        { MEMBER(reset) },
        { MEMBER(count) },
        { MEMBER(create) },
        { MEMBER(find) },
        { MEMBER(update) },
        { MEMBER(remove) },
        { MEMBER(list_expired) },
        { MEMBER(purge_reclaimed) },
        { MEMBER(dialect) || (backend->scope & OPT_SCOPE_SQL) == 0 },
        { MEMBER(add_reservation) || backend->find_reservation == NULL },
        { MEMBER(find_reservation) || backend->add_reservation == NULL },
        { MEMBER(begin) },
        { MEMBER(commit) },
        { MEMBER(check_class) || !server },
        { MEMBER(ping) || !server },
        { MEMBER(cancel) || !server },
        { "sync_levels", backend->sync_levels != 0 || !backend->keeps_leases },
    };
#undef MEMBER

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!members[i].there)
            return members[i].name;
    }
    return NULL;
}
