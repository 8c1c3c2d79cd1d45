/* SPDX-License-Identifier: ISC */
/*
 * Kea's own lease managers: what a DHCP server of that name asks, with its
 * library's code.  One manager serves all sessions, as in the server, where the
 * threads share it.
 *
 * A manager performs the operations on leases.  What may be touched, how the
 * leases are emptied, which settings decide about durability and how they are
 * put back is not Kea's: for a server that is the store of ours for it, opened
 * on the same database; for memfile it is memfile/claim.h.
 */
#include <dhcpsrv/csv_lease_file4.h>
#include <dhcpsrv/csv_lease_file6.h>
#include <util/multi_threading_mgr.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "store/kea/leases.hh"
#include "store/kea/operations.hh"
#include "store/kea/store.hh"
#include "store/kea/versions.hh"

extern "C" {
#include "store/file_system.h"
#include "store/memfile/claim.h"
}

using namespace isc::dhcp;
using isc::util::MultiThreadingMgr;
using kea::fail;

namespace
{

/* --- What Kea says of a failure --- */

/* By the numbers of MySQL and the codes of PostgreSQL that Kea quotes, as our
   own stores for them do. */
err_class class_of(const char *text)
{
    static const struct {
        const char *words;
        err_class kind;
    } classes[] = {
        { "error code 1205)", ERR_BUSY },
        { "error code 1213)", ERR_DEADLOCK },
        { "error code 1020)", ERR_CONFLICT },
        { "[ 55P03", ERR_BUSY },
        { "[ 40P01", ERR_DEADLOCK },
        { "[ 40001", ERR_CONFLICT },
        { "[ 53100", ERR_FULL },
        { "[ XX001", ERR_CORRUPT },
        { "[ XX002", ERR_CORRUPT },
    };

    for (const auto &one : classes) {
        if (std::strstr(text, one.words) != nullptr)
            return one.kind;
    }
    return ERR_OTHER;
}

} // namespace

void kea::fail(struct store *store, const char *action, err *err)
{
    try {
        throw;
    } catch (const isc::db::DbConnectionUnusable &failure) {
        store->lost = true;
        (void)err_set_class(err, ERR_LOST, "kea: %s: %s", action,
                            failure.what());
    } catch (const std::exception &failure) {
        (void)err_set_class(err, class_of(failure.what()), "kea: %s: %s",
                            action, failure.what());
    } catch (...) {
        (void)err_set(err, "kea: %s: failed; Kea gives no reason", action);
    }
}

namespace
{

/* --- The store --- */

/* The configuration of our store for the server: where Kea goes, too. */
store_config server_config(const struct store &store, bool keep)
{
    static const opt_settings none = {};
    const auto text = [&store](const char *name) -> const char * {
        const auto found = store.parameters.find(name);

        return found == store.parameters.end() ? nullptr
                                               : found->second.c_str();
    };
    store_config config = store.config;
    const char *const port = text("port");

    config.host = config.host != nullptr && config.host[0] == '/'
                      ? config.host
                      : text("host");
    config.port = port != nullptr ? std::strtoul(port, nullptr, 10) : 0;
    config.user = text("user");
    config.engine = "InnoDB";
    config.schema = SCHEMA_KEA;
    config.compiled = false;
    config.settings = &none;
    config.keep = keep;
    /* Set by the environment, for Kea's connections, too. */
    if (std::strcmp(store.type->name, "postgresql") == 0 || keep)
        config.sync = SYNC_SERVER;
    config.on_progress = nullptr;
    return config;
}

/* Our store tells how far it is; who asked knows us. */
void on_progress(void *context, open_stage stage, struct store *ours)
{
    struct store *const store = static_cast<struct store *>(context);

    store->ours = ours;
    store_report_progress(&store->config, stage, store);
}

/* Kea has no parameter for a socket's path in MySQL, nor for a setting of its
   sessions in PostgreSQL. */
void set_environment(struct store &store)
{
    const char *const host = store.config.host;

    if (std::strcmp(store.type->name, "mysql") == 0) {
        if (host == nullptr || host[0] != '/')
            return;
        std::string path = host;
        for (const char *const name :
             { "/mysqld.sock", "/mysql.sock", "/mariadb.sock" }) {
            if (access((host + std::string(name)).c_str(), F_OK) == 0)
                path = host + std::string(name);
        }
        store.variable.set("MYSQL_UNIX_PORT", path);
        store.parameters["host"] = "localhost";
    } else {
        const char *const before = std::getenv("PGOPTIONS");
        const bool safe = store.config.sync == SYNC_YES ||
                          store.config.sync == SYNC_POWER_SAFE;

        /* libpq would print the server's warnings as they are. */
        std::string options = before != nullptr ? before : "";
        options += " -c client_min_messages=error";
        if (store.config.sync != SYNC_SERVER)
            options += std::string(" -c synchronous_commit=") +
                       (safe ? "on" : "off");
        store.variable.set("PGOPTIONS", options);
    }
}

void open_manager(struct store &store)
{
    store.manager = &kea::open_manager(store.parameters);
    store.lost = false;
}

/* Nothing is changed before our store has looked whether it may be, and Kea
   whether these are its tables. */
int open_server(struct store &store, err *err)
{
    const backend &server = *store.type->server;
    store_config config = server_config(store, true);

    if (config.host != nullptr && std::strchr(config.host, ',') != nullptr)
        return err_set_class(err, ERR_USAGE,
                             "--host: %s: Kea connects to one server",
                             config.host);
    store_report_progress(&store.config, OPEN_CONNECTING, &store);
    struct store *const looks = server.open(&config, err);
    if (looks == nullptr) {
        if (err->kind == ERR_OTHER)
            err_add(err,
                    "; Kea's managers need the tables of kea-admin db-init, in "
                    "a database that is marked with: CREATE TABLE "
                    "ubench_marker%s AS SELECT 'scratch copy' AS lease4",
                    std::strcmp(store.type->name, "mysql") == 0
                        ? " (row_id INT AUTO_INCREMENT PRIMARY KEY)"
                        : "");
        return -1;
    }
    if (store.config.keep)
        store.ours = looks;
    else if (server.close(looks, err) != 0)
        return -1;
    open_manager(store);
    if (!store.config.keep) {
        config = server_config(store, false);
        config.on_progress = on_progress;
        config.on_progress_context = &store;
        store.ours = server.open(&config, err);
    }
    if (store.ours == nullptr)
        return -1;
    store.our_session = server.session_open(store.ours, err);
    return store.our_session != nullptr ? 0 : -1;
}

/* Marks an empty file as ours: Kea writes the header of its version, and then
   the removal of a lease that was never there. */
template <class File, class Lease> void mark_file(const char *path, Lease mark)
{
    File file(path);

    mark.hostname_ = "ubench";
    file.open();
    file.append(mark);
    file.close();
}

/* Removes all that is in the file, and marks it. */
int empty_file(const struct store &store, err *err)
{
    const std::vector<uint8_t> zeros(6, 0);
    const char *const path = store.config.target;

    if (ftruncate(store.file, 0) != 0)
        return err_set(err, "kea: emptying %s: %s", path, std::strerror(errno));
    if (store.v6()) {
        Lease6 mark;

        mark.duid_ = boost::make_shared<DUID>(zeros);
        mark.prefixlen_ = 128;
        mark_file<CSVLeaseFile6>(path, mark);
    } else {
        Lease4 mark;

        mark.hwaddr_ = boost::make_shared<HWAddr>(zeros, HTYPE_ETHER);
        mark_file<CSVLeaseFile4>(path, mark);
    }
    return 0;
}

/* A file of another version of Kea is converted by the cleanup that a manager
   starts at once: such a one is not kept. */
template <class File> bool is_of_this_version(const char *path)
{
    File file(path);

    file.open();
    const bool same = !file.needsConversion();
    file.close();
    return same;
}

int open_file(struct store &store, err *err)
{
    const bool keep = store.config.keep;
    const char *const path = store.config.target;

    store.file = claim_file(path, store.config.family,
                            keep ? nullptr : &store.made, err);
    if (store.file < 0 || (!keep && empty_file(store, err) != 0))
        return -1;
    if (keep && !(store.v6() ? is_of_this_version<CSVLeaseFile6>(path)
                             : is_of_this_version<CSVLeaseFile4>(path)))
        return err_set(err, "kea: %s: has another form than that of Kea %s",
                       path, kea::version().c_str());
    open_manager(store);
    return 0;
}

int free_store(struct store *store, err *err)
{
    const backend *const server = store->type->server;
    int status = 0;

    kea::close_manager();
    if (store->file >= 0)
        (void)close(store->file);
    if (store->our_session != nullptr)
        server->session_close(store->our_session);
    if (store->ours != nullptr)
        status = server->close(store->ours, err);
    delete store;
    return status;
}

struct store *open_store(const store_config &config, err *err)
{
    kea::Parameters parameters;
    const kea::Type *const type = kea::choose(config, parameters, *err);
    struct store *store;

    if (type == nullptr)
        return nullptr;
    store = new struct store();
    store->config = config;
    store->parameters = parameters;
    store->type = type;
    MultiThreadingMgr::instance().setMode(false);
    try {
        if (type->server != nullptr)
            set_environment(*store);
        if ((type->server != nullptr ? open_server(*store, err)
                                     : open_file(*store, err)) == 0)
            return store;
    } catch (...) {
        fail(store, config.target, err);
    }
    struct err second;
    store_report_progress(&config, OPEN_FAILED, store);
    if (store->made)
        (void)unlink(config.target);
    if (free_store(store, &second) != 0)
        err_add(err, "; and %s", second.text);
    return nullptr;
}

const char *kea_server(const opt_settings *settings)
{
    err ignored = {};
    const kea::Type *const type = kea::find_type(*settings, ignored);

    if (type == nullptr)
        return "kea";
    return type->server != nullptr ? type->server->name : nullptr;
}

void kea_library(char *text, size_t size)
{
    (void)snprintf(text, size, "Kea %s", kea::version().c_str());
}

struct store *kea_open(const struct store_config *config, struct err *err)
{
    try {
        return open_store(*config, err);
    } catch (const std::exception &failure) {
        (void)err_set(err, "kea: %s", failure.what());
    }
    return nullptr;
}

int kea_close(struct store *store, struct err *err)
{
    return store == nullptr ? 0 : free_store(store, err);
}

void kea_describe(const struct store *store, struct properties *properties)
{
    const kea::Build build = kea::build();

    properties_add(properties, "Kea", "%s, %s", kea::version().c_str(),
                   store->type->name);
    properties_add(properties, "Kea build-id", "%s", build.build_id.c_str());
    properties_add(properties, "Kea libraries", "%u, %016" PRIx64,
                   build.libraries, build.digest);
    properties_add(properties, "Kea library", "%s", build.library.c_str());
    for (const auto &parameter : store->parameters) {
        if (parameter.first != "password" && parameter.first != "user" &&
            parameter.first != "name" && parameter.first != "type" &&
            parameter.first != "universe")
            properties_add(properties, parameter.first.c_str(), "%s",
                           parameter.second.c_str());
    }
    properties_add(properties, "multi-threading", "%s",
                   MultiThreadingMgr::instance().getMode() ? "true" : "false");
    if (store->type->server != nullptr)
        store->type->server->describe(store->ours, properties);
    else
        properties_add(properties, "file system", "%s",
                       file_system_name(store->config.target));
}

enum durability kea_durability(const struct store *store, char *text,
                               size_t size)
{
    const char *const path = store->config.target;

    if (store->type->server != nullptr)
        return store->type->server->durability(store->ours, text, size);
    if (kea::is_volatile(store->parameters)) {
        (void)snprintf(text, size, "persist=false: no file");
        return DURABILITY_VOLATILE;
    }
    (void)snprintf(text, size,
                   "persist=true: write(2) before each answer, never synced, "
                   "on %s",
                   file_system_name(path));
    return file_system_limit(path, DURABILITY_PROCESS_SAFE);
}

int kea_check_class(struct store *store, struct err *err)
{
    return store->type->server != nullptr
               ? store->type->server->check_class(store->ours, err)
               : 0;
}

enum node_loss kea_node_loss(struct store *store)
{
    return store->type->server != nullptr
               ? store->type->server->node_loss(store->ours)
               : NODE_LOSS_NO_SERVER;
}

void kea_data_path(const struct store *store, char *path, size_t size)
{
    if (store->type->server != nullptr)
        store->type->server->data_path(store->ours, path, size);
    else
        (void)snprintf(path, size, "%s", store->config.target);
}

unsigned kea_lacks(const struct store *store)
{
    const bool file = store->type->server == nullptr;
    unsigned lacks =
        STORE_LACKS_HOSTNAMES | STORE_LACKS_V6_HWADDR | STORE_LACKS_V6_NO_DUID;

    if (KEA_HAS_POOLS == 0)
        lacks |= STORE_LACKS_POOLS;
    if (file && !kea::is_volatile(store->parameters))
        lacks |= STORE_LACKS_OLD_EXPIRE;
    if (file)
        lacks |= STORE_LACKS_V6_TAKEN;
    return lacks;
}

/* --- Sessions --- */

/* In place of the manager whose connection is lost, another one, when no thread
   is in the old one. */
int renew_manager(struct store &store, struct err *err)
{
    const backend &server = *store.type->server;
    std::vector<std::unique_lock<std::mutex>> outside;

    server.session_close(store.our_session);
    store.our_session = server.session_open(store.ours, err);
    if (store.our_session == nullptr)
        return -1;
    for (struct session *const session : store.sessions)
        outside.emplace_back(session->inside);
    open_manager(store);
    return 0;
}

struct session *kea_session_open(struct store *store, struct err *err)
{
    try {
        const std::lock_guard<std::mutex> guard(store->lock);

        if (store->lost && renew_manager(*store, err) != 0)
            return nullptr;
        /* Before a second thread calls it. */
        if (!store->sessions.empty())
            MultiThreadingMgr::instance().setMode(true);
        store->sessions.push_back(new ::session(store));
        return store->sessions.back();
    } catch (...) {
        fail(store, "opening a session", err);
        if (err->kind == ERR_OTHER && store->lost)
            err->kind = ERR_LOST;
    }
    return nullptr;
}

void kea_session_close(struct session *session)
{
    if (session == nullptr)
        return;
    struct store &store = *session->store;
    const std::lock_guard<std::mutex> guard(store.lock);
    store.sessions.erase(
        std::find(store.sessions.begin(), store.sessions.end(), session));
    delete session;
}

int kea_reset(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    if (store->type->server != nullptr)
        return store->type->server->reset(store->our_session, err);
    try {
        kea::close_manager();
        if (empty_file(*store, err) != 0)
            return -1;
        open_manager(*store);
        return 0;
    } catch (...) {
        fail(store, "reset", err);
    }
    return -1;
}

int kea_analyze(struct session *session, struct err *err)
{
    struct store &store = *session->store;
    const backend *const server = store.type->server;

    if (server == nullptr || server->analyze == nullptr ||
        server->analyze(store.our_session, err) == 0)
        return 0;
    store.lost = true; /* our connection is opened again with Kea's */
    return -1;
}

/* PostgreSQL counts what Kea's own connection did only after a second. */
void kea_used(struct session *const *sessions, size_t, store_use *use)
{
    const struct store &store = *sessions[0]->store;

    if (store.type->server != nullptr)
        store.type->server->used(&store.our_session, 1, use);
}

int kea_ping(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    return store->type->server != nullptr
               ? store->type->server->ping(store->our_session, err)
               : 1;
}

/* Our own connection alone can be canceled; Kea's wait for their answers. */
void kea_cancel(struct store *store)
{
    if (store->ours != nullptr)
        store->type->server->cancel(store->ours);
}

/* Kea's memfile reads the first four, too, and its cleanup makes all. */
const char *const kea_beside[] = { ".1",      ".2",   ".completed",
                                   ".output", ".pid", nullptr };

} // namespace

const struct backend the_backend = {
    .name = "kea",
    .default_target = "kea-leases4.csv",
    .default_v6_target = "kea-leases6.csv",
    .beside = kea_beside,
    .scope = OPT_SCOPE_FILE | OPT_SCOPE_SERVER | OPT_SCOPE_STORES,
    .sync_levels = SYNC_BIT(SYNC_YES) | SYNC_BIT(SYNC_NO) |
                   SYNC_BIT(SYNC_SERVER) | SYNC_BIT(SYNC_VOLATILE) |
                   SYNC_BIT(SYNC_PROCESS_SAFE) | SYNC_BIT(SYNC_BOUNDED) |
                   SYNC_BIT(SYNC_POWER_SAFE),
    .keeps_leases = true,
    .one_schema = true,
    .no_batch = true,
    .expire_least_s = 1,
    .expire_most_s = INT32_MAX,
    .utf8_hostnames = true,
    .client_id_least = kea::client_id_least,
    .client_id_most = kea::client_id_most,
    .server_processes = " mariadbd mysqld postgres ",
    .set_says_where = true,
    .server = kea_server,
    .settings_help =
        "type=memfile|mysql|postgresql and the other parameters of\n"
        "Kea's lease-database: persist, max-row-errors, trust-anchor",
    .sync_help = "yes needs type=mysql|postgresql; memfile: no",
    .library = kea_library,
    .open = kea_open,
    .close = kea_close,
    .describe = kea_describe,
    .durability = kea_durability,
    .check_class = kea_check_class,
    .lacks = kea_lacks,
    .node_loss = kea_node_loss,
    .session_open = kea_session_open,
    .session_close = kea_session_close,
    .reset = kea_reset,
    .count = kea_count,
    .analyze = kea_analyze,
    .create = kea_create,
    .find_by_address = kea_find_by_address,
    .find_by_hwaddr = kea_find_by_hwaddr,
    .find_by_client_id = kea_find_by_client_id,
    .find_by_duid = kea_find_by_duid,
    .update = kea_update,
    .remove = kea_remove,
    .list_expired = kea_list_expired,
    .purge_reclaimed = kea_purge_reclaimed,
    .begin = kea_group,
    .commit = kea_group,
    .ping = kea_ping,
    .data_path = kea_data_path,
    .used = kea_used,
    .cancel = kea_cancel,
};
