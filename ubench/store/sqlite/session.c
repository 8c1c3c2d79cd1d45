/* SPDX-License-Identifier: ISC */
/* The sessions: a connection each, with the settings that open settled on. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/sqlite/session.h"

void sqlite_cancel(struct store *store)
{
    atomic_store(&store->canceled, true);
    (void)pthread_mutex_lock(&store->lock);
    for (const struct sqlite_session *s = store->sessions; s != NULL;
         s = s->next)
        sqlite3_interrupt(s->db);
    (void)pthread_mutex_unlock(&store->lock);
}

/* SQLite's own busy handler (sqliteDefaultBusyCallback in its main.c) with the
   same naps, but one that can be called off. */
static int wait_for_lock(void *argument, int naps)
{
    static const int naps_ms[] = {
        1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100
    };
    enum { LAST = sizeof naps_ms / sizeof *naps_ms - 1 };
    const struct store *const store = argument;
    int waited_ms = 0;

    for (int i = 0; i < naps && i < LAST; i++)
        waited_ms += naps_ms[i];
    if (naps > LAST)
        waited_ms += (naps - LAST) * naps_ms[LAST];
    int nap_ms = naps_ms[naps < LAST ? naps : LAST];
    if (nap_ms > store->busy_ms - waited_ms)
        nap_ms = store->busy_ms - waited_ms;
    if (nap_ms <= 0 || atomic_load(&store->canceled))
        return 0;
    const struct timespec nap = { .tv_nsec = nap_ms * 1000000L };
    (void)nanosleep(&nap, NULL);
    return 1;
}

/* Gives a session the settings that open settled on, and sees that it has all
   of them.  Not busy_timeout: it would put another handler in the place of the
   one above, which knows it. */
static int settle_session(const struct sqlite_session *session, struct err *err)
{
    const struct store *const store = session->base.store;
    const struct database *const database = &store->database;
    struct sqlite_settings mine = store->settings;
    struct sqlite_setting *const busy_timeout =
        sqlite_settings_find(&mine, "busy_timeout");

    busy_timeout->asked = NULL;
    if (sqlite_settings_apply(&mine, database, session->db,
                              SQLITE_SCOPE_CONNECTION, err) != 0 ||
        sqlite_settings_read(&mine, database, session->db, err) != 0)
        return -1;
    for (size_t i = 0; i < mine.count; i++) {
        const struct sqlite_setting *const first = &store->settings.items[i];
        const struct sqlite_setting *const second = &mine.items[i];

        if (second != busy_timeout &&
            strcmp(first->read_back, second->read_back) != 0)
            return err_set(err,
                           "sqlite: %s: %s is '%s' in one connection and '%s' "
                           "in another",
                           database->target, first->name, first->read_back,
                           second->read_back);
    }
    return 0;
}

static void link_session(struct sqlite_session *session)
{
    struct store *const store = session->base.store;

    (void)pthread_mutex_lock(&store->lock);
    session->next = store->sessions;
    store->sessions = session;
    (void)pthread_mutex_unlock(&store->lock);
}

static void unlink_session(const struct sqlite_session *session)
{
    struct store *const store = session->base.store;

    (void)pthread_mutex_lock(&store->lock);
    for (struct sqlite_session **s = &store->sessions; *s != NULL;
         s = &(*s)->next) {
        if (*s == session) {
            *s = session->next;
            break;
        }
    }
    (void)pthread_mutex_unlock(&store->lock);
}

void sqlite_session_close(struct session *base)
{
    struct sqlite_session *const session = sqlite_session_of(base);

    if (session == NULL)
        return;
    unlink_session(session);
    sqlite_release(session);
    const int code = sqlite3_close(session->db);
    assert(code == SQLITE_OK); /* or a statement of ours was forgotten */
    (void)code;
    free(session);
}

struct session *sqlite_session_open(struct store *store, struct err *err)
{
    struct sqlite_session *const session = calloc(1, sizeof *session);

    if (session == NULL) {
        (void)err_set(err, "sqlite: out of memory");
        return NULL;
    }
    sql_session_init(&session->base, store, &sqlite_dialect, &store->table,
                     &store->statements, store->compiled);
    session->db = database_connect(&store->database, err);
    if (session->db == NULL) {
        free(session);
        return NULL;
    }
    link_session(session);
    (void)sqlite3_busy_handler(session->db, wait_for_lock, store);
    if (settle_session(session, err) != 0 ||
        (store->compiled && sqlite_prepare(session, err) != 0)) {
        sqlite_session_close(&session->base);
        return NULL;
    }
    return &session->base;
}
