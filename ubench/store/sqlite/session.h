/* SPDX-License-Identifier: ISC */
/* Sessions of a store: a connection each. */
#ifndef UBENCH_STORE_SQLITE_SESSION_H
#define UBENCH_STORE_SQLITE_SESSION_H

#include "store/sqlite/statement.h"

struct session *sqlite_session_open(struct store *store, struct err *err);
void sqlite_session_close(struct session *session);
void sqlite_cancel(struct store *store);

#endif
