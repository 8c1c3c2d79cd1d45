/* SPDX-License-Identifier: ISC */
#include "store/sql/server_settings.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names, of PostgreSQL, MariaDB and MySQL, whose values are their owner's
   affair.  Sizes and numbers of files (innodb_log_file_size) may be told. */
static const char *const left_out[] = {
    /* folders, files and where logs go */
    "*dir", "*_dir_*", "*director*", "*_path", "*_file", "*filename",
    "*_basename", "*_index", "*tablespace*", "log_destination", "log_error",
    "relay_log", "*syslog*", "event_source",
    /* the network */
    "*host*", "*address*", "port", "*[._]port", "*_networks", "*socket*",
    "*conninfo*", "*url*", "admin_*", "mysqlx_*",
    /* people and what they log in with */
    "user", "*[._]user", "*_users", "*role*", "*auth*", "*password*",
    "*secret*", "*token*", "*credential*", "*_key", "*_keyring*",
    "*key_management*", "*ssl*", "*tls*", "krb_*", "gss_*", "ldap*", "secure_*",
    /* who the server is among others */
    "*_name", "*_id", "*_uid", "*uuid*", "report_*", "replicate_*",
    "group_replication_*", "wsrep_*", "gtid_*_pos", "gtid_*_state",
    "gtid_executed*", "gtid_purged", "recovery_target*", "feedback_*",
    /* where its owner lives */
    "lc_*", "*timezone*", "*time_zone", "datestyle",
    "default_text_search_config",
    /* whatever an owner may have written */
    "search_path", "*_command", "log_line_prefix", "init_connect", "init_slave",
    "init_replica"
};

/* A path, an address, user@host, or more than one line. */
static bool is_telling(const char *value)
{
    size_t dots = 0;

    for (const char *c = value; *c != '\0'; c++) {
        if (iscntrl((unsigned char)*c) || strchr("/\\@:", *c) != NULL)
            return true;
        dots += *c == '.';
    }
    return dots >= 3;
}

static bool is_left_out(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (fnmatch(left_out[i], name, 0) == 0)
            return true;
    }
    return false;
}

void server_settings_add(struct server_settings *settings, const char *name,
                         const char *value)
{
    static const char dots[] = "...";

    if (is_left_out(name) || is_telling(value))
        return;
    if (settings->count++ >= SERVER_SETTINGS_KEPT)
        return;
    struct property *const kept = &settings->kept[settings->count - 1];
    (void)snprintf(kept->key, sizeof kept->key, "%s", name);
    if ((size_t)snprintf(kept->value, sizeof kept->value, "%s", value) >=
        sizeof kept->value)
        memcpy(kept->value + sizeof kept->value - sizeof dots, dots,
               sizeof dots);
}

static bool is_reported(const struct properties *properties, const char *name)
{
    for (size_t i = 0; i < properties->count; i++) {
        const char *const key = properties->items[i].key;
        const char *const scoped = strchr(key, ' ');

        if (strcasecmp(key, name) == 0 ||
            (scoped != NULL && strcasecmp(scoped + 1, name) == 0))
            return true;
    }
    return false;
}

void server_settings_describe(const struct server_settings *settings,
                              struct properties *properties)
{
    size_t shown = 0;
    size_t more = 0;

    for (size_t i = 0; i < settings->count; i++) {
        const bool kept = i < SERVER_SETTINGS_KEPT;

        if (kept && is_reported(properties, settings->kept[i].key))
            continue;
        /* The last place is for the number. */
        if (!kept || shown == SERVER_SETTINGS_SHOWN ||
            properties->count + 1 >= PROPERTIES_MAX) {
            more++;
            continue;
        }
        properties_add(properties, settings->kept[i].key, "%s",
                       settings->kept[i].value);
        shown++;
    }
    if (more > 0 && properties->count < PROPERTIES_MAX)
        properties_add(properties, "more changed settings", "%zu", more);
}

int server_settings_changed(const char *store, const char *name,
                            const char *before, const char *now,
                            struct err *err)
{
    return err_set(err,
                   "%s: %s was changed from %s to %s while this ran: its "
                   "durability is not known",
                   store, name, before[0] != '\0' ? before : "''",
                   now[0] != '\0' ? now : "''");
}
