/* SPDX-License-Identifier: ISC */
/*
 * SQLite's settings, its PRAGMAs: those that --sync and --set ask for and those
 * that a reader must know, all read back, and what they promise.
 */
#ifndef UBENCH_STORE_SQLITE_SQLITE_SETTINGS_H
#define UBENCH_STORE_SQLITE_SQLITE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/backend.h"
#include "store/sqlite/sqlite_database.h"

struct sqlite_setting {
    const char *name;
    const char *asked; /* NULL: nothing was */
    bool by_user;      /* with --set */
    char read_back[64];
};

struct sqlite_settings {
    size_t count;
    struct sqlite_setting items[16 + OPT_SETTINGS_MAX];
};

/* Lists what config asks for.  The texts stay config's.  Returns 0, or -1 with
   err if --set names what cannot be a setting. */
int sqlite_settings_choose(struct sqlite_settings *settings,
                           const struct store_config *config, struct err *err);

/* Which settings: those that belong to the file and have to be there before
   its first table, or those that each connection needs. */
enum sqlite_scope { SQLITE_SCOPE_FILE, SQLITE_SCOPE_CONNECTION };

/* Applies what was asked for.  Returns 0, or -1 with err. */
int sqlite_settings_apply(const struct sqlite_settings *settings,
                          const struct database *database, sqlite3 *db,
                          enum sqlite_scope scope, struct err *err);

/* Reads all settings back.  Returns 0, or -1 with err if one is not what was
   asked for: SQLite itself passes over what it does not know or take. */
int sqlite_settings_read(struct sqlite_settings *settings,
                         const struct database *database, sqlite3 *db,
                         struct err *err);

/* The setting of a name, or NULL. */
struct sqlite_setting *sqlite_settings_find(struct sqlite_settings *settings,
                                            const char *name);

/* What was read back, or "". */
const char *sqlite_settings_value(const struct sqlite_settings *settings,
                                  const char *name);

/* True of the versions that have it, as sqlite3_libversion_number numbers them:
   3.7.0 to 3.51.2 without 3.44.6 and 3.50.7. */
bool sqlite_has_wal_reset_bug(int version);

/* The class of the journal mode and the level of syncing that were read back.
   Writes both into text, with the file system that they are used on and with
   what they may cost. */
enum durability
sqlite_settings_durability(const struct sqlite_settings *settings,
                           uint64_t connections, const char *file_system,
                           char *text, size_t size);

#endif
