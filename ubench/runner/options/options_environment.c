/* SPDX-License-Identifier: ISC */
/* The variables that export a server: UBENCH_MYSQL_HOST and so on. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "runner/options/options.h"
#include "store/host_list.h"

/* Returns the value of UBENCH_<PREFIX>_<WHAT>, or NULL if it is unset or empty.  Writes the
   variable's name to name. */
static const char *environment(const char *prefix, const char *what, char name[static 64])
{
    (void)snprintf(name, 64, "UBENCH_%s%s%s", prefix, prefix[0] != '\0' ? "_" : "", what);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    const char *const value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_same_host(const char *a, const char *b)
{
    static const char *const local[] = { "localhost", "127.0.0.1" };

    return strcmp(a, b) == 0 || ((strcmp(a, local[0]) == 0 || strcmp(a, local[1]) == 0) &&
                                 (strcmp(b, local[0]) == 0 || strcmp(b, local[1]) == 0));
}

struct place {
    char host[HOST_SIZE]; /* host name, or path of a socket */
    uint64_t port;
};

/* Splits a socket of PostgreSQL that is given as a file, whose name has the port, into its
   directory and the port. */
static void split_socket(struct place *place)
{
    static const char file[] = "/.s.PGSQL.";
    char *const slash = strrchr(place->host, '/');

    if (slash != NULL && strncmp(slash, file, sizeof file - 1) == 0 &&
        units_scan_count(slash + sizeof file - 1, &place->port) == 0)
        *slash = '\0';
}

static void cut_slashes(char *path)
{
    for (size_t i = strlen(path); i > 1 && path[i - 1] == '/'; i--)
        path[i - 1] = '\0';
}

/* Returns true if both name the same socket; asked may also be its directory. */
static bool is_same_socket(bool pgsql, struct place asked, struct place exported)
{
    cut_slashes(asked.host);
    cut_slashes(exported.host);
    if (pgsql) {
        split_socket(&asked);
        split_socket(&exported);
        return strcmp(asked.host, exported.host) == 0 && asked.port == exported.port;
    }
    const size_t folder = (size_t)(strrchr(exported.host, '/') - exported.host);
    return strcmp(asked.host, exported.host) == 0 ||
           (strlen(asked.host) == folder && strncmp(asked.host, exported.host, folder) == 0);
}

/* Returns the client library's default port. */
static uint64_t customary_port(bool pgsql)
{
    const char *const chosen = getenv(pgsql ? "PGPORT" : "MYSQL_TCP_PORT");
    uint64_t port = 0;

    if (chosen != NULL && units_scan_count(chosen, &port) == 0 && port != 0)
        return port;
    return pgsql ? 5432 : 3306;
}

static bool is_same_server(const char *server, struct place asked, struct place exported)
{
    const bool pgsql = strcmp(server, "pgsql") == 0;

    if (asked.port == 0)
        asked.port = customary_port(pgsql);
    if (exported.port == 0)
        exported.port = customary_port(pgsql);
    if (strchr(asked.host, '/') != NULL && strchr(exported.host, '/') != NULL)
        return is_same_socket(pgsql, asked, exported);
    return is_same_host(asked.host, exported.host) && asked.port == exported.port;
}

/* Returns true if the variables with that prefix name the server, by host and port or by
   socket. */
static bool names_server(const char *server, const char *prefix, const struct place *asked)
{
    static const char *const whats[] = { "HOST", "SOCKET" };
    char name[64];
    const char *const port = environment(prefix, "PORT", name);
    uint64_t number = 0;
    struct err err = { 0 };

    if (port != NULL && units_scan_count(port, &number) != 0)
        return false;
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        const char *const list = environment(prefix, whats[i], name);
        const char *rest = list;

        while (rest != NULL) {
            struct place exported = { .port = number };

            if (host_list_read(list, &rest, exported.host, &exported.port, &err) != 0)
                return false;
            if (is_same_server(server, *asked, exported))
                return true;
        }
    }
    return false;
}

/* Returns true if the variables of the server, or of the other servers of a cluster
   (UBENCH_MYSQL2_HOST and so on), name it. */
static bool is_exported(const char *server, const struct place *asked)
{
    char prefix[24];
    bool found = false;

    for (unsigned i = 1; i < 10 && !found; i++) {
        (void)snprintf(prefix, sizeof prefix, i > 1 ? "%s%u" : "%s", server, i);
        found = names_server(server, prefix, asked);
    }
    return found;
}

/*
 * Returns true if UBENCH_<SERVER>_USER and _PASSWORD belong to the user and to every server on the
 * command line, since each server of a list may receive them.  They belong to all servers if the
 * variables name none.
 */
static bool are_for(const char *server, const struct store_config *store)
{
    char name[64];
    const char *const user = environment(server, "USER", name);
    const char *const plain_user = environment(server, "PLAIN_USER", name);
    const char *const host = environment(server, "HOST", name);
    const char *const port = environment(server, "PORT", name);
    const char *const socket = environment(server, "SOCKET", name);
    const char *list = store->host;
    uint64_t number = store->port;
    struct err err = { 0 };
    bool found = true;

    if (store->user != NULL && user != NULL && strcmp(store->user, user) != 0 &&
        (plain_user == NULL || strcmp(store->user, plain_user) != 0))
        return false;
    if (host == NULL && socket == NULL)
        return true;
    if (list == NULL) {
        list = host != NULL ? host : "localhost";
        if (number == 0 && port != NULL && units_scan_count(port, &number) != 0)
            return false;
    }
    for (const char *rest = list; rest != NULL && found;) {
        struct place asked = { .port = number };

        found = host_list_read(list, &rest, asked.host, &asked.port, &err) == 0 &&
                is_exported(server, &asked);
    }
    return found;
}

int options_read_environment(const char *server, struct runner_config *config, struct err *err)
{
    struct store_config *const store = &config->store;
    const bool exported = are_for(server, store);
    char name[64];
    const char *const port = environment(server, "PORT", name);

    if (store->host == NULL && store->port == 0 && port != NULL &&
        (units_scan_count(port, &store->port) != 0 || store->port > 65535))
        return err_usage(err, "%s: '%s' is not a port in 0..65535", name, port);
    if (store->host == NULL)
        store->host = environment(server, "HOST", name);
    const char *const user = exported ? environment(server, "USER", name) : NULL;
    if (store->user == NULL)
        store->user = user != NULL ? user : environment("", "USER", name);
    const char *const password = exported ? environment(server, "PASSWORD", name) : NULL;
    if (store->password == NULL)
        store->password = password != NULL ? password : environment("", "PASSWORD", name);
    return store->password == NULL || strlen(store->password) < OPT_SECRET_MAX
               ? 0
               : err_usage(err, "%s: the value is longer than %d characters", name,
                           OPT_SECRET_MAX - 1);
}
