/* SPDX-License-Identifier: ISC */
/*
 * Variables that are set for all sessions of a server, and the way back.  What
 * they were stands in a table of the database before they are set, so that the
 * next run can restore them if this one is killed.
 */
#ifndef UBENCH_STORE_MYSQL_MYSQL_GLOBALS_H
#define UBENCH_STORE_MYSQL_MYSQL_GLOBALS_H

#include "store/mysql/mysql_variables.h"

/* How the server's catalogue shows that table: its name and its comment. */
#define GLOBALS_TABLE   "ubench_settings"
#define GLOBALS_COMMENT "what ubench has to restore with SET GLOBAL"

enum { LITERAL_SIZE = 2 * VALUE_SIZE + 3 };

/* Writes a value of less than VALUE_SIZE as SET wants it, and returns literal:
   a number, also with a server option's unit (1G), a string or DEFAULT. */
const char *globals_literal(char literal[static LITERAL_SIZE],
                            const char *value);

/* True of a name that can stand in SQL as it is. */
bool globals_is_name(const char *name);

/* One that was changed, and what it was before. */
struct global {
    char name[OPT_SETTING_NAME_MAX];
    char value[VALUE_SIZE];
};

/* Zeroed: nothing was changed. */
struct globals {
    bool in_group; /* the server is a member of a replication group */
    bool table;    /* it was made, so that it has to go */
    bool noted;    /* the last one, just now */
    size_t count;
    struct global items[OPT_SETTINGS_MAX + 2];
};

/* SET GLOBAL is for all databases: refuses if another run has changed variables
   for all, or else keeps other runs off: see connection_lock.  0, or -1 with
   err. */
int globals_lock(struct connection *connection, struct lock_holder *holder,
                 struct err *err);

/* Lets other runs on, unless something was changed.  0, or -1 with err. */
int globals_unlock(const struct globals *globals, struct connection *connection,
                   struct err *err);

/* Notes what a variable is, before it is set for all; once for each.  0, or -1
   with err. */
int globals_note(struct globals *globals, const char *name,
                 struct connection *connection, struct err *err);

/* The server refused to set that variable, so that it need not be restored. One
   whose answer was lost with the connection may have been set. */
void globals_forget(struct globals *globals,
                    const struct connection *connection);

/* Restores what was changed.  0, or -1 with err. */
int globals_restore(const struct globals *globals,
                    struct connection *connection, struct err *err);

/* Writes the SQL that does it. */
void globals_restore_sql(const struct globals *globals, char *text,
                         size_t size);

/* Restores what a run that was killed had changed; the table is there.  Writes
   a sentence on it, or "" if there was nothing.  0, or -1 with err. */
int globals_recover(struct connection *connection, char *text, size_t size,
                    struct err *err);

#endif
